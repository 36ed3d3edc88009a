#!/usr/bin/env bash
# Training in several processes ends in the same bytes as in one: make mpi-test, which builds gradus with
# MPI=1 and gives it here. MPIRUN (default: mpirun) is tried with 2 and 4 processes on this machine; the
# names of the cases are printed. ALL=1: also the slow ones, and 20 kills.
set -eu
gradus=$(readlink -f "$1")
data=$(cd "$(dirname "$0")/../.." && pwd)/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "$data"/fables.txt fables.txt

# Open MPI needs leave to run more processes than cores, and to run as root.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
read -ra mpirun <<<"${MPIRUN:-mpirun}"
case $("${mpirun[@]}" --version 2>&1) in *"Open MPI"*) mpirun+=(--oversubscribe) ;; esac
with() { local n=$1; shift; "${mpirun[@]}" -n "$n" "$gradus" "$@" 2>&1; }

failed() { printf 'mpi-test: %s\n' "$*" >&2; exit 1; }
same() {  # DIR DIR: checkpoint, model and losses
  for file in checkpoint.safetensors model.safetensors log.csv; do
    cmp "$1/$file" "$2/$file" || failed "$case: $1/$file is not $2/$file"
  done
}
# refused N STATUS WORDS ARGUMENTS...: one line on it, and nothing written.
refused() {
  local n=$1 words=$2 output; shift 2
  output=$(with "$n" "$@" --out_dir refused) && failed "$case: $* was not refused"
  [ "$(grep -c '^gradus' <<<"$output")" = 1 ] || failed "$case: not one line: $output"
  grep -qF -- "$words" <<<"$output" || failed "$case: no \"$words\" in: $output"
  [ ! -e refused/checkpoint.safetensors ] || failed "$case: $* left a run"
}
small="--n_layer 2 --n_head 2 --n_embd 32 --block_size 32 --batch_size 3 --eval_interval 10 --force"

trains() {  # NAME ARGUMENTS...
  case=$1; shift
  echo "  $case"
  "$gradus" train fables.txt $small "$@" --out_dir one >output 2>&1 || failed "$case: $(cat output)"
  for n in 2 4; do
    with $n train fables.txt $small "$@" --out_dir several >output || failed "$case: $(cat output)"
    same one several
  done
}
trains "characters, AdamW, dropout, GPT-2, 4 micro-batches" --tokenizer char --arch gpt2 --optimizer adamw \
  --dropout 0.2 --gradient_accumulation_steps 4 --max_iters 25
trains "BPE, Muon, Qwen3, 12 micro-batches" --tokenizer bpe --vocab_size 300 --arch qwen3 --optimizer muon \
  --gradient_accumulation_steps 12 --max_iters 12
trains "random batches to evaluate on, and to train" --tokenizer char --batches random --eval_iters 5 \
  --gradient_accumulation_steps 4 --max_iters 20 --dtype float32
if "$gradus" train fables.txt $small --dtype bfloat16 --max_iters 0 --out_dir can >output 2>&1; then
  trains "bfloat16" --tokenizer char --dtype bfloat16 --gradient_accumulation_steps 4 --max_iters 15
fi

case="without the flag, 4 processes take a quarter of the batch each"
echo "  $case"
with 4 train fables.txt $small --batch_size 3 --tokenizer char --max_iters 10 --out_dir several >output ||
  failed "$case: $(cat output)"
"$gradus" train fables.txt $small --batch_size 3 --gradient_accumulation_steps 4 --tokenizer char \
  --max_iters 10 --out_dir one >output 2>&1
same one several

case="stopped under 4, resumed under 1 and 2"
echo "  $case"
long="$small --tokenizer char --gradient_accumulation_steps 4 --dropout 0.1 --max_iters 3000 --eval_interval 300"
"$gradus" train fables.txt $long --out_dir one >output 2>&1
with 4 train fables.txt $long --out_dir parts >output &
launched=$!
until [ -e parts/times.csv ] && [ "$(wc -l <parts/times.csv)" -gt 3 ]; do
  kill -0 $launched 2>/dev/null || failed "$case: it ended: $(cat output)"; sleep 0.05
done
pkill -TERM -n -f "out_dir parts" || true  # any one of them: all finish the same update
wait $launched || true
grep -q 'to continue: ' output || failed "$case: $(cat output)"
for n in 1 2; do
  rm -rf again; cp -r parts again
  if [ $n = 1 ]; then "$gradus" train --resume again >output 2>&1; else with $n train --resume again >output; fi ||
    failed "$case: $(cat output)"
  for file in checkpoint.safetensors model.safetensors; do
    cmp one/$file again/$file || failed "$case: $n processes"
  done
