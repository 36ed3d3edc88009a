#!/bin/sh
# make fuzz-coverage: FOLDER CORPORA FILE... . Which lines of the parsers' FILEs the corpora of
# earlier runs (CORPORA/TARGET.corpus) and the seeds reach, with the targets in FOLDER.
folder=$1
corpora=$2
shift 2
version=$(clang++ --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
tool() { command -v "$1-$version" || command -v "$1"; }
programs=
for source in tests/fuzz/*.cpp; do
  target=$(basename "$source" .cpp)
  mkdir -p "$corpora/$target.corpus"
  LLVM_PROFILE_FILE=$folder/$target.profraw "$folder/$target" -runs=0 "$corpora/$target.corpus" \
      "tests/fuzz/corpus/$target" >/dev/null 2>&1 || exit 1
  programs="$programs -object $folder/$target"
done
$(tool llvm-profdata) merge -o "$folder/all.profdata" "$folder"/*.profraw
$(tool llvm-cov) report -instr-profile "$folder/all.profdata" ${programs# -object } "$@" |
  awk '/^Filename|%/ {print $1, $(NF-3)}' | column -t
