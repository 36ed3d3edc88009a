#!/bin/sh
# make proof: MAKE. Everything that looks for faults beside make test, one after the other, then a table.
# What needs a program that is not installed is left out and said so. Hours.
#
#     CHANGED   the commit since which changed lines are mutated (default main)
#     LOGS      where each target's output goes (default .build/proof)
make=$1
logs=${LOGS:-.build/proof}
mkdir -p "$logs"
table=
failed=0
row() { table="$table$(printf '%-10s %-10s %7s  %s' "$@")
"; }
# TARGET PROGRAM ARGUMENTS: the target, if there is the program that it needs.
run() {
  target=$1 needs=$2
  shift 2
  if ! command -v "$needs" >/dev/null && ! [ -e "$needs" ]; then
    row "$target" "left out" "" "needs $needs"
    return
  fi
  echo "proof: $target, see $logs/$target.log"
  begin=$(date +%s)
  if "$make" "$target" "$@" >"$logs/$target.log" 2>&1; then outcome=passed; else outcome=FAILED failed=1; fi
  row "$target" $outcome "$(($(date +%s) - begin)) s" "$(grep -v '^ *$' "$logs/$target.log" | tail -n 1 | cut -c 1-90)"
}
run test g++
run asan g++
run tsan g++
run mpi-test mpicc
run torture strace
run fuzz clang++ FUZZ_SECONDS=300
run mutants python3 CHANGED="${CHANGED:-main}"
run aarch64 qemu-aarch64-static
run interop "${INTEROP:-.build/interop}/nanoGPT"
run browser "${CHROMIUM:-/usr/bin/chromium}"
printf '\n%s' "$table"
exit $failed
