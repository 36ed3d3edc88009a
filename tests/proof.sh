#!/bin/sh
# make proof: MAKE. Everything that looks for faults beside make test, one after the other, then a table. Hours;
# so it goes on where it stopped: what has passed is run again only when a file that it depends on has changed.
# A check that needs a program that is not installed is skipped, and the table says so.
#
#     PARTS     names of parts: only these (default: all)
#     AGAIN     1: also what has passed
#     CHANGED   the commit since which changed lines are mutated (default main)
#     PROOF     where results and outputs are kept (default out/proof): PART has the outcome, commit, day, seconds,
#               last line and a sum of the files that it depends on; PART.log the whole output
make=$1
kept=${PROOF:-out/proof}
mkdir -p "$kept"
failed=0
sources='engine nn model train Makefile tests/Makefile'

# FILES...: a sum of their contents, as they are in the working tree.
sum_of() { { git ls-files -s -- "$@"; git diff HEAD -- "$@"; } | cksum | tr ' ' -; }
row() { printf '%-12s  %-8s  %-9s  %-10s  %6s  %s\n' "$@"; }
# PART: its row, from what is kept.
show() {
  if [ -e "$kept/$1" ]; then
    { read -r outcome && read -r commit && read -r day && read -r seconds && IFS= read -r last; } <"$kept/$1"
    row "$1" "$outcome" "$commit" "$day" "$seconds s" "$last"
  else
    row "$1" "$2" "" "" "" "$3"
  fi
}
# PART PROGRAM 'FILES' ARGUMENTS...: the target PART, if there is the program that it needs.
parts=
run() {
  part=$1 needs=$2 files=$3
  shift 3
  case " ${PARTS-$part} " in *" $part "*) ;; *) parts="$parts $part:-"; return ;; esac
  # shellcheck disable=SC2086
  sum=$(sum_of $files)
  if [ "${AGAIN-0}" != 1 ] && [ "$(sed -n '1p;6p' "$kept/$part" 2>/dev/null | tr '\n' ' ')" = "passed $sum " ]; then
    parts="$parts $part:-"
    return
  fi
  if ! command -v "$needs" >/dev/null && ! [ -e "$needs" ]; then
    parts="$parts $part:$needs"
    rm -f "$kept/$part"
    return
  fi
  echo "proof: $part, see $kept/$part.log"
  rm -f "$kept/$part"
  begin=$(date +%s)
  if "$make" "$part" "$@" >"$kept/$part.log" 2>&1; then outcome=passed; else outcome=FAILED failed=1; fi
  printf '%s\n' "$outcome" "$(git describe --always --dirty --exclude '*')" "$(date +%Y-%m-%d)" "$(($(date +%s) - begin))" \
    "$(grep -v '^ *$' "$kept/$part.log" | tail -n 1 | cut -c 1-90)" "$sum" >"$kept/$part.new"
  mv "$kept/$part.new" "$kept/$part"
  parts="$parts $part:-"
}

run test g++ "$sources tests data README.md"
run lint clang++ "$sources tests README.md"
run asan g++ "$sources tests/unit tests/program tests/articles tests/reference tests/*.h data"
run tsan g++ "$sources tests/unit tests/program tests/articles tests/reference tests/*.h data"
run mpi-test mpicc "$sources tests/mpi"
run torture strace "$sources tests/torture"
run fuzz clang++ "$sources tests/fuzz" FUZZ_SECONDS="${FUZZ_SECONDS:-300}"
run mutants python3 "$sources tests" CHANGED="${CHANGED:-main}"
run aarch64 qemu-aarch64-static "$sources tests/unit tests/articles"
run windows-test wine "$sources tests/unit tests/program"
run interop "${INTEROP:-.build/interop}/nanoGPT" "$sources tests/interop"
run browser "${CHROMIUM:-/usr/bin/chromium}" "$sources tests/browser data"

echo
row part outcome commit day time 'its last line'
for part in $parts; do
  needs=${part#*:}
  case $needs in
    -) show "${part%:*}" 'not run' '' ;;
    *) show "${part%:*}" 'left out' "needs $needs" ;;
  esac
done | tee "$kept/table"
grep -q '^[a-z0-9-]* *FAILED' "$kept/table" && failed=1
exit $failed
