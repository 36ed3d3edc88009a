#!/bin/sh
# make fuzz-coverage: BUILD. The lines of the parsers that the seeds and what `make fuzz` has found
# (BUILD/tests/fuzz/TARGET.corpus) reach. The parsers are compiled once more, with counters; all
# else is BUILD's.
build=$1
folder=$build/coverage
parsers="engine/base/number.cpp model/format/json.cpp model/base/utf8.cpp model/format/safetensors.cpp model/format/tensor_entry.cpp model/format/stored_tensor.cpp
  model/exchange/byte_level.cpp model/exchange/config_keys.cpp model/exchange/transformers.cpp model/exchange/weights.cpp
  model/model_file.cpp model/tokenizer/tokenizer.cpp model/tokenizer/char_tokenizer.cpp model/tokenizer/word_tokenizer.cpp
  model/tokenizer/bpe/bpe_tokenizer.cpp model/tokenizer/bpe/printable_bytes.cpp model/tokenizer/bpe/split.cpp train/cli/settings.cpp train/cli/arguments.cpp
  train/cli/config_file.cpp train/run/checkpoint.cpp train/record/record.cpp"
flags="-std=c++20 -O1 -g1 -I. -pthread -march=native -DGRADUS_REAL=float -ffp-contract=off
  -fsanitize=address,undefined"
version=$(clang++ --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
tool() { command -v "$1-$version" || command -v "$1"; }

mkdir -p "$folder"
counted= rest=
for source in engine/*.cpp engine/*/*.cpp nn/*.cpp model/*.cpp train/*.cpp; do
  object=$folder/$(basename "$source" .cpp).o
  case " $(echo $parsers) " in
    *" $source "*)
      counted="$counted $object"
      [ "$object" -nt "$source" ] ||
        clang++ $flags -fsanitize=fuzzer-no-link -fprofile-instr-generate -fcoverage-mapping \
            -c "$source" -o "$object" || exit 1 ;;
    *) [ "$source" = train/main.cpp ] || rest="$rest $build/${source%.cpp}.o" ;;
  esac
done
programs=
for source in tests/fuzz/*.cpp; do
  target=$(basename "$source" .cpp)
  clang++ $flags -fsanitize=fuzzer -fprofile-instr-generate \
      "$build/tests/fuzz/$target.o" $counted $rest -o "$folder/$target" || exit 1
  mkdir -p "$build/tests/fuzz/$target.corpus"
  LLVM_PROFILE_FILE=$folder/$target.profraw "$folder/$target" -runs=0 \
      "$build/tests/fuzz/$target.corpus" "tests/fuzz/corpus/$target" >/dev/null 2>&1 || exit 1
  programs="$programs -object $folder/$target"
done
"$(tool llvm-profdata)" merge -o "$folder/all.profdata" "$folder"/*.profraw
"$(tool llvm-cov)" report -instr-profile "$folder/all.profdata" ${programs# -object } $parsers |
  awk '/\.cpp|^TOTAL/ {printf "%-28s %5d lines, %4d not reached, %s\n", $1, $8, $9, $10}'
