# Mistakes on a command line and in a config. A sentence stands here once; where it is said again, the
# flag or the file that it names.

== the command
$ mkdir tests
$ printf x > tests/main.cpp
$ gradus
! 2 gradus: no command, expected train, sample, chat, eval, info, report or export; gradus --help says more
$ gradus trian
! 2 gradus: "trian": unknown command, expected train, sample, chat, eval, info, report or export; did you mean train?
$ gradus generate m
! 2 gradus: "generate": *; gradus sample MODEL writes text
$ gradus finetune m
! 2 gradus: "finetune": *; gradus train TEXT --init_from MODEL begins with the weights of a model
$ gradus resume out/a
! 2 gradus: "resume": *; gradus train --resume DIR continues a run
$ gradus tests
! 2 gradus: "tests": *; gradus sample tests writes with a model
$ gradus tests/main.cpp
! 2 gradus: "tests/main.cpp": *; gradus train tests/main.cpp trains on a text
$ gradus Sample m
! 2 gradus: "Sample": *; did you mean sample?
gradus --n_layer 4  ! 2 "--n_layer"
gradus '' m         ! 2 ""
gradus $'a\nb'      ! 2 "a\nb"

== arguments without a flag
$ gradus train {|--n_layer 2}
! 2 gradus train: TEXT: missing, expected a text file or a directory of them
$ gradus train --dataset a.txt
! 2 gradus train: TEXT: missing, expected a text file or a directory of them; --dataset is not used, write gradus train FILE
$ gradus train ''
! 2 gradus train: "": an argument is empty, expected a file
$ gradus sample
! 2 gradus sample: MODEL: missing, expected a run's directory or a model's file
$ gradus sample {m|--out_dir m} ''
! 2 gradus sample: PROMPT: "" is empty; without a prompt, the model begins by itself
$ gradus sample m n o
! 2 gradus sample: "o": one argument too many, expected MODEL [PROMPT]; a prompt with spaces goes in quotes
$ gradus chat m n
! 2 gradus chat: "n": one argument too many, expected MODEL
$ gradus sample m The --prompt Fox
! 2 gradus sample: --prompt: "Fox", but PROMPT is "The"; expected one of them
$ gradus export m
! 2 gradus export: FORMAT: missing, expected hf, gguf or bin
$ gradus export m onnx p
! 2 gradus export: FORMAT: "onnx", expected hf, gguf or bin
$ gradus export m hf
! 2 gradus export: PATH: missing, expected what to write: a file for gguf, else a directory
gradus {info|eval|export}  ! 2 MODEL
gradus eval m              ! 2 TEXT
gradus sample '' p         ! 2 ""
gradus info m n            ! 2 "n"
gradus eval m a b          ! 2 "b"
gradus export m hf p q     ! 2 "q"
gradus report a --out_dir b  ! 2 --out_dir

