#!/bin/sh
# make interop: GRADUS PROBE. Trains a small model of each kind, exports it to every format that knows it,
# and has the programs of those formats compute what gradus computes. A line for each check; exit status 1
# if anything differs. README.md says what to install.
#
#     INTEROP   folder of node_modules/, nanoGPT/ and trixie/ (default .build/interop)
#     NANOGPT   nanoGPT's clone (default $INTEROP/nanoGPT)
#     CHROOT    a Debian with python3-torch (default $INTEROP/trixie, if it is there and we are root)
#     PYTHON    a Python with PyTorch, instead of the chroot's
#     MODELS    names of the models to try (default: all)
set -u
gradus=$(realpath "$1") probe=$(realpath "$2")
export GRADUS=$gradus
here=$PWD/tests/interop
interop=${INTEROP:-.build/interop}
mkdir -p "$interop" && interop=$(realpath "$interop")
nanogpt=${NANOGPT:-$interop/nanoGPT}
case $nanogpt in /*) ;; *) nanogpt=$PWD/$nanogpt ;; esac
chroot=${CHROOT-$interop/trixie}
fables=$PWD/data/fables.txt
work=$interop/work
failed=0
mkdir -p "$work"

fail() { failed=1; echo "interop: $*"; }
skip() { echo "interop: skipped: $*"; }
# Runs a command; prints its output only if it fails.
quiet() {
  "$@" >"$work/log" 2>&1 && return
  fail "FAILED: $*"
  tail -n 5 "$work/log"
  return 1
}
# The file of its first argument gets what the rest prints.
into() {
  file=$1
  shift
  "$@" >"$file" 2>"$work/log" && return
  fail "FAILED: $*"
  tail -n 5 "$work/log"
  return 1
}
# A check says itself what differs, and ends with 1.
check() {
  "$@" 2>"$work/log" && return
  failed=1
  if grep . "$work/log" >/dev/null; then fail "FAILED: $*"; tail -n 5 "$work/log"; fi
}

# In the chroot the folders have their own names; the mounts end with the process.
in_chroot() {
  unshare --mount sh -c '
    root=$1 folders=$2
    shift 2
    for folder in /proc /dev $folders; do
      [ -d "$folder" ] || continue
      mkdir -p "$root$folder" && mount --rbind "$folder" "$root$folder" || exit 2
    done
    exec chroot "$root" "$@"' sh "$chroot" "$here $PWD/data $PWD/train ${gradus%/*} $work $nanogpt" "$@"
}
python=${PYTHON-}
if [ -z "$python" ] && [ "$(id -u)" = 0 ] && [ -x "$chroot/usr/bin/python3" ]; then
  python='in_chroot /usr/bin/python3'
fi
if [ -z "$python" ]; then
  for python in python3 /usr/bin/python3 ''; do
    [ -z "$python" ] || $python -c 'import torch' 2>/dev/null && break
  done
fi
py() { script=$1; shift; $python -W ignore "$here/$script" "$@"; }
by_script() { quiet $python -W ignore "$PWD/train/exchange/nanogpt.py" "$@"; }
if [ -n "$python" ] && version=$($python -c 'import torch; print(torch.__version__)' 2>/dev/null); then
  echo "interop: PyTorch $version"
else
  python=
  skip "PyTorch is not installed (apt-get install python3-torch)"
fi
[ -f "$nanogpt/train.py" ] || { nanogpt=; skip "nanoGPT is not in $interop (git clone https://github.com/karpathy/nanoGPT)"; }

# A package's programs run beside node_modules, where node looks for it.
cp "$here"/*.mjs "$work"
have() {
  if ! command -v node >/dev/null; then skip "node is not installed (apt-get install nodejs npm)"
  elif [ ! -d "$interop/node_modules/$1" ]; then skip "$1 is not installed (npm install $1)"
  else return 0; fi
  return 1
}
llama="" tokenizers="" gguf="" gpt_tokenizer=""
have node-llama-cpp && llama=1
have @huggingface/tokenizers && tokenizers=1
have @huggingface/gguf && gguf=1
have gpt-tokenizer && gpt_tokenizer=1

python3 "$here/mixed_text.py" 1000000 >"$work/mixed.txt"
python3 "$here/mixed_text.py" 1000000 "$fables" >"$work/mixed_char.txt"
# The fables as documents, with a separator before each title but the first; gradus adds the last one.
awk 'blank == 2 {printf "<|endoftext|>"} {blank = /./ ? 0 : blank + 1; print}' "$fables" >"$work/documents.txt"
{ cat "$work/documents.txt" && printf '<|endoftext|>'; } >"$work/separated.txt"
for kind in mixed mixed_char; do sed 's/ t/<|endoftext|>/g' "$work/$kind.txt" >"$work/${kind}_documents.txt"; done

# To JavaScript U+FEFF is white space and U+0085 is none; to Unicode, and so to Rust, Python, llama.cpp
# and gradus, it is the other way round.
javascript='s/\xef\xbb\xbf//g; s/\xc2\x85//g'

# The files of a folder that the programs compare with.
expectations() {
  at=$1 model=$2 text=$3 mixed=$4
  cp "$mixed" "$at/mixed.txt"
  LC_ALL=C sed "$javascript" "$mixed" >"$at/mixed_js.txt"
  into "$at/mixed.ids" "$probe" ids "$model" "$mixed" &&
    into "$at/mixed_js.ids" "$probe" ids "$model" "$at/mixed_js.txt" &&
    into "$at/text.ids" "$probe" ids "$model" "$text" || return 1
  head -n 64 "$at/text.ids" >"$at/prompt.ids"
  head -n 16 "$at/text.ids" >"$at/start.ids"
  into "$at/logits.f32" "$probe" logits "$model" "$at/prompt.ids" &&
    into "$at/greedy.ids" "$probe" greedy "$model" "$at/start.ids" 200
}

# gradus reads MODEL, which it has written, and computes the same bits.
reads_back() {
  at=$1 model=$2
  into "$at/back.f32" "$probe" logits "$model" "$at/prompt.ids" &&
    into "$at/back.ids" "$probe" ids "$model" "$at/mixed.txt" || return 1
  if cmp -s "$at/back.f32" "$at/logits.f32" && cmp -s "$at/back.ids" "$at/mixed.ids"; then
    echo "interop: gradus, $(basename "$at") ${model##*/}: read back, the same logits and tokens"
  else
    fail "gradus, $(basename "$at") ${model##*/}: DIFFERS: read back, other logits or tokens"
  fi
}