done

case="weights that are infinite at a save end all processes, in a line"
echo "  $case"
"$gradus" train fables.txt $small --tokenizer char --optimizer adamw --learning_rate 1 --warmup_iters 0 \
  --gradient_accumulation_steps 2 --max_iters 5 --lr_decay_iters 100 --out_dir infinite >output 2>&1
# A first moment of 3e38, and the checksum that gradus says the file then has.
python3 - "$gradus" infinite/checkpoint.safetensors <<'end'
import json, re, subprocess, sys
program, path = sys.argv[1:]
data = bytearray(open(path, "rb").read())
start = 8 + int.from_bytes(data[:8], "little")
header = json.loads(data[8:start])
place = start + next(header[name]["data_offsets"][0] for name in header if name.startswith("exp_avg."))
data[place:place + 4] = b"\xff\xff\x7f\x7f"
open(path, "wb").write(data)
output = subprocess.run([program, "info", path], capture_output=True, text=True).stderr
was, now = re.findall(r'"([0-9a-f]{16})"', output)
open(path, "wb").write(data.replace(was.encode(), now.encode(), 1))
end
for n in 1 2; do
  rm -rf again; cp -r infinite again
  output=$(timeout 60 "${mpirun[@]}" -n $n "$gradus" train --resume again --max_iters 9 --save_interval 1 2>&1) &&
    failed "$case: $n processes went on"
  [ "$(grep -c '^gradus' <<<"$output")" = 1 ] && grep -q 'step 6: the weight .* is no longer finite' <<<"$output" ||
    failed "$case: $n processes: $output"
done

case="what a new user meets: more processes than CPUs, --minutes, a proposal that can be pasted"
echo "  $case"
with 8 train fables.txt $small --batch_size 2 --max_iters 3 --out_dir many >output
[ "$(nproc)" -ge 8 ] || grep -q "^8 processes, each of 1 thread, share the $(nproc) CPUs\? of this machine" output ||
  failed "$case: $(cat output)"
grep -q "^to try it: mpirun -n 8 " output || failed "$case: $(cat output)"
with 8 train fables.txt --n_layer 1 --n_embd 16 --n_head 1 --max_iters 1 --eval_iters 1 --out_dir many --force >output
grep -q "^8 processes: each takes " output || failed "$case: $(cat output)"
with 2 train fables.txt --minutes 0.1 --out_dir minutes >output
spent=$(sed -n '$s/^[0-9]*,\([0-9]*\)[.].*/\1/p' minutes/times.csv)
[ "$spent" -ge 2 ] && [ "$spent" -le 12 ] || failed "$case: $spent s in training, not about 5: $(cat output)"

case="what cannot be"
echo "  $case"
refused 3 "gradus train: 3 processes, expected a power of two: 2, 4, 8, ..." train fables.txt
refused 3 "--gradient_accumulation_steps: 4 micro-batches cannot be divided among 3 processes" train fables.txt --gradient_accumulation_steps 4
refused 4 "6 micro-batches cannot be divided among 4 processes" train fables.txt --gradient_accumulation_steps 6
refused 2 "nowhere.txt: cannot open" train nowhere.txt
refused 2 "--n_layer" train fables.txt --n_layer many

if [ "${ALL:-}" ]; then
  case="20 kills of a random process"
  echo "  $case"
  for kill in $(seq 20); do
    rm -rf killed
    with 4 train fables.txt $long --save_interval 20 --max_iters 100000 --out_dir killed >output &
    launched=$!
    until [ -e killed/checkpoint.safetensors ]; do sleep 0.02; done
    sleep "0.$((RANDOM % 900 + 100))"
    mapfile -t those < <(pgrep -f "out_dir killed" | while read -r p; do
      [ "$(readlink "/proc/$p/exe")" = "$gradus" ] && echo "$p"; done)
    kill -KILL "${those[RANDOM % ${#those[@]}]}"
    for second in $(seq 100); do kill -0 $launched 2>/dev/null || break; sleep 0.1; done
    kill -0 $launched 2>/dev/null && failed "$case: the rest still runs after 10 seconds"
    wait $launched || true
    "$gradus" train --resume killed --max_iters 1 >output 2>&1 || true
    grep -q 'step\|finished' output || failed "$case: $(cat output)"
    "$gradus" info killed >output 2>&1 || failed "$case: $(cat output)"
  done
fi
echo "mpi-test: all the same bytes"
