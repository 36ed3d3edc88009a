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

# Float and double objects do not link, and the linker says why.
for compiler in g++ clang++; do
  for real in float double; do
    other=$([ $real = float ] && echo double || echo float)
    objects=.build/$compiler-${ARCH-native}-$other-O1Werror
    mixed=.build/mixed
    output=$($compiler -o $mixed ${objects%$other-*}$real-O1Werror/engine/print.o \
      $(find $objects/engine $objects/nn $objects/model $objects/train -name '*.o' ! -name print.o) 2>&1)
    case $output in
      *"link_with_objects_built_for($real)"*) ;;
      *) problem "$compiler, a $real object among $other ones: $output" ;;
    esac
    rm -f $mixed
  done
done

# gradus is the build of the last make: tried in a directory with links to those builds.
room=$(mktemp -d) && ln -s "$PWD"/.build/* "$room"
for real in float double float; do
  make O="$room" CXX=g++ REAL=$real OPT=-O1 EXTRA=-Werror PCH= UNITS= || problem "gradus, REAL=$real"
  cmp "$room/gradus" .build/g++-${ARCH-native}-$real-O1Werror/gradus ||
    problem "make REAL=$real left another build's gradus"
done
rm -r "$room"

# An op at the end of the list is counted, and does not compile without a name and cases.
room=$(mktemp -d) && mkdir "$room/engine"
warnings=$(make -pn 2>/dev/null | sed -n 's/^WARN := //p')
appended_to() { g++ -std=c++20 $warnings -I"$room" -I. -fsyntax-only "$1" 2>&1; }
asks_for_it() {
  appended_to "$1" | grep -q "error: .*appended.* not handled" || problem "$1: an appended op is not missed"
}
sed '0,/^};$/s//appended,\n};/' engine/op.h >"$room/engine/op.h"
echo '#include "engine/op.h"
engine::OpName recorded = engine::Op::appended;' >"$room/record.cpp"
appended_to "$room/record.cpp" >/dev/null && problem "an op without a name can be recorded"
sed -i 's/"attention");/"attention", "!");/; s/Op::attention)/Op::appended)/' "$room/engine/op.h"
appended_to "$room/record.cpp" || problem "an op at the end of the list cannot be recorded"
asks_for_it tests/gradient/op_cases.cpp
asks_for_it tests/unit/engine/ops_forward_test.cpp
asks_for_it tests/unit/engine/op_sizes_test.cpp
echo '#include "engine/op.h"
static_assert(name_of(engine::Op(engine::op_count - 1)) == "!");' >"$room/last.cpp"
appended_to "$room/last.cpp" || problem "op_count leaves out an appended op"
rm -r "$room"

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
