#!/bin/sh
# make browser: GRADUS ANSWERS. Trains small models, writes a report of each, and opens them in Chromium.
# A line for each check; exit status 1 if anything is wrong. README.md says what to install.
#
#     BROWSER    folder of node_modules/ (default .build/browser)
#     CHROMIUM   the browser (default: chromium, from PATH)
#     REPORTS    names of the reports to check (default: all; finished is always written)
#     BROKEN     0: do not check the checks on reports broken on purpose
set -u
gradus=$(realpath "$1") answers=$2
here=$PWD/tests/browser
folder=${BROWSER:-.build/browser}
mkdir -p "$folder" && folder=$(realpath "$folder")
fables=$PWD/data/fables.txt
work=$folder/work
failed=0

fail() { failed=1; echo "browser: $*"; }
needs() { echo "browser: $1; see tests/browser/README.md"; exit 1; }
command -v node >/dev/null || needs 'node is not installed'
for package in playwright-core axe-core; do
  [ -d "$folder/node_modules/$package" ] || needs "$package is not in $folder/node_modules"
done
CHROMIUM=$(command -v "${CHROMIUM:-chromium}") || needs 'Chromium is not installed'
export CHROMIUM
"$gradus" report --help >/dev/null 2>&1 || needs 'gradus has no command report'