hf() {
  quiet "$gradus" export "$at/run" hf "$at/hf" || return
  reads_back "$at" "$at/hf"
  [ -z "$python" ] || check py hf.py "$at"
  [ -z "$tokenizers" ] || check node "$work/tokenizers.mjs" "$at"
}

# By type of the weights: the largest difference of log-probabilities to those of the model itself. Its
# weights are not rounded. llama.cpp rounds the other factor of products with such weights as well.
gguf() {
  for type in float32:1e-3 ${1-float16:2e-2 bfloat16:1e-1 q8_0:3e-1}; do
    limit=${type#*:} type=${type%:*}
    case "$name $type" in gpt2*" float32") limit=5e-3 ;; esac  # ggml's GELU, see README.md
    rm -f "$at/$type.gguf"
    quiet "$gradus" export "$at/run" gguf "$at/$type.gguf" --dtype "$type" || continue
    [ -z "$gguf" ] || check node "$work/gguf_header.mjs" "$at" "$type"
    greedy=$([ "$type" != float32 ] || echo greedy)
    [ -z "$llama" ] || check node "$work/llama.mjs" "$at" "$type" "$limit" $greedy
  done
}

nanogpt() {
  [ -n "$python" ] || return
  by_script "$at/run" "$at/nanogpt" && by_script --from "$at/nanogpt/ckpt.pt" "$at/from_nanogpt" || return
  reads_back "$at" "$at/from_nanogpt"
  [ -n "$nanogpt" ] || return
  check py nanogpt.py load "$at" "$nanogpt"
  case $name in gpt2_char)  # sample.py writes with characters only
    quiet "$gradus" sample "$at/run" --temperature 0 --max_new_tokens 200 --prompt '
' --output "$at/greedy.txt" && check py nanogpt.py sample "$at" "$nanogpt" ;;
  esac
  for processes in 1 2; do
    check py nanogpt.py train "$at" "$nanogpt" $processes
    trained=$at/trained$processes
    [ -f "$trained/ckpt.pt" ] && by_script --from "$trained/ckpt.pt" "$trained/model" || continue
    into "$at/back.f32" "$probe" logits "$trained/model" "$at/prompt.ids" || continue
    check python3 "$here/compare.py" "gradus, $name" "logits of train.py's checkpoint, processes: $processes" 1e-4 \
      "$at/back.f32" "$at/trained$processes.f32"
  done
}

