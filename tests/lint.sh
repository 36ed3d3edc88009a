#!/bin/sh
# `make lint`: includes never point back, both compilers are silent, the formatting is clang-format's.
cd "$(dirname "$0")/.." || exit 1
failed=0
problem() { echo "lint: $*" >&2; failed=1; }
for program in g++ clang++ clang-format python3 git; do
  command -v $program >/dev/null || { problem "needs $program, which is not installed"; }
done
[ $failed = 0 ] || exit 1

found=$(python3 tests/rooms.py --check) || problem "include that points back:
$found"

found=$(tests/book/make.py --check) || problem "the book:
$found"
found=$(tests/way.py --check) || problem "$found"
found=$(tests/words.py --check) || problem "words (tests/README.md):
$found"


# A closure on the tape names what it keeps.
found=$(grep -nE '\[=' engine/ops/*.cpp) && problem "captures by [=]; name them: $found"

# Vector widths are the secret of simd.h and its files, and of bfloat16.h.
found=$(grep -lE '\b_mm[0-9]*_|__AVX|vld1q|float32x4' $(git ls-files engine nn model train) |
  grep -vE '^(engine/kernels/(simd(_[a-z0-9]+)?|bfloat16|instruction_set)\.h|engine/base/thread_pool\.cpp)$') &&
  problem "instruction sets are for engine/kernels/simd*.h and bfloat16.h: $found"

# One source for each system.
found=$(grep -lE '_WIN32|<(windows|unistd|fcntl|poll)\.h>|<sys/' $(git ls-files engine nn model train) |
  grep -vE '^(engine/base/cpu|model/base/system|train/system/console)_(posix|windows)\.cpp$') &&
  problem "systems are for engine/base/cpu_*.cpp, model/base/system_*.cpp and train/system/console_*.cpp: $found"

# JavaScript of the pages and of their checks.
packages=${BROWSER:-.build/browser}
if [ -f "$packages/node_modules/eslint/bin/eslint.js" ]; then
  found=$(node "$packages/node_modules/eslint/bin/eslint.js" --config tests/browser/eslint.config.mjs train/report train/page tests/browser tests/book/live tests/site) ||
    problem "JavaScript: $found"
else
  problem "needs eslint: npm install --prefix $packages eslint @eslint/js globals"
fi

# clang-format leaves comments and long strings as they are.
found=$(grep -nE '.{101}' $(git ls-files engine nn model train | grep -E '\.(h|cpp)$')) && problem "more than 100 columns: $found"

files=$(git ls-files '*.h' '*.cpp')
clang-format --dry-run -Werror $files || problem "not formatted: run make format"

# Without the precompiled headers, which hide a missing include.
for compiler in g++ clang++; do
  for real in float double; do
    make CXX=$compiler REAL=$real OPT=-O1 EXTRA=-Werror PCH= CATCH_PCH= UNITS= check-build || problem "$compiler, REAL=$real"
  done
done

# The programs of README.md and own_operation.md compile as they say; the first prints what it says, the second learns.
room=$(mktemp -d)
program() { awk "/^    #include <$1>/ {on = 1} on {sub(/^    /, \"\"); print} /^}(  \/\/.*)?\$/ && main {exit} /int main/ && on {main = 1}" "$2"; }
build() { g++ -std=c++20 -O2 -march=native -I. "$room/$1.cpp" libgradus.a -pthread -o "$room/$1"; }
program iostream README.md >"$room/first.cpp"
program cstdio tests/tour/own_operation.md >"$room/second.cpp"
make lib && build first && "$room/first" >"$room/output" &&
  sed -n '/^prints$/,/^Save it as/s/^    //p' README.md | cmp - "$room/output" ||
  problem "README's program"
build second && (cd "$room" && ./second) >"$room/output" && echo "learned: yes" | cmp - "$room/output" ||
  problem "the program of tests/tour/own_operation.md"
rm -r "$room"

[ $failed = 0 ] && echo "lint: clean"
exit $failed
