# Every mistake on a command line and in a config has its line.

== the command
$ gradus
! 2 gradus: no command, expected train, sample, chat, eval, info, report or export; gradus --help says more
$ gradus trian
! 2 gradus: "trian": unknown command, expected train, sample, chat, eval, info, report or export; did you mean train?
$ gradus --n_layer 4
! 2 gradus: "--n_layer": unknown command, expected train, sample, chat, eval, info, report or export
$ gradus Sample m
! 2 gradus: "Sample": unknown command, expected train, sample, chat, eval, info, report or export; did you mean sample?
$ gradus '' m
! 2 gradus: "": unknown command, expected train, sample, chat, eval, info, report or export
$ gradus generate m
! 2 gradus: "generate": unknown command, expected train, sample, chat, eval, info, report or export; gradus sample MODEL writes text
$ gradus finetune m
! 2 gradus: "finetune": unknown command, expected train, sample, chat, eval, info, report or export; gradus train TEXT --init_from MODEL begins with the weights of a model
$ mkdir tests
$ printf x > tests/main.cpp
$ gradus tests
! 2 gradus: "tests": unknown command, expected train, sample, chat, eval, info, report or export; gradus sample tests writes with a model
$ gradus tests/main.cpp
! 2 gradus: "tests/main.cpp": unknown command, expected train, sample, chat, eval, info, report or export; gradus train tests/main.cpp trains on a text
$ gradus $'a\nb'
! 2 gradus: "a\nb": unknown command, expected train, sample, chat, eval, info, report or export
$ ls
1> tests

== arguments without a flag
$ gradus train
! 2 gradus train: TEXT: missing, expected a text file or a directory of them
$ gradus train --n_layer 2
! 2 gradus train: TEXT: missing, expected a text file or a directory of them
$ gradus train ''
! 2 gradus train: "": an argument is empty, expected a file
$ gradus sample
! 2 gradus sample: MODEL: missing, expected a run's directory or a model's file
$ gradus info
! 2 gradus info: MODEL: missing, expected a run's directory or a model's file
$ gradus eval
! 2 gradus eval: MODEL: missing, expected a run's directory or a model's file
$ gradus eval m
! 2 gradus eval: TEXT: missing, expected a text file or a directory of them
$ gradus sample m ''
! 2 gradus sample: PROMPT: "" is empty; without a prompt, the model begins by itself
$ gradus sample '' p
! 2 gradus sample: "": an argument is empty, expected a file
$ gradus sample --out_dir m ''
! 2 gradus sample: PROMPT: "" is empty; without a prompt, the model begins by itself
$ gradus sample m n o
! 2 gradus sample: "o": one argument too many, expected MODEL [PROMPT]; a prompt with spaces goes in quotes
$ gradus chat m n
! 2 gradus chat: "n": one argument too many, expected MODEL
$ gradus info m n
! 2 gradus info: "n": one argument too many, expected MODEL
$ gradus eval m a b
! 2 gradus eval: "b": one argument too many, expected MODEL TEXT
$ ls
1>

