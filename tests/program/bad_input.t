# Whatever is wrong with what the program is given, it says so in one line and leaves everything as it was.

== in config files
$ repeat 5000 a > a.txt
$ printf 'n_layer' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: expected key = value, found "n_layer"
unchanged
$ printf '\n\nn_layr = 6' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 3: n_layr: unknown key; did you mean n_layer?
unchanged
$ printf 'n_layer = six' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: expected a number, *
unchanged
$ printf 'n_layer = 2 *' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: expected a number, *
unchanged
$ printf 'n_layer = 0' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: n_layer: "0" is not in 1..1000
unchanged
$ printf 'max_iters = 9223372036854775807 * 9' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: max_iters: "83010348331692982272" is not in 0..1000000000
unchanged
$ printf 'learning_rate = 1e300 * 1e300' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: learning_rate: "inf" is not a number in [0, 1000]
unchanged
$ printf 'init_from = \x27resume\x27' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: init_from: "resume" is not supported*
unchanged
$ printf 'for i in range(3): pass' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: expected key = value, found "for i in range(3): pass"
unchanged
$ printf 'a\x00b = 1' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: expected key = value, found "a\x00b = 1"
unchanged
$ printf 'n_layer = \x276\x27' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: n_layer: "6" is a string*
unchanged
$ printf 'out_dir = \x27x' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 1: expected ' at the end*
unchanged
$ repeat 1048574 ' ' > long
$ printf '\nx' > end
$ cat long end > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: line 2: expected key = value, found "x"
unchanged
$ repeat 1048577 ' ' > c.py
$ gradus train a.txt --config c.py
! 1 gradus train: c.py: has 1048577 bytes, expected at most 1048576
unchanged

== in texts [posix]
$ repeat 5000 a > as
$ printf b > b
$ cat as b > a.txt
$ printf '' > empty.txt
$ printf x > one.txt
$ repeat 48 x > short.txt
$ printf 'caf\xe9 ' > cafe
$ cat cafe as > latin1.txt
$ mkdir folder
$ mkfifo pipe
$ cp empty.txt $'line\nend'
$ gradus train none.txt
! 1 gradus train: none.txt: cannot open: No such file or directory
unchanged
$ gradus train folder
! 1 gradus train: folder: is a directory without a text in it
unchanged
$ gradus train pipe
! 1 gradus train: pipe: is a pipe, expected a file
unchanged
$ gradus train /dev/zero
! 1 gradus train: /dev/zero: is a device, expected a file
unchanged
$ gradus train /dev/null
! 1 gradus train: /dev/null: is a device, expected a file
unchanged
$ gradus train a.txt/b
! 1 gradus train: a.txt/b: cannot open: Not a directory
unchanged
$ gradus train empty.txt
! 1 gradus train: empty.txt: is empty, expected a text
unchanged
$ gradus train $'line\nend'
! 1 gradus train: line\nend: is empty, expected a text
unchanged
$ gradus train one.txt
! 1 gradus train: one.txt: the training part has 0 tokens, block_size + 1 = 2 are needed
unchanged
$ gradus train short.txt --block_size 64
! 1 gradus train: short.txt: the validation part has 5 tokens, block_size + 1 = 65 are needed: --block_size 4
unchanged
$ gradus train a.txt --block_size 4000
! 1 gradus train: a.txt: the validation part has 501 tokens, block_size + 1 = 4,001 are needed: --block_size 500
unchanged
$ gradus train latin1.txt --tokenizer char
! 1 gradus train: latin1.txt: byte 3: 0xe9 is not UTF-8
unchanged
$ gradus train a.txt none.txt
! 1 gradus train: none.txt: cannot open: No such file or directory
unchanged
$ gradus train a.txt --out_dir a.txt
! 1 gradus train: a.txt: cannot create: File exists
unchanged
$ gradus train a.txt --out_dir a.txt/b
! 1 gradus train: a.txt: cannot create: File exists
unchanged
$ gradus train a.txt --out_dir /proc/x
! 1 gradus train: /proc/x: cannot create: *
unchanged

== in the metadata and the numbers of model files
uses tale
$ gradus train tale.txt --out_dir run --max_iters 1 --n_layer 1 --n_head 1 --n_embd 8 --block_size 8 --batch_size 1 --arch gpt2
$ cp run/model.safetensors {1|2|3|4|5|6|7|8|9|10|11|12|13|14|15}
$ edit {1 n_layer=2|2 n_layer=-1|3 n_layer=99999999999999999999|4 n_embd=16|5 n_head=3|6 vocab_size=1}
$ edit {7 vocab_size=2147483647|8 block_size=9|9 dropout=nan|10 bias=maybe|11 activation=swish}
$ edit {12 'tokenizer={}'|13 'tokenizer={"kind":"none"}'|14 n_embd-|15 transformer.wpe.weight[3]=nan}
$ gradus {info|sample} {1|2|3|4|5|6|7|8|9|10|11|12|13|14}
! 1 gradus *: *
unchanged
$ gradus {info|sample} 15
! 1 gradus *: 15: tensor "transformer.wpe.weight": element 3 is nan, expected a finite number
unchanged

== in a prompt that is not UTF-8 [posix]
uses tiny-run
$ gradus sample run --prompt $'\xff'
! 1 gradus sample: *byte 0*
unchanged

== in the names of models and in prompts
uses tiny-run
$ gradus sample none
! 1 gradus sample: none: cannot open*
unchanged
$ gradus sample tale.txt
! 1 gradus sample: tale.txt: *
unchanged
$ gradus sample run --prompt XYZ
! 1 gradus sample: --prompt: byte 0: 'X' is not in the vocabulary*
unchanged
$ gradus sample run --prompt FILE:none
! 1 gradus sample: *none: cannot open*
unchanged
$ gradus eval run none
! 1 gradus eval: *none: cannot open*
unchanged
$ printf '' > m0.safetensors
$ gradus eval run m0.safetensors
! 1 gradus eval: *m0.safetensors: *
unchanged
$ gradus train --resume m0.safetensors
! 1 gradus train: *m0.safetensors*
unchanged

== a device is no model [posix]
$ gradus sample /dev/zero
! 1 gradus sample: /dev/zero: is a device*
unchanged

