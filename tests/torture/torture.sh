#!/usr/bin/env bash
# `make torture`: faults of every kind while a run saves. After each of them the old checkpoint or
# the new one is there, complete, and goes on to the same bytes as a run that was left alone.
#
#   torture.sh GRADUS [all|kill|signals|calls|faults|limits|memory|layouts]
#   KILLS=200 SIGNALS=100 LAYOUTS=20 ALLOCATIONS=400: how many of each
set -um  # -m: what runs in the background does not ignore SIGINT
gradus=$(realpath "$1")
what=${2:-all}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
head -c 30000 "$here/../../data/fables.txt" >tale.txt
flags="--n_layer 1 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 --eval_interval 10
       --eval_iters 1 --dropout 0.1 --warmup_iters 5 --lr_decay_iters 40 --save_interval 1"
failures=0
fail() { echo "  FAILED: $*"; failures=$((failures + 1)); }

train() { "$gradus" train "$@" >out.txt 2>err.txt; }
train tale.txt $flags --max_iters 40 --out_dir whole || { cat err.txt; exit 1; }

# A run in DIR ends in the bytes of the one that was never disturbed.
finishes_alike() {
  if [ -e "$1/checkpoint.safetensors" ]; then
    train --resume "$1" --max_iters 40
  else  # ended before its first save: nothing to go on from, nothing lost
    train tale.txt $flags --max_iters 40 --out_dir "$1" --force
  fi || { fail "$2: $(cat err.txt)"; return; }
  for file in checkpoint.safetensors model.safetensors log.csv samples.txt; do
    cmp -s "whole/$file" "$1/$file" || fail "$2: $file differs"
  done
  ls -A "$1" | grep -q gradus- && fail "$2: a temporary file is left"
}
one_line() { # of the messages in err.txt, says what went wrong
  [ "$(grep -cE '^gradus( train)?: ' err.txt)" = 1 ] || fail "$1: $(wc -l <err.txt) lines: $(tail -1 err.txt)"
}

# A run that a signal meets at a random moment between its start and its end.
interrupt() { # signal; sets status
  rm -rf run
  "$gradus" train tale.txt $flags --max_iters 40 --out_dir run >out.txt 2>err.txt &
  local pid=$!
  sleep "$((RANDOM % milliseconds))e-3"
  { kill "-$1" $pid; wait $pid; } 2>/dev/null
  status=$?
}
measure_a_run() {
  local begin=${EPOCHREALTIME/./}
  train tale.txt $flags --max_iters 40 --out_dir run --force
  milliseconds=$(((${EPOCHREALTIME/./} - begin) / 1000))
}

kill_at_random() {
  local n=0 count=${KILLS:-200}
  measure_a_run
  for i in $(seq "$count"); do
    interrupt KILL
    case $status in
      137) n=$((n + 1)) ;;
      0) ;;
      *) fail "kill $i: status $status" ;;
    esac
    finishes_alike run "kill $i"
  done
  echo "kill -9 at random moments of $milliseconds ms: $count runs, $n of them killed"
}

signal_at_random() {
  local n=0 count=${SIGNALS:-100}
  measure_a_run
  for i in $(seq "$count"); do
    interrupt INT
    case $status in
      130) n=$((n + 1)) ;;
      0) ;;
      *) fail "SIGINT $i: status $status" ;;
    esac
    finishes_alike run "SIGINT $i"
  done
  echo "SIGINT at random moments of $milliseconds ms: $count runs, $n of them stopped by it"
}

# One more step of a run at step 20, which saves, under strace with a fault in its N-th call.
# Every step is evaluated, since the last always is: going on from step 21 leaves no extra row.
prepare() {
  flags=${flags/--eval_interval 10/--eval_interval 1}
  rm -rf base whole
  train tale.txt $flags --max_iters 40 --out_dir whole || exit 1
  train tale.txt $flags --max_iters 20 --out_dir base || exit 1
}
saved_calls="openat write fsync rename close ftruncate"
under_strace() { # injection; bash announces what was killed: not here
  rm -rf run && cp -r base run
  strace -f -qq -o trace.txt -P "$work/run/checkpoint.safetensors" \
    -P "$work/run/.checkpoint.safetensors.gradus-1" -P "$work/run/model.safetensors" \
    -P "$work/run/.model.safetensors.gradus-1" -P "$work/run/log.csv" \
    -P "$work/run/times.csv" -P "$work/run/samples.txt" -P "$work/run/sessions.jsonl" -P "$work/run" \
    -e trace=openat,write,fsync,rename,close,ftruncate -e inject="$1" \
    "$gradus" train --resume "$work/run" --max_iters 21 >out.txt 2>err.txt
}
at_every_call() { # kill | error...
  local cases=0
  for call in $saved_calls; do
    for n in $(seq 1 40); do
      for fault in "$@"; do
        { under_strace "$call:$fault:when=$n"; } 2>/dev/null
        local status=$?
        grep -qE 'INJECTED|SIGKILL' trace.txt || continue 2
        cases=$((cases + 1))
        if [ "$fault" != signal=SIGKILL ]; then
          if [ $status = 0 ]; then
            # A run goes on without what its sessions record.
            [ $call = close ] || grep -q 'sessions.jsonl", O_RDONLY.*INJECTED' trace.txt ||
              fail "$call $n $fault: status 0"
          else
            [ $status = 1 ] || fail "$call $n $fault: status $status"
            one_line "$call $n $fault"
            ls -A run | grep -q gradus- && fail "$call $n $fault: a temporary file is left"
          fi
        fi
        "$gradus" info run/checkpoint.safetensors >/dev/null 2>err.txt ||
          fail "$call $n $fault: $(cat err.txt)"
        finishes_alike run "$call $n $fault"
      done
    done
  done
  echo "$* at every call of a save: $cases cases"
}