rm -rf "$work"
mkdir -p "$work/out"
# Runs beside node_modules, where node looks for packages.
cp "$here"/*.mjs "$here/.htmlvalidate.json" "$work"

# Runs a command; prints its output only if it fails.
quiet() {
  "$@" >"$work/log" 2>&1 && return
  fail "FAILED: $*"
  tail -n 5 "$work/log"
  return 1
}

small='--n_layer 2 --n_head 2 --n_embd 32 --block_size 32 --batch_size 8 --seed 1 --dtype float32'
# RUN TEXT FLAGS...
train() {
  run=$1 text=$2
  shift 2
  # shellcheck disable=SC2086
  quiet "$gradus" train "$text" --out_dir "$work/out/$run" $small --max_iters 200 --eval_interval 25 "$@"
}
# A prompt, if gradus asks for one while it trains or for the report.
prompt='<script>x</script> & "q"'
takes_prompt() { "$gradus" "$1" --help | grep -q -e '--prompt'; }

# NAME RUN...: NAME.html, and the list of its runs.
names=
report() {
  name=$1
  shift
  for run; do printf '%s\n' "$work/out/$run"; done >"$work/$name.runs"
  set -- --output "$work/$name.html"
  if [ "$name" = hostile ] && takes_prompt report; then set -- "$@" --prompt "$prompt"; fi
  while read -r run; do set -- "$@" "$run"; done <"$work/$name.runs"
  quiet "$gradus" report "$@" || return
  case " ${REPORTS-$name} " in *" $name "*) names="$names $name" ;; esac
}
wanted() { case " ${REPORTS-$1} " in *" $1 "*) ;; *) return 1 ;; esac; }

train finished "$fables" && report finished finished

# Stopped by a signal after the first evaluation; SIGTERM, since a shell's background job ignores SIGINT.
if wanted stopped; then
  : >"$work/stopped.out"
  # shellcheck disable=SC2086
  "$gradus" train "$fables" --out_dir "$work/out/stopped" $small --max_iters 1000000 --eval_interval 500000 \
    >"$work/stopped.out" 2>"$work/log" </dev/null &
  pid=$!
  until grep -q '^step 0:' "$work/stopped.out"; do
    kill -0 $pid 2>/dev/null || break
    sleep 0.05
  done
  kill -TERM $pid
  wait $pid
  status=$?
  if [ $status = 143 ]; then report stopped stopped; else fail "FAILED: train after SIGTERM: exit status $status"; fi
fi

if wanted single; then train single "$fables" --max_iters 0 && report single single; fi
if wanted two; then train two "$fables" --max_iters 1 && report two two; fi

# Words of five scripts, two from right to left; some joined or with marks, some beyond U+FFFF.
if wanted languages; then
  awk 'BEGIN {
    srand(1)
    n = split("лиса волк журавль виноград 狐狸 狼 葡萄 鶴 ثعلب ذئب عِنَب كُرْكِي שועל זאב ענבים עגור 🦊 🐺 🍇 👩‍🚀 🏳️‍🌈 नमस्ते ไก่ é é 𝔉𝔬𝔵 ﷽", words, " ")
    for (i = 0; i < 6000; ++i) printf "%s%s", words[int(rand() * n) + 1], i % 9 == 8 ? ".\n" : " "
  }' >"$work/языки 语言 لغات 🦊.txt"
  train languages "$work/языки 语言 لغات 🦊.txt" && report languages languages
fi

if wanted compare; then
  # shellcheck disable=SC2015
  train seed2 "$fables" --seed 2 && train shallow "$fables" --n_layer 1 --eval_interval 50 &&
    report compare finished seed2 shallow
fi

# Runs on two texts, of which one is gone since.
if wanted texts; then
  tr a-z n-za-m <"$fables" >"$work/other.txt"
  # shellcheck disable=SC2015
  train other "$work/other.txt" && train third "$fables" --seed 3 && rm "$work/other.txt" && report texts finished other third
fi

# A text, names of files and a prompt that would be HTML if gradus let them.
hostile='a<b>&"c'\'
file='<script>alert(5)<!--&"'\''.txt'
if wanted hostile; then
  awk 'BEGIN {
    srand(1)
    n = split("<script>alert(1)</script>|&amp;|&lt;b&gt;|\"\047|<!--|-->|]]>|<![CDATA[|</style>|</title>|</svg>|</details>|</textarea>|<img src=x onerror=alert(2)>|\" onload=\"alert(3)|javascript:alert(4)|{{7*7}}|${1}|\\u003c|http://example.com/", words, "|")
    for (i = 0; i < 4000; ++i) printf "%s%s", words[int(rand() * n) + 1], i % 5 == 4 ? "\n" : " "
  }' >"$work/plain.txt"
  i=0
  while [ $i -lt 200 ]; do
    sed -n "$((4 * i + 1)),$((4 * i + 4))p" "$work/plain.txt"
    printf '\000\001\002\033[31m\177\200\377\376\303(\355\240\200\364\220\200\200\302\205\342\200\250\342\200\256\r\n'
    i=$((i + 1))
  done >"$work/$file"
  set --
  if takes_prompt train; then set -- --prompt "$prompt"; fi
  # Long enough to write such words itself, in long samples.
  if train "$hostile" "$work/$file" --tokenizer byte --block_size 64 --max_iters 2000 --eval_interval 500 "$@" && report hostile "$hostile"; then
    if takes_prompt train || takes_prompt report; then printf '%s\n' "$prompt" >"$work/hostile.shows"; fi
    grep -aq '<script>' "$work/out/$hostile/samples.txt" || echo 'browser: hostile: no sample has <script>: less is proved'
  fi
fi

# Of the records only log.csv.
if wanted bare; then
  mkdir "$work/out/bare"
  cp "$work/out/finished"/*.safetensors "$work/out/finished/log.csv" "$work/out/bare"
  report bare bare
fi

node "$work/scale.mjs" train/report/chart.js || failed=1
# shellcheck disable=SC2086
node "$work/page.mjs" "$work" $names || failed=1
if [ -f out/page/index.html ]; then
  node "$work/trains.mjs" "$work" "$gradus" || failed=1
else
  echo 'browser: page: not there, and not checked; make page makes it'
fi
if [ -f out/site/index.html ]; then
  "$answers" <tests/book/live/changed.txt >"$work/answers.txt" || failed=1
  node "$work/site.mjs" "$work" || failed=1
else
  echo 'browser: site: not there, and not checked; make site makes it'
fi
[ "${BROKEN-1}" = 0 ] || node "$work/broken.mjs" "$work" || failed=1
[ $failed = 0 ] && echo "browser: screenshots and PDFs are in $work"
exit $failed
