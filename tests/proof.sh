#!/bin/sh
# make proof: MAKE. Everything that looks for faults beside make test, one after the other, then a table. Hours;
# so it goes on where it stopped: .build/proof.txt has each part's outcome, commit, day,
# seconds, a sum of the files that it depends on, and its last line. What has passed is run again only when one of
# those files has changed. A check that needs a program that is not installed is left out, and the table says so.
#
#     PARTS     names of parts: only these (default: all)
#     AGAIN     1: also what has passed
#     CHANGED   the commit since which changed lines are mutated (default main)
#
# What a part printed is in out/proof/PART.log.
make=$1
kept=.build/proof.txt
failed=0
mkdir -p out/proof .build
touch "$kept"

# A part, the program that it needs, and what it depends on beside the sources.
parts() {
  cat <<END
test g++ tests data README.md
lint clang++ tests README.md
asan g++ tests/unit tests/program tests/articles tests/reference tests/book/by_hand tests/book/live tests/*.h data
tsan g++ tests/unit tests/program tests/articles tests/reference tests/book/by_hand tests/book/live tests/*.h data
mpi-test mpicc tests/mpi
torture strace tests/torture
fuzz clang++ tests/fuzz
mutants python3 tests
aarch64 qemu-aarch64-static tests/unit tests/articles tests/*.h
windows-test wine tests/unit tests/program tests/*.h
interop ${INTEROP:-.build/interop}/nanoGPT tests/interop
browser ${CHROMIUM:-/usr/bin/chromium} tests/browser data
END
}
# FILES...: a sum of their contents and the sources', as they are in the working tree.
sum_of() {
  set -- engine nn model train Makefile tests/Makefile "$@"
  { git ls-files -s -- "$@"; git diff HEAD -- "$@"; } | cksum | tr ' ' -
}
row() { printf '%-12s  %-8s  %-9s  %-10s  %6s  %-18s  %s\n' "$@"; }
there() { command -v "$1" >/dev/null || [ -e "$1" ]; }

while read -r part needs files; do
  case " ${PARTS-$part} " in *" $part "*) ;; *) continue ;; esac
  # shellcheck disable=SC2086
  sum=$(sum_of $files)
  [ "${AGAIN-0}" != 1 ] && grep -q "^$part  *passed .* $sum " "$kept" && continue
  there "$needs" || continue
  case $part in
    fuzz) set -- FUZZ_SECONDS="${FUZZ_SECONDS:-300}" ;;
    mutants) set -- CHANGED="${CHANGED:-main}" ;;
    *) set -- ;;
  esac
  log=out/proof/$part.log
  echo "proof: $part, see $log"
  git diff --quiet HEAD && changed='' || changed=+
  begin=$(date +%s)
  if "$make" "$part" "$@" >"$log" 2>&1 </dev/null; then outcome=passed; else outcome=FAILED failed=1; fi
  { grep -v "^$part " "$kept"
    row "$part" $outcome "$(git rev-parse --short=8 HEAD)$changed" "$(date +%Y-%m-%d)" $(($(date +%s) - begin)) "$sum" \
      "$(tr -d '\r' <"$log" | grep -v '^ *$' | tail -n 1 | cut -c 1-90)"
  } >"$kept.new"
  mv "$kept.new" "$kept"
done <<END
$(parts)
END

echo
row part outcome commit day seconds 'sum of files' 'its last line'
while read -r part needs files; do
  # shellcheck disable=SC2086
  sum=$(sum_of $files)
  if grep -q "^$part .* $sum " "$kept"; then grep "^$part " "$kept"
  elif there "$needs"; then row "$part" '' '' '' '' '' 'not run on these files'
  else row "$part" '' '' '' '' '' "left out: needs $needs"
  fi
done <<END
$(parts)
END
grep -q '^[a-z0-9-]*  *FAILED' "$kept" && failed=1
exit $failed