== flags that are none
$ gradus train a --n_layr 4
! 2 gradus train: --n_layr: unknown flag; did you mean --n_layer?
$ gradus train a -n_layer 4
! 2 gradus train: -n_layer: unknown flag; did you mean --n_layer?
$ gradus sample m --temprature=1
! 2 gradus sample: --temprature: unknown flag; did you mean --temperature?
$ gradus sample m -n4
! 2 gradus sample: -n4: unknown flag; did you mean -n 4?
$ gradus train a --no-qk-norm
! 2 gradus train: --no-qk-norm: unknown flag; did you mean --qk_norm false?
$ gradus train a --forse
! 2 gradus train: --forse: unknown flag; gradus train --help lists all flags
$ gradus train a --top_k 4
! 2 gradus train: --top_k: is not for gradus train, see gradus train --help
$ gradus train a --eval{-|_}only
! 2 gradus train: --eval*only: gradus eval MODEL TEXT measures a model's loss on a text
$ gradus train a --{epochs|num_epochs|num_train_epochs} 3
! 2 gradus train: --*epochs: gradus counts updates of the weights, --max_iters N, or minutes, --minutes M
$ gradus train a --max-steps=3
! 2 gradus train: --max-steps: is called --max_iters here
$ gradus train -f a
! 2 gradus train: -f: a text is given without a flag, gradus train FILE
$ gradus train a --model gpt2
! 2 gradus train: --model: --init_from MODEL begins with the weights of a model, --arch chooses an architecture
$ gradus sample {-m model|m --init_from=x}
! 2 gradus sample: -*: the model is given without a flag, gradus sample MODEL
gradus train a --qqqq              ! 2 --qqqq
gradus train a --no-text           ! 2 --no-text
gradus train a --=4                ! 2 --
gradus train a $'--\x1b[31m\n'     ! 2 --\x1b[31m\n
gradus train a -n 4                ! 2 -n
gradus sample m --n_layer 4        ! 2 --n_layer
gradus sample m --causal false     ! 2 --causal
gradus sample m --config c.py      ! 2 --config
gradus info m --threads 1          ! 2 --threads
gradus train a --output d          ! 2 --output
gradus sample m --length 20        ! 2 --length

== values that are missing
$ gradus train a --n_layer
! 2 gradus train: --n_layer: the value is missing, expected N
$ gradus train a --n_layer --n_head 4
! 2 gradus train: --n_layer: the value is missing, expected N, found "--n_head"
$ gradus sample m -p -n 5
! 2 gradus sample: -p: the value is missing, expected TEXT, found "-n"; if that is the value, write -p=-n
$ gradus sample m --prompt --
! 2 gradus sample: --prompt: the value is missing, expected TEXT, found "--"; if that is the value, write --prompt=--
$ gradus train a -o -n_layer 3
! 2 gradus train: -o: the value is missing, expected DIR, found "-n_layer"; if that is the value, write -o=-n_layer
$ gradus train a -o -t=4
! 2 gradus train: -o: the value is missing, expected DIR, found "-t=4"; if that is the value, write -o=*-t=4*
$ gradus train --init_from=resume
! 2 gradus train: --init_from: resume needs --out_dir, the run's directory
gradus train a --bias             ! 2 --bias
gradus train a --config           ! 2 --config
gradus train a --attention_scale  ! 2 --attention_scale
gradus train --resume             ! 2 --resume
gradus sample m --stop -n 40      ! 2 --stop
gradus sample m -o -f             ! 2 -o
gradus sample m -n -top_k         ! 2 -n

== a value that is not UTF-8 [posix]
$ gradus train a --max_iters $'\xff'
! 2 gradus train: --max_iters: "\xff" is not a whole number (0..1000000000)

== values: every number's limits are in flag_limits_test.cpp
$ gradus train a --max_iters 10x
! 2 gradus train: --max_iters: "10x" is not a whole number (0..1000000000)
$ gradus train a --max_iters -5
! 2 gradus train: --max_iters: "-5" is not in 0..1000000000
$ gradus train a --max_iters $'1\n2'
! 2 gradus train: --max_iters: "1\n2" is not a whole number (0..1000000000)
$ gradus train a --max_iters 9999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999
! 2 gradus train: --max_iters: "9999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999..." is not in 0..1000000000
$ gradus train a --seed {18446744073709551616|-9223372036854775809|1.5}
! 2 gradus train: --seed: "*" is not a whole number of at most 64 bits
$ gradus train a --dropout nan
! 2 gradus train: --dropout: "nan" is not a number in [0, 1)
$ gradus train a --dropout 1
! 2 gradus train: --dropout: "1" is not in [0, 1)
$ gradus train a --minutes 0
! 2 gradus train: --minutes: "0" is not in (0, 100000]
$ gradus train a --bias yes
! 2 gradus train: --bias: "yes" is not true or false
$ gradus train a --activation GELU
! 2 gradus train: --activation: "GELU" is not one of gelu, gelu_tanh, relu, relu2, swiglu
$ gradus train a --attention_scale {x|0|1001|''}
! 2 gradus train: --attention_scale: "*" is not sqrt, none or a number (0, 1000]
$ gradus train a --tokenizer {chr|'char|byte'}
! 2 gradus train: --tokenizer: "*" is not one of char, byte, word, bpe, auto, nor a directory with vocab.json and merges.txt
$ gradus train a --{config|out_dir|init_from}=
! 2 gradus train: --*: "" is empty, expected at least one character
gradus train a --{max_iters=|max_iters=1e3|max_iters=10.0}  ! 2 --max_iters
gradus train a --block-size=x         ! 2 --block-size
gradus train a --lr 1x                ! 2 --lr
gradus train a --bias 1               ! 2 --bias
gradus train a --decay_lr=            ! 2 --decay_lr
gradus train a --force=maybe          ! 2 --force
gradus train a --optimizer sgd        ! 2 --optimizer
gradus train a --lr_schedule step     ! 2 --lr_schedule
gradus sample m --unknown ignore      ! 2 --unknown
gradus sample m --prompt ''           ! 2 --prompt
gradus sample m --stop=               ! 2 --stop
gradus export m gguf p --dtype q4_0   ! 2 --dtype

== several together
$ gradus train a --n_embd 128 --n_head 3
! 2 gradus train: --n_head: 128 channels are not divisible by 3 heads
$ gradus train a --learning_rate 1e-5 --min_lr 1e-4
! 2 gradus train: --min_lr: 0.0001 is above --learning_rate 1e-05
$ gradus train a --tokenizer char --vocab_size 1000
! 2 gradus train: --vocab_size: is for --tokenizer bpe or auto, found char
$ gradus train a {--optimizer adamw|--init_from m} --momentum 0.9
! 2 gradus train: --momentum: is for --optimizer muon, found adamw
$ gradus train a {--arch gpt2|--position learned} --rope_theta 500
! 2 gradus train: --rope_theta: is for --position rope, found learned
$ gradus train a --eval_iters 20 --eval_tokens 500
! 2 gradus train: --eval_tokens: is for --eval_iters 0, found 20
$ gradus train a --decay_lr false {--warmup_iters 5|--lr_schedule linear|--lr_decay_iters 9|--min_lr 0}
! 2 gradus train: --*: is for --decay_lr true, found false
$ gradus train a --minutes 5 --max_iters 10
! 2 gradus train: --minutes: chooses max_iters, found --max_iters 10 as well
$ gradus train a --init_from m --arch llama
! 2 gradus train: --arch: cannot be given with --init_from, which takes it from the model
$ gradus train --resume d --init_from m
! 2 gradus train: --init_from: begins a run, --resume continues one; expected one of them
$ gradus train --resume d --force
! 2 gradus train: --force: replaces a run, --resume continues it; expected one
$ gradus train --resume d --out_dir e
! 2 gradus train: --out_dir: a resumed run stays in "d", found "e"
$ gradus sample m --interactive -o f
! 2 gradus sample: --output: cannot be combined with --interactive, which writes to standard output
$ gradus export m hf p --dtype q8_0
! 2 gradus export: --dtype: is for gguf; hf holds float32
$ gradus export m bin p --dtype q8_0
! 2 gradus export: --dtype: is for gguf; bin holds tokens
$ gradus report a --watch --prompt -
! 2 gradus report: --watch: reads the prompt more than once, so --prompt - cannot be read
$ gradus report a --watch --output -
! 2 gradus report: --watch: needs a file that it can rewrite, found --output -
$ gradus report a b --watch
! 2 gradus report: --watch: is for the report of one run, found 2 runs
$ gradus report a b --prompt x
! 2 gradus report: --prompt: is for the report of one run, found 2 runs
gradus train a --init_from m --tokenizer byte  ! 2 --tokenizer

== in a config: each mistake has its line, and its number
$ repeat 5000 a > a.txt
$ gradus train a.txt --config c.py
c.py| n_layer
c.py| n_layer 6
c.py| n_layer == 6
c.py| n_layer += 6
c.py| if True:\n  n_layer = 6
c.py| 6 = n_layer
c.py| """ doc """
c.py| n_layer\x00= 6
! 1 gradus train: c.py: line 1: expected key = value, found "*"
$ gradus train a.txt --config c.py
c.py| n_layer =
c.py| n_layer = six
c.py| n_layer = true
c.py| n_layer = 6 +
c.py| n_layer = * 2
c.py| n_layer = (2
c.py| n_layer = ()
c.py| n_layer = -
c.py| n_layer = 0x10
c.py| n_layer = 1_
c.py| n_layer = nan
c.py| learning_rate = 1e400
c.py| attention_scale = none
c.py| out_dir = out
c.py| out_dir = 'a' 'b'
c.py| n_layer = 2 // 2
! 1 gradus train: c.py: line 1: expected a number, a quoted string, True, False, a key set above, or these joined by + - \* / \*\* ( ), found "*"
$ gradus train a.txt --config c.py
c.py| n_layer = 2 if 1
c.py| n_layer = 2 if 1 else
c.py| n_layer = 2 if elsewhere
c.py| n_layer = 'a' < 2
c.py| n_layer = 2 * 2 == 4
! 1 gradus train: c.py: line 1: expected *, found "*"; if, else and comparisons are not read
$ gradus train a.txt --config c.py
c.py| min_lr = learning_rate / 10
! 1 gradus train: c.py: line 1: no value was given to learning_rate before "learning_rate / 10"
$ gradus train a.txt --config c.py
c.py| n_layer = '6'
c.py| n_layer = '\xfe\x09'
c.py| causal = 'False'
c.py| bias = 'True'
! 1 gradus train: c.py: line 1: *: "*" is a string, expected a value without quotes
$ gradus train a.txt --config c.py
c.py| out_dir = 6
! 1 gradus train: c.py: line 1: out_dir: "6" is not a string, expected it in quotes
$ gradus train a.txt --config c.py
c.py| out_dir = 'out
c.py| out_dir = 'out"
c.py| out_dir = '\\
! 1 gradus train: c.py: line 1: expected ' at the end of "'*"
$ gradus train a.txt --config c.py
c.py| \n\nn_layr = 6
! 1 gradus train: c.py: line 3: n_layr: unknown key; did you mean n_layer?
$ gradus train a.txt --config c.py
c.py| # ok\ninit_from = 'resume'
! 1 gradus train: c.py: line 2: init_from: "resume" is not supported in a config: --resume DIR continues a run
$ gradus train a.txt --config c.py
c.py| max_iters = 9223372036854775807 * 2
! 1 gradus train: c.py: line 1: max_iters: "18446744073709551616" is not in 0..1000000000
gradus train a.txt --config c.py  ! 1 c.py: line 1: n_layer
c.py| n_layer = 1 / 0
c.py| n_layer = 5 / 2
c.py| n_layer = True
c.py| n_layer = 2.5
c.py| n_layer = 2 * 0.75
c.py| n_layer = 40 * 50
c.py| n_layer = 0
gradus train a.txt --config c.py  ! 1 c.py: line 1: *
c.py| attention_scale = 'X'
c.py| attention_scale = True
c.py| bias = 1
c.py| out_dir = ''
c.py| learning_rate = 1e300 * 1e300
c.py| top_k = 6
c.py| config = 'c.py'

== in a config: files that are none, too long, or whose second line is wrong
$ repeat 5000 a > a.txt
$ repeat 1048574 ' ' > long
$ printf '\nx' > end
$ cat long end > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 2: expected key = value, found "x"
$ repeat 1048577 ' ' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: has 1048577 bytes, expected at most 1048576
$ gradus train a.txt --config none.py
! 1 gradus train: none.py: cannot open: No such file or directory
$ gradus train a.txt --config .
! 1 gradus train: .: is a directory, expected a file
$ printf 'n_layer = ' > key
$ repeat 100000 '(' > value
$ cat key value > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: expected a number, *
# What is wrong before a config comes first: it is not even opened.
gradus train --n_layer x --config none.py a.txt  ! 2 --n_layer

== in a config: all mistakes at once, up to five
$ gradus train a --config c.py
c.py| n_layr = 6; bias = 1\nn_layer = 2\nn_head = 0
! 1 gradus train: c.py: line 1: n_layr: unknown key; did you mean n_layer?; line 1: bias: "1" is not true or false; line 3: n_head: "0" is not in 1..65536
$ gradus train a --config c.py
c.py| a\nb\nc\nd\ne\nf\ng\nn_layer = 6
! 1 gradus train: c.py: line 1: *found "a"; line 2: *; line 3: *; line 4: expected key = value, found "d"; line 5: expected key = value, found "e"; and 2 more
gradus train a --config c.py  ! 2 --n_head
c.py| n_head = 3\nn_embd = 128

== in a config: keys of other programs are answered like flags
$ gradus train a --config c.py
c.py| eval_only = True
! 1 gradus train: c.py: line 1: eval_only: gradus eval MODEL TEXT measures a model's loss on a text
$ gradus train a --config c.py
c.py| hidden_size = 64
! 1 gradus train: c.py: line 1: hidden_size: is called --n_embd here
gradus train a --config c.py  ! 1 c.py: line 2: epochs
c.py| n_layer = 2\nepochs = 3

== what cannot be, said before the text is read
$ repeat 5000 a > a.txt
$ gradus train a.txt --init_from gpt2
! 1 gradus train: gpt2: cannot open: No such file or directory; gradus downloads nothing: MODEL is the directory of the model's files from the hub
$ gradus train a.txt --n_layer 1000 --n_embd 65536 --n_head 1 --block_size 64
! 1 gradus train: training needs about * GB of memory, this machine has * GB; a smaller --n_embd, --n_layer, --block_size or --batch_size needs less
$ gradus train --resume none
! 1 gradus train: none: is not a directory, expected a run's directory