# NAME FORMATS FLAGS...
model() {
  name=$1 formats=$2
  shift 2
  case " ${MODELS-$name} " in *" $name "*) ;; *) return ;; esac
  at=$work/$name
  rm -rf "$at"
  mkdir -p "$at"
  text=$fables all=$fables mixed=$work/mixed
  case $name in *_char*) mixed=${mixed}_char ;; esac
  case $name in *_documents*)
    text=$work/documents.txt all=$work/separated.txt mixed=${mixed}_documents
    set -- "$@" --document_separator '<|endoftext|>' ;;
  esac
  mixed=$mixed.txt
  quiet "$gradus" train "$text" --out_dir "$at/run" --n_layer 2 --n_head 4 --n_embd 64 --block_size 256 \
    --batch_size 4 --max_iters 400 --eval_interval 400 --seed 1 --dtype float32 "$@" || return
  expectations "$at" "$at/run" "$all" "$mixed" || return
  for format in $formats; do $format; done
}

# A GPT-2 as on the hub, of 124M random parameters.
big() {
  name=gpt2_124M
  case " ${MODELS-$name} " in *" $name "*) ;; *) return ;; esac
  if [ -z "$python" ] || [ -z "$gpt_tokenizer" ]; then
    skip "$name, which needs PyTorch and gpt-tokenizer"
    return
  fi
  at=$work/$name
  rm -rf "$at"
  mkdir -p "$at"
  seq 0 783 50176 >"$at/prompt.ids"
  check py big.py "$at" "$work/gpt2"
  cp "$work/mixed.txt" "$at"
  LC_ALL=C sed "$javascript" "$work/mixed.txt" >"$at/mixed_js.txt"
  for layout in hub saved shards; do
    into "$at/back.f32" "$probe" logits "$at/$layout" "$at/prompt.ids" || continue
    check python3 "$here/compare.py" "gradus, $name" "logits of $layout/ and PyTorch's" 1e-4 "$at/back.f32" "$at/$layout.f32"
    into "$at/mixed_js.ids" "$probe" ids "$at/$layout" "$at/mixed_js.txt" && check node "$work/gpt_tokenizer.mjs" "$at" "$layout"
  done
  head -c 20000 "$fables" >"$at/text.txt"
  measured info info "$at/hub"
  measured 'eval of 20 kB' eval "$at/hub" "$at/text.txt"
  measured 'sample of 20 tokens' sample "$at/hub" --max_new_tokens 20 --prompt 'The Fox'
  measured 'export to gguf, q8_0' export "$at/hub" gguf "$at/q8_0.gguf" --dtype q8_0
  measured 'a step of fine-tuning' train "$at/text.txt" --init_from "$at/hub" --out_dir "$at/tuned" --val_fraction 0.2 --max_iters 1 \
    --batch_size 1 --eval_iters 1 --force
  into "$at/mixed.ids" "$probe" ids "$at/hub" "$at/mixed.txt" || return
  into "$at/logits.f32" "$probe" logits "$at/hub" "$at/prompt.ids" || return
  [ -z "$llama" ] || check node "$work/llama.mjs" "$at" q8_0 3e-1
}

# WHAT ARGUMENTS...: runs gradus and says how long it took and how much memory.
measured() {
  what=$1
  shift
  if [ ! -x /usr/bin/time ]; then quiet "$gradus" "$@"; return; fi
  quiet /usr/bin/time -o "$work/time" -f '%e %M' "$gradus" "$@" || return
  awk -v what="$what" -v name="$name" '{printf "interop: gradus, %s: %s: %.1f s, %.0f MB\n", name, what, $1, $2 / 1024}' "$work/time"
}

model gpt2_char 'hf nanogpt' --arch gpt2 --tokenizer char --optimizer adamw
model gpt2_char_bias 'hf gguf' --arch gpt2 --tokenizer char --bias true --activation gelu_tanh
model gpt2_bpe 'hf nanogpt' --arch gpt2 --tokenizer bpe --bias true --optimizer muon
model gpt2_bpe_tanh 'hf gguf' --arch gpt2 --tokenizer bpe --activation gelu_tanh
model llama_byte 'hf gguf' --arch llama --tokenizer byte
model llama_bpe_untied 'hf gguf' --arch llama --tokenizer bpe --tie_weights false
model qwen3_bpe_kv 'hf gguf' --arch qwen3 --tokenizer bpe --n_kv_head 2
model qwen3_char_muon 'hf gguf' --arch qwen3 --tokenizer char --optimizer muon

model qwen3_bpe_documents 'hf gguf' --arch qwen3 --tokenizer bpe
model gpt2_char_documents 'hf nanogpt' --arch gpt2 --tokenizer char

if [ -n "$gpt_tokenizer" ]; then
  check node "$work/gpt2_files.mjs" "$work/gpt2"
  model gpt2_merges 'hf gguf' --arch gpt2 --tokenizer "$work/gpt2" --activation gelu_tanh --max_iters 50 --eval_interval 50
  case " ${MODELS-gpt2_merges} " in *" gpt2_merges "*) check node "$work/gpt_tokenizer.mjs" "$at" run ;; esac
fi
big
exit $failed
