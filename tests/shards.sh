#!/bin/sh
# shards.sh TESTS: all tests of a Catch2 program, on all CPUs: each runs every N-th. What failed is
# printed; exit status 1 if something did.
tests=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=$(nproc 2>/dev/null || sysctl -n hw.ncpu)
"$tests" --list-test-names-only >"$work/names"  # its exit status is the number of tests
i=0
while [ $i -lt "$count" ]; do  # in Catch2's lists a comma would end a name
  awk -v count="$count" -v i=$i 'NR % count == i {gsub(/,/, "\\\\,"); print}' "$work/names" >"$work/names.$i"
  { "$tests" -f "$work/names.$i" >"$work/log.$i" 2>&1 && touch "$work/passed.$i"; } &
  i=$((i + 1))
done
wait
status=0
i=0
while [ $i -lt "$count" ]; do
  sed '/^Filters: /d' "$work/log.$i"
  [ -e "$work/passed.$i" ] || status=1
  i=$((i + 1))
done
exit $status