== flags that are none
$ gradus train a --n_layr 4
! 2 gradus train: --n_layr: unknown flag; did you mean --n_layer?
$ gradus train a --block-sise=4
! 2 gradus train: --block-sise: unknown flag; did you mean --block_size?
$ gradus train a --block-size=x
! 2 gradus train: --block-size: "x" is not a whole number (1..1048576)
$ gradus train a --lr 1x
! 2 gradus train: --lr: "1x" is not a number in [0, 1000]
$ gradus train a --forse
! 2 gradus train: --forse: unknown flag; gradus train --help lists all flags
$ gradus train a --qqqq
! 2 gradus train: --qqqq: unknown flag; gradus train --help lists all flags
$ gradus train a --eval_only=True
! 2 gradus train: --eval_only: gradus eval MODEL TEXT measures a model's loss on a text
$ gradus train --init_from=resume
! 2 gradus train: --init_from: resume needs --out_dir, the run's directory
$ gradus sample m --interactive -o f
! 2 gradus sample: --output: cannot be combined with --interactive, which writes to standard output
$ gradus train a --confg=c
! 2 gradus train: --confg: unknown flag; did you mean --config?
$ gradus train a --hlep
! 2 gradus train: --hlep: unknown flag; did you mean --help?
$ gradus train a --=4
! 2 gradus train: --: unknown flag; gradus train --help lists all flags
$ gradus train a -n 4
! 2 gradus train: -n: is not for gradus train, see gradus train --help
$ gradus train a -n_layer 4
! 2 gradus train: -n_layer: unknown flag; did you mean --n_layer?
$ gradus train a --N_LAYER 4
! 2 gradus train: --N_LAYER: unknown flag; did you mean --n_layer?
$ gradus sample m --temprature=1
! 2 gradus sample: --temprature: unknown flag; did you mean --temperature?
$ gradus train a --top_k 4
! 2 gradus train: --top_k: is not for gradus train, see gradus train --help
$ gradus sample m --n_layer 4
! 2 gradus sample: --n_layer: is not for gradus sample, see gradus sample --help
$ gradus sample m --config c.py
! 2 gradus sample: --config: is not for gradus sample, see gradus sample --help
$ gradus info m --threads 1
! 2 gradus info: --threads: is not for gradus info, see gradus info --help
$ gradus train a --epochs 3
! 2 gradus train: --epochs: gradus counts updates of the weights, --max_iters N, or minutes, --minutes M
$ gradus train a --max-steps=3
! 2 gradus train: --max-steps: is called --max_iters here
$ gradus train a --output d
! 2 gradus train: --output: is called --out_dir here
$ gradus train -f a
! 2 gradus train: -f: a text is given without a flag, gradus train FILE
$ gradus train a --model gpt2
! 2 gradus train: --model: --init_from MODEL begins with the weights of a model, --arch chooses an architecture
$ gradus sample m --length 20
! 2 gradus sample: --length: is called --max_new_tokens here
$ gradus sample m -n4
! 2 gradus sample: -n4: unknown flag; did you mean -n 4?
$ gradus train a --no-qk-norm
! 2 gradus train: --no-qk-norm: unknown flag; did you mean --qk_norm false?
$ gradus train a --no-text
! 2 gradus train: --no-text: unknown flag; gradus train --help lists all flags
$ gradus train a $'--\x1b[31m\n'
! 2 gradus train: --\x1b[31m\n: unknown flag; gradus train --help lists all flags
$ ls
1>

== values that are missing
$ gradus train a --n_layer
! 2 gradus train: --n_layer: the value is missing, expected N
$ gradus train a --bias
! 2 gradus train: --bias: the value is missing, expected true|false
$ gradus train a --config
! 2 gradus train: --config: the value is missing, expected FILE
$ gradus train a --config=
! 2 gradus train: --config: "" is empty, expected at least one character
$ gradus train a --n_layer --n_head 4
! 2 gradus train: --n_layer: the value is missing, expected N, found "--n_head"
$ gradus sample m -p -n 5
! 2 gradus sample: -p: the value is missing, expected TEXT, found "-n"; if that is the value, write -p=-n
$ gradus sample m --stop -n 40
! 2 gradus sample: --stop: the value is missing, expected TEXT, found "-n"; if that is the value, write --stop=-n
$ gradus sample m -o -f
! 2 gradus sample: -o: the value is missing, expected FILE, found "-f"; if that is the value, write -o=-f
$ gradus train a -o -t=4
! 2 gradus train: -o: the value is missing, expected DIR, found "-t=4"; if that is the value, write -o=*-t=4*
$ gradus sample m -n -top_k
! 2 gradus sample: -n: the value is missing, expected N, found "-top_k"
$ gradus sample m The --prompt Fox
! 2 gradus sample: --prompt: "Fox", but PROMPT is "The"; expected one of them
$ gradus report a --out_dir b
! 2 gradus report: --out_dir: "b", but RUN is "a"; expected one of them
$ gradus sample m --prompt --
! 2 gradus sample: --prompt: the value is missing, expected TEXT, found "--"; if that is the value, write --prompt=--
$ gradus train --dataset a.txt
! 2 gradus train: TEXT: missing, expected a text file or a directory of them; --dataset is not used, write gradus train FILE
$ gradus train a --eval-only
! 2 gradus train: --eval-only: gradus eval MODEL TEXT measures a model's loss on a text
$ gradus sample -m model
! 2 gradus sample: -m: the model is given without a flag, gradus sample MODEL
$ gradus resume out/a
! 2 gradus: "resume": unknown command, expected train, sample, chat, eval, info, report or export; gradus train --resume DIR continues a run
$ gradus train --resume
! 2 gradus train: --resume: the value is missing, expected DIR
$ ls
1>

== a value that is not UTF-8 [posix]
$ gradus train a --max_iters $'\xff'
! 2 gradus train: --max_iters: "\xff" is not a whole number (0..1000000000)

== whole numbers
$ gradus train a --max_iters 10x
! 2 gradus train: --max_iters: "10x" is not a whole number (0..1000000000)
$ gradus train a --max_iters=
! 2 gradus train: --max_iters: "" is not a whole number (0..1000000000)
$ gradus train a --max_iters=1e3
! 2 gradus train: --max_iters: "1e3" is not a whole number (0..1000000000)
$ gradus train a --max_iters=10.0
! 2 gradus train: --max_iters: "10.0" is not a whole number (0..1000000000)
$ gradus train a --max_iters -5
! 2 gradus train: --max_iters: "-5" is not in 0..1000000000
$ gradus train a --max_iters 1000000001
! 2 gradus train: --max_iters: "1000000001" is not in 0..1000000000
$ gradus train a --max_iters 12345678901234567890
! 2 gradus train: --max_iters: "12345678901234567890" is not in 0..1000000000
$ gradus train a --max_iters 9999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999
! 2 gradus train: --max_iters: "9999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999..." is not in 0..1000000000
$ gradus train a --max_iters $'1\n2'
! 2 gradus train: --max_iters: "1\n2" is not a whole number (0..1000000000)
$ gradus train a --max_iters ' 5'
! 2 gradus train: --max_iters: " 5" is not a whole number (0..1000000000)
$ gradus train a --max_iters +5
! 2 gradus train: --max_iters: "+5" is not a whole number (0..1000000000)
$ gradus train a --max_iters 0x10
! 2 gradus train: --max_iters: "0x10" is not a whole number (0..1000000000)
$ gradus train a --n_layer 0
! 2 gradus train: --n_layer: "0" is not in 1..1000
$ gradus train a --batch_size 0
! 2 gradus train: --batch_size: "0" is not in 1..1048576
$ gradus train a --block_size 9999999
! 2 gradus train: --block_size: "9999999" is not in 1..1048576
$ gradus train a --eval_interval 0
! 2 gradus train: --eval_interval: "0" is not in 1..1000000000
$ gradus train a --threads 0
! 2 gradus train: --threads: "0" is not in 1..256
$ gradus train a --threads 257
! 2 gradus train: --threads: "257" is not in 1..256
$ gradus train a --vocab_size 255 --tokenizer bpe
! 2 gradus train: --vocab_size: "255" is not in 256..1000000
$ gradus train a --seed 18446744073709551616
! 2 gradus train: --seed: "18446744073709551616" is not a whole number of at most 64 bits
$ gradus train a --seed -9223372036854775809
! 2 gradus train: --seed: "-9223372036854775809" is not a whole number of at most 64 bits
$ gradus train a --seed 1.5
! 2 gradus train: --seed: "1.5" is not a whole number of at most 64 bits
$ gradus sample m --num_samples 0
! 2 gradus sample: --num_samples: "0" is not in 1..1000000000
$ gradus sample m --top_k -1
! 2 gradus sample: --top_k: "-1" is not in 0..1000000000
$ ls
1>

== numbers
$ gradus train a --dropout 1
! 2 gradus train: --dropout: "1" is not in [0, 1)
$ gradus train a --dropout -0.1
! 2 gradus train: --dropout: "-0.1" is not in [0, 1)
$ gradus train a --dropout nan
! 2 gradus train: --dropout: "nan" is not a number in [0, 1)
$ gradus train a --dropout 0,1
! 2 gradus train: --dropout: "0,1" is not a number in [0, 1)
$ gradus train a --learning_rate inf
! 2 gradus train: --learning_rate: "inf" is not a number in [0, 1000]
$ gradus train a --learning_rate 1e400
! 2 gradus train: --learning_rate: "1e400" is not in [0, 1000]
$ gradus train a --learning_rate -1e-3
! 2 gradus train: --learning_rate: "-1e-3" is not in [0, 1000]
$ gradus train a --learning_rate fast
! 2 gradus train: --learning_rate: "fast" is not a number in [0, 1000]
$ gradus train a --beta2 1
! 2 gradus train: --beta2: "1" is not in [0, 1)
$ gradus train a --grad_clip -1
! 2 gradus train: --grad_clip: "-1" is not in [0, 1000000000]
$ gradus train a --val_fraction 1
! 2 gradus train: --val_fraction: "1" is not in [0, 1)
$ gradus train a --minutes 0
! 2 gradus train: --minutes: "0" is not in (0, 100000]
$ gradus sample m --temperature -1
! 2 gradus sample: --temperature: "-1" is not in [0, 1000]
$ gradus sample m --temperature 0x1p3
! 2 gradus sample: --temperature: "0x1p3" is not a number in [0, 1000]
$ gradus sample m --top_p 0
! 2 gradus sample: --top_p: "0" is not in (0, 1]
$ gradus sample m --top_p 1.01
! 2 gradus sample: --top_p: "1.01" is not in (0, 1]
$ gradus sample m --min_p 2
! 2 gradus sample: --min_p: "2" is not in [0, 1]
$ gradus sample m --repetition_penalty 0
! 2 gradus sample: --repetition_penalty: "0" is not in (0, 1000]
$ ls
1>

== words
$ gradus train a --bias yes
! 2 gradus train: --bias: "yes" is not true or false
$ gradus train a --bias 1
! 2 gradus train: --bias: "1" is not true or false
$ gradus train a --decay_lr=
! 2 gradus train: --decay_lr: "" is not true or false
$ gradus train a --force=maybe
! 2 gradus train: --force: "maybe" is not true or false
$ gradus train a --tokenizer chr
! 2 gradus train: --tokenizer: "chr" is not one of char, byte, word, bpe, auto, nor a directory with vocab.json and merges.txt
$ gradus train a --tokenizer 'char|byte'
! 2 gradus train: --tokenizer: "char|byte" is not one of char, byte, word, bpe, auto, nor a directory with vocab.json and merges.txt
$ gradus train a --activation GELU
! 2 gradus train: --activation: "GELU" is not one of gelu, gelu_tanh, relu, relu2, swiglu
$ gradus train a --attention_scale x
! 2 gradus train: --attention_scale: "x" is not sqrt, none or a number (0, 1000]
$ gradus train a --attention_scale=0
! 2 gradus train: --attention_scale: "0" is not sqrt, none or a number (0, 1000]
$ gradus train a --attention_scale=1001
! 2 gradus train: --attention_scale: "1001" is not sqrt, none or a number (0, 1000]
$ gradus train a --attention_scale=
! 2 gradus train: --attention_scale: "" is not sqrt, none or a number (0, 1000]
$ gradus train a --attention_scale
! 2 gradus train: --attention_scale: the value is missing, expected sqrt|none|X
$ gradus train a --causal no
! 2 gradus train: --causal: "no" is not true or false
$ gradus sample m --causal false
! 2 gradus sample: --causal: is not for gradus sample, see gradus sample --help
$ gradus sample m --unknown ignore
! 2 gradus sample: --unknown: "ignore" is not one of error, skip
$ gradus train a --out_dir=
! 2 gradus train: --out_dir: "" is empty, expected at least one character
$ gradus sample m --prompt ''
! 2 gradus sample: --prompt: "" is empty, expected at least one character
$ gradus sample m --stop=
! 2 gradus sample: --stop: "" is empty, expected at least one character
$ gradus train a --init_from=
! 2 gradus train: --init_from: "" is empty, expected at least one character
$ gradus sample m --init_from=x
! 2 gradus sample: --init_from: the model is given without a flag, gradus sample MODEL
$ gradus export
! 2 gradus export: MODEL: missing, expected a run's directory or a model's file
$ gradus export m
! 2 gradus export: FORMAT: missing, expected hf, gguf or bin
$ gradus export m onnx p
! 2 gradus export: FORMAT: "onnx", expected hf, gguf or bin
$ gradus export m hf
! 2 gradus export: PATH: missing, expected what to write: a file for gguf, else a directory
$ gradus export m hf p q
! 2 gradus export: "q": one argument too many, expected MODEL FORMAT PATH
$ gradus export m hf p --dtype q8_0
! 2 gradus export: --dtype: is for gguf; hf holds float32
$ gradus export m bin p --dtype q8_0
! 2 gradus export: --dtype: is for gguf; bin holds tokens
$ gradus export m gguf p --dtype q4_0
! 2 gradus export: --dtype: "q4_0" is not one of float32, float16, bfloat16, q8_0
$ gradus train a --init_from m --arch llama
! 2 gradus train: --arch: cannot be given with --init_from, which takes it from the model
$ gradus train a --init_from m --tokenizer byte
! 2 gradus train: --tokenizer: cannot be given with --init_from, which takes it from the model
$ gradus train --resume d --init_from m
! 2 gradus train: --init_from: begins a run, --resume continues one; expected one of them
$ ls
1>

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
$ gradus report a --watch --prompt -
! 2 gradus report: --watch: reads the prompt more than once, so --prompt - cannot be read
$ gradus report a --watch --output -
! 2 gradus report: --watch: needs a file that it can rewrite, found --output -
$ gradus report a b --watch
! 2 gradus report: --watch: is for the report of one run, found 2 runs
$ gradus report a b --prompt x
! 2 gradus report: --prompt: is for the report of one run, found 2 runs
$ gradus train --resume d --force
! 2 gradus train: --force: replaces a run, --resume continues it; expected one
$ gradus train --resume d --out_dir e
! 2 gradus train: --out_dir: a resumed run stays in "d", found "e"
$ ls
1>

== in a config: each mistake has its line, and its number
$ printf 'n_layer' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: expected key = value, found "n_layer"
$ cat > c.py
| 
| 
| n_layer 6
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 3: expected key = value, found "n_layer 6"
$ printf 'n_layer == 6' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: expected key = value, found "n_layer == 6"
$ printf 'n_layer += 6' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: expected key = value, found "n_layer += 6"
$ cat > c.py
| if True:
|   n_layer = 6
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: expected key = value, found "if True:"
$ printf '6 = n_layer' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: expected key = value, found "6 = n_layer"
$ printf '= 6' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: expected key = value, found "= 6"
$ printf 'importance' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: expected key = value, found "importance"
$ printf '""" doc """' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: expected key = value, found "\"\"\" doc \"\"\""
$ printf 'n_layer\x00= 6' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: expected key = value, found "n_layer\x00= 6"
$ printf 'n_layer =' > e1.py
$ printf 'n_layer = # 6' > e2.py
$ printf 'n_layer = six' > e3.py
$ printf 'n_layer = None' > e4.py
$ printf 'n_layer = true' > e5.py
$ printf 'n_layer = 6 +' > e6.py
$ printf 'n_layer = 2 *' > e7.py
$ printf 'n_layer = * 2' > e8.py
$ printf 'n_layer = (2' > e9.py
$ printf 'n_layer = 2)' > e10.py
$ printf 'n_layer = ()' > e11.py
$ printf 'n_layer = -' > e12.py
$ printf "n_layer = -'2'" > e13.py
$ printf 'n_layer = 0x10' > e14.py
$ printf 'n_layer = 1_' > e15.py
$ printf 'n_layer = 1__0' > e16.py
$ printf 'n_layer = nan' > e17.py
$ printf 'learning_rate = 1e400' > e18.py
$ printf 'attention_scale = none' > e19.py
$ printf 'out_dir = out' > e20.py
$ printf "out_dir = 'a' 'b'" > e21.py
$ printf "out_dir = 'a' + 'b'" > e22.py
$ printf 'n_layer = 2 // 2' > e23.py
$ printf 'n_layer = 2 ** * 2' > e24.py
$ gradus train a.txt --config {e1.py|e2.py|e3.py|e4.py|e5.py|e6.py|e7.py|e8.py|e9.py|e10.py|e11.py|e12.py|e13.py|e14.py|e15.py|e16.py|e17.py|e18.py|e19.py|e20.py|e21.py|e22.py|e23.py|e24.py}
! 1 gradus train: *: line 1: expected a number, a quoted string, True, False, a key set above, or these joined by + - \* / \*\* ( ), found "*"
$ printf 'n_layer = 2 if 1' > if1.py
$ printf 'n_layer = 2 if 1 else' > if2.py
$ printf 'n_layer = 2 if elsewhere' > if3.py
$ printf "n_layer = 'a' < 2" > if4.py
$ printf 'n_layer = 2 * 2 == 4' > if5.py
$ gradus train a.txt --config {if1.py|if2.py|if3.py|if4.py|if5.py}
! 1 gradus train: *: line 1: expected *, found "*"; if, else and comparisons are not read
$ printf 'n_layer = 1 / 0' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: n_layer: "inf" is not a whole number (1..1000)
$ printf 'n_layer = 5 / 2' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: n_layer: "2.5" is not a whole number (1..1000)
$ printf 'min_lr = learning_rate / 10' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: no value was given to learning_rate before "learning_rate / 10"
$ printf "n_layer = '6'" > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: n_layer: "6" is a string, expected a value without quotes
$ printf 'n_layer = \x27\xfe\x09\x27' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: n_layer: "\xfe\t" is a string, expected a value without quotes
$ printf 'n_layer = True' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: n_layer: "true" is not a whole number (1..1000)
$ printf "attention_scale = 'X'" > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: attention_scale: "X" is not sqrt, none or a number (0, 1000]
$ printf 'attention_scale = True' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: attention_scale: "true" is not sqrt, none or a number (0, 1000]
$ printf "causal = 'False'" > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: causal: "False" is a string, expected a value without quotes
$ printf 'bias = 1' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: bias: "1" is not true or false
$ printf "bias = 'True'" > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: bias: "True" is a string, expected a value without quotes
$ printf 'out_dir = 6' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: out_dir: "6" is not a string, expected it in quotes
$ printf "out_dir = 'out" > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: expected ' at the end of "'out"
$ printf $'out_dir = \x27out"' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: expected ' at the end of "'out\""
$ cat > c.py
| out_dir = '\
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: expected ' at the end of "'\\"
$ printf "out_dir = ''" > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: out_dir: "" is empty, expected at least one character
$ printf 'n_layer = 2.5' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: n_layer: "2.5" is not a whole number (1..1000)
$ printf 'n_layer = 2 * 0.75' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: n_layer: "1.5" is not a whole number (1..1000)
$ printf 'n_layer = 40 * 50' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: n_layer: "2000" is not in 1..1000
$ printf 'max_iters = 9223372036854775807 * 2' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: max_iters: "18446744073709551616" is not in 0..1000000000
$ printf 'learning_rate = 1e300 * 1e300' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: learning_rate: "inf" is not a number in [0, 1000]
$ printf 'n_layr = 6' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: n_layr: unknown key; did you mean n_layer?
$ printf 'top_k = 6' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: top_k: unknown key
$ printf "config = 'c.py'" > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: config: unknown key
$ cat > c.py
| # ok
| init_from = 'resume'
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 2: init_from: "resume" is not supported in a config: --resume DIR continues a run
$ ls out
! 1

== in a config: all mistakes at once, up to five
$ cat > c.py
| n_layr = 6; bias = 1
| n_layer = 2
| n_head = 0
$ gradus train a --config c.py
! 1 gradus train: c.py: line 1: n_layr: unknown key; did you mean n_layer?; line 1: bias: "1" is not true or false; line 3: n_head: "0" is not in 1..65536
$ printf 'a\nb\nc\nd\ne\nf\ng\nn_layer = 6' > c.py
$ gradus train a --config c.py
! 1 gradus train: c.py: line 1: *found "a"; line 2: *; line 3: *; line 4: expected key = value, found "d"; line 5: expected key = value, found "e"; and 2 more
$ printf 'n_layer = ' > key
$ repeat 100000 '(' > value
$ cat key value > c.py
$ gradus train a --config c.py
! 1 gradus train: c.py: line 1: expected a number, *
$ cat > c.py
| n_head = 3
| n_embd = 128
$ gradus train a --config c.py
! 2 gradus train: --n_head: 128 channels are not divisible by 3 heads
$ ls
1> c.py
1> key
1> value

== in a config: keys of other programs are answered like flags
$ printf 'eval_only = True' > c.py
$ gradus train a --config c.py
! 1 gradus train: c.py: line 1: eval_only: gradus eval MODEL TEXT measures a model's loss on a text
$ cat > c.py
| n_layer = 2
| epochs = 3
$ gradus train a --config c.py
! 1 gradus train: c.py: line 2: epochs: gradus counts updates of the weights, --max_iters N, or minutes, --minutes M
$ printf 'hidden_size = 64' > c.py
$ gradus train a --config c.py
! 1 gradus train: c.py: line 1: hidden_size: is called --n_embd here
$ ls
1> c.py

== what is wrong with a word before a config comes first: it is not even opened
$ gradus train --n_layer x --config none.py a
! 2 gradus train: --n_layer: "x" is not a whole number (1..1000)
$ ls
1>

== a command that is there and values that are none leave everything as it is
$ repeat 5000 a > a.txt
$ gradus trian a.txt
! 2 gradus: "trian": unknown command, *; did you mean train?
$ gradus train ''
! 2 gradus train: "": an argument is empty, expected a file
$ gradus train a.txt --n_layer --n_head 2
! 2 gradus train: --n_layer: the value is missing, expected N, found "--n_head"
$ gradus train a.txt -x
! 2 gradus train: -x: unknown flag; gradus train --help lists all flags
$ gradus train a.txt --temperature 1
! 2 gradus train: --temperature: is not for gradus train, see gradus train --help
$ gradus sample m --max_iters 1
! 2 gradus sample: --max_iters: is not for gradus sample, see gradus sample --help
$ gradus train a.txt --activation swish
! 2 gradus train: --activation: "swish" is not one of gelu, gelu_tanh, relu, relu2, swiglu
$ gradus train a.txt --bias maybe
! 2 gradus train: --bias: "maybe" is not true or false
$ gradus train a.txt --resume out --force
! 2 gradus train: --force: replaces a run, --resume continues it; expected one
$ gradus train a.txt --init_from gpt2
! 1 gradus train: gpt2: cannot open: No such file or directory; gradus downloads nothing: MODEL is the directory of the model's files from the hub
$ gradus train a.txt --config none.py
! 1 gradus train: none.py: cannot open: No such file or directory
$ gradus train a.txt --config .
! 1 gradus train: .: is a directory, expected a file
$ gradus train a.txt --seed 99999999999999999999
! 2 gradus train: --seed: "99999999999999999999" is not a whole number of at most 64 bits
$ gradus train a.txt $'--\x1b[31m=1'
! 2 gradus train: --\x1b[31m: unknown flag; gradus train --help lists all flags
$ gradus train a.txt --n_layer $'1\n2'
! 2 gradus train: --n_layer: "1\n2" is not a whole number (1..1000)
$ gradus train a.txt --n_layer 1000 --n_embd 65536 --n_head 1 --block_size 64
! 1 gradus train: training needs about * GB of memory, this machine has * GB; a smaller --n_embd, --n_layer, --block_size or --batch_size needs less
$ gradus train --resume none
! 1 gradus train: none: is not a directory, expected a run's directory
$ ls
1> a.txt

== every kind of number, against every kind of thing that is none
$ repeat 5000 a > a.txt
$ gradus train a.txt --max_iters {10x|''|1e400|nan|inf|-5|12345678901234567890|' 1'|+1|0x10|1.5|1,000}
! 2 gradus train: --max_iters: "*" is not *
$ gradus train a.txt --n_layer {10x|''|1e400|nan|inf|-5|12345678901234567890|' 1'|+1|0x10|1.5|1,000}
! 2 gradus train: --n_layer: "*" is not *
$ gradus train a.txt --eval_iters {10x|''|1e400|nan|inf|-5|12345678901234567890|' 1'|+1|0x10|1.5|1,000}
! 2 gradus train: --eval_iters: "*" is not *
$ gradus train a.txt --threads {10x|''|1e400|nan|inf|-5|12345678901234567890|' 1'|+1|0x10|1.5|1,000}
! 2 gradus train: --threads: "*" is not *
$ gradus train a.txt --dropout {0.1x|''|1e400|nan|-inf|-5|1e-400|0,1|.}
! 2 gradus train: --dropout: "*" is not *
$ gradus train a.txt --learning_rate {0.1x|''|1e400|nan|-inf|-5|1e-400|0,1|.}
! 2 gradus train: --learning_rate: "*" is not *
$ gradus train a.txt --beta1 {0.1x|''|1e400|nan|-inf|-5|1e-400|0,1|.}
! 2 gradus train: --beta1: "*" is not *
$ ls
1> a.txt
