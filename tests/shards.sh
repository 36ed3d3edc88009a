#!/bin/sh
# shards.sh TESTS [TAG...]: all tests of a Catch2 program but those with a TAG, on all CPUs: each runs
# every N-th. What failed is printed; exit status 1 if something did, or if they have not run every test
# once. TIMES=1: also the twenty that took longest, and how long all of them took together.
# PINNED=1: each has one CPU, and with it one thread unless a test asks for more; threads of two tests that wait for
# each other on the same CPUs would take a third more time. Two share a CPU: while one waits for a program that it
# started, the other runs.
# UNDER=wine: what runs a program of another system.
tests=$1
shift
times=${TIMES-}
pinned=${PINNED-}
under=${UNDER-}
unset TIMES PINNED UNDER  # what tests run is neither timed nor pinned
without=$(printf '~%s ' "$@" | sed 's/^~ $//')
work=$(mktemp -d "${tests%/*}/shards.XXXXXX")  # a relative path: on Windows /tmp would be a flag
trap 'rm -rf "$work"' EXIT
count=$(nproc 2>/dev/null || sysctl -n hw.ncpu)
# The names alone, by the flags of Catch2 v3, or else by those of v2, which exits with the number of tests.
$under "$tests" $without --list-tests --verbosity quiet >"$work/listed" ||
  $under "$tests" $without --list-test-names-only >"$work/listed"
tr -d '\r' <"$work/listed" >"$work/names"  # Windows ends lines with it
# "pid 7's current affinity list: 0-2,5", a CPU a line.
cpus=$([ -z "$pinned" ] || taskset -cp $$ 2>/dev/null |
       awk -F ': ' '{n = split($2, part, ","); for (k = 1; k <= n; ++k) {
         split(part[k] "-" part[k], ends, "-"); for (c = ends[1]; c <= ends[2]; ++c) print c}}')
[ -z "$cpus" ] || { cpus=$(printf '%s\n' "$cpus" "$cpus"); count=$(printf '%s\n' "$cpus" | wc -l); }
i=0
while [ $i -lt "$count" ]; do  # in Catch2's lists a comma would end a name
  awk -v count="$count" -v i=$i 'NR % count == i' "$work/names" | sed 's/[\\,]/\\&/g' >"$work/names.$i"
  cpu=$(printf '%s' "$cpus" | sed -n "$((i + 1))p")
  { ${cpu:+taskset -c "$cpu"} $under "$tests" -f "$work/names.$i" ${times:+-d yes} >"$work/log.$i" 2>&1 && touch "$work/passed.$i"; } &
  i=$((i + 1))
done
wait
status=0
i=0
while [ $i -lt "$count" ]; do
  sed '/^Filters: /d; /^Randomness seeded/d; /^[0-9.]* s: /d' "$work/log.$i"
  [ -e "$work/passed.$i" ] || status=1
  i=$((i + 1))
done
# "test cases: 3 | 2 passed | 1 failed", or "All tests passed (15 assertions in 3 test cases)".
ran=$(awk '/^test cases: / {n += $3} /^All tests passed / {n += $(NF - 2)} END {print n + 0}' "$work"/log.*)
there=$(wc -l <"$work/names")
[ "$ran" -eq "$there" ] || { echo "shards.sh: $((ran)) tests have run, of $((there))"; status=1; }
if [ -n "$times" ]; then
  sed -n 's/^\([0-9.]*\) s: \(.*\)/\1 \2/p' "$work"/log.* >"$work/times"
  awk '{sum += $1} END {printf "%.0f s: %d tests, all together\n", sum, NR}' "$work/times"
  sort -rn "$work/times" | head -n 20 | sed 's/ / s: /'
fi
exit $status