# Where a file system lacks a call that training can do without, a run is made all the same.
lacking() {
  local cases=0
  for fault in flock:{ENOSYS,ENOLCK,EOPNOTSUPP,EINVAL} fsync:{ENOSYS,EOPNOTSUPP,EINVAL} fchmod:EPERM; do
    rm -rf run
    for arguments in "tale.txt $flags --max_iters 20 --out_dir run" "--resume run --max_iters 40"; do
      strace -f -qq -o trace.txt -e trace="${fault%:*}" -e inject="${fault/:/:error=}" \
        "$gradus" train $arguments >out.txt 2>err.txt || fail "$fault: $(tail -1 err.txt)"
      grep -q INJECTED trace.txt || fail "$fault: not called"
      case $fault in flock*) grep -q 'run: its file system has no locks' err.txt || fail "$fault: no note" ;; esac
    done
    finishes_alike run "$fault"
    cases=$((cases + 1))
  done
  echo "file systems without a call: $cases cases"
}

limits() {
  prepare
  rm -rf run && cp -r base run
  (ulimit -f 8; exec "$gradus" train --resume run --max_iters 40) >out.txt 2>err.txt
  [ $? = 1 ] || fail "file size limit: status is not 1"
  one_line "file size limit"
  grep -q 'File too large' err.txt || fail "file size limit: $(tail -1 err.txt)"
  finishes_alike run "file size limit"
  if mkdir -p small && mount -t tmpfs -o size=64k none small 2>/dev/null; then
    train tale.txt $flags --max_iters 5 --out_dir small/run
    [ $? = 1 ] || fail "full disk: status is not 1"
    grep -q 'No space left' err.txt || fail "full disk: $(tail -1 err.txt)"
    ls -A small/run 2>/dev/null | grep -q gradus- && fail "full disk: a temporary file is left"
    umount small
  else
    echo "  (no permission to mount a tmpfs: full disk not tried)"
  fi
  "$gradus" train tale.txt $flags --max_iters 5 --out_dir devfull --force >/dev/full 2>err.txt
  [ $? = 1 ] || fail "/dev/full as standard output: status is not 1"
  "$gradus" train tale.txt $flags --max_iters 40 --out_dir closed --force >&- 2>&- <&-
  [ $? = 1 ] || fail "closed descriptors: status is not 1"
  cmp -s whole/checkpoint.safetensors closed/checkpoint.safetensors ||
    fail "closed descriptors: the checkpoint differs"
  echo "file size limit, full disk, /dev/full, closed descriptors"
}

memory() {
  cc -shared -fPIC -O1 -o fail_malloc.so "$here/fail_malloc.c" -ldl || { fail "cc"; return; }
  local cases=0 refused=0 count=${ALLOCATIONS:-400}
  for i in $(seq "$count"); do
    local n=$((i <= 200 ? i : RANDOM % 6000 + 200))
    rm -rf run && cp -r base run
    FAIL_AT=$n LD_PRELOAD=$work/fail_malloc.so "$gradus" train --resume run --max_iters 22 \
      >out.txt 2>err.txt
    local status=$?
    cases=$((cases + 1))
    case $status in
      0) ;;
      1) refused=$((refused + 1))
         one_line "allocation $n" ;;
      *) fail "allocation $n: status $status" ;;
    esac
    "$gradus" info run/checkpoint.safetensors >/dev/null 2>&1 || fail "allocation $n: checkpoint"
  done
  echo "out of memory at the N-th allocation: $cases cases, $refused ended by it"
}

layouts() {
  local count=${LAYOUTS:-20}
  for i in $(seq "$count"); do
    rm -rf run
    env "NOISE=$(head -c $((RANDOM % 5000)) /dev/zero | tr '\0' x)" MALLOC_PERTURB_=$((i * 11 % 256)) \
      "$gradus" train tale.txt $flags --max_iters 40 --threads $((i % 4 + 1)) --out_dir run \
      >out.txt 2>err.txt || fail "layout $i: $(tail -1 err.txt)"
    # The name of the directory is not in it, so all of them are one file.
    sha256sum <run/checkpoint.safetensors
  done | sort | uniq -c >sums.txt
  [ "$(wc -l <sums.txt)" = 1 ] || fail "layouts: $(wc -l <sums.txt) distinct results"
  echo "heap and environment layouts: $count, distinct results $(wc -l <sums.txt)"
}

case $what in all | kill) kill_at_random ;; esac
case $what in all | signals) signal_at_random ;; esac
if command -v strace >/dev/null; then
  case $what in all | calls) prepare; at_every_call signal=SIGKILL ;; esac
  case $what in all | faults) prepare; at_every_call error=EIO error=ENOSPC; lacking ;; esac
else
  echo "strace is not installed: faults of system calls not tried"
fi
case $what in all | limits) limits ;; esac
case $what in all | memory) prepare; memory ;; esac
case $what in all | layouts) layouts ;; esac
echo "torture: $failures failures"
[ $failures = 0 ]
