#!/bin/sh
# make fuzz: FOLDER LIMIT. Runs every target of FOLDER as long as libFuzzer's LIMIT says (-runs=N,
# -max_total_time=SECONDS), beginning with the inputs of tests/fuzz/corpus/TARGET and those that
# earlier runs have found, kept in FOLDER/TARGET.corpus.
# No allocation may be larger than 256 MB, no input take longer than ten minutes: on a clock,
# so that other work on the machine is no finding.
folder=$1
limit=$2
failed=0
for source in tests/fuzz/*.cpp; do
  target=$(basename "$source" .cpp)
  seeds=tests/fuzz/corpus/$target
  log=$folder/$target.log
  mkdir -p "$folder/$target.corpus"
  longest=$(wc -c "$seeds"/* | awk '$2 != "total" && $1 > most {most = $1} END {print most + 256}')
  if "$folder/$target" "$limit" -seed=1 -max_len="$longest" -timeout=600 -malloc_limit_mb=256 \
      -artifact_prefix="$folder/$target-" "$folder/$target.corpus" "$seeds" >"$log" 2>&1; then
    echo "fuzz: $target: $(sed -n 's/^Done //p' "$log"), no findings"
  else
    failed=1
    echo "fuzz: $target: FAILED, see $log"
    grep -E 'ERROR|SUMMARY|Test unit' "$log"
  fi
done
exit $failed
