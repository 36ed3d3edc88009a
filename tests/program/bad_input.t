# Files that are no texts, no models, or not there: one line names each, and nothing has changed. Configs
# are in mistakes.t, damaged model files in bad_input_test.cpp.

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
$ gradus train pipe
! 1 gradus train: pipe: is a pipe, expected a file
$ gradus train /dev/{zero|null}
! 1 gradus train: /dev/*: is a device, expected a file
$ gradus train a.txt/b
! 1 gradus train: a.txt/b: cannot open: Not a directory
$ gradus train a.txt --out_dir {a.txt|a.txt/b}
! 1 gradus train: a.txt: cannot create: File exists
$ gradus train short.txt --block_size 64
! 1 gradus train: short.txt: the validation part has 5 tokens, block_size + 1 = 65 are needed: --block_size 4
$ gradus train a.txt --block_size 4000
! 1 gradus train: a.txt: the validation part has 501 tokens, block_size + 1 = 4,001 are needed: --block_size 500
$ gradus train one.txt
! 1 gradus train: one.txt: the training part has 0 tokens, block_size + 1 = 2 are needed
gradus train {none.txt|a.txt none.txt}      ! 1 none.txt
gradus train folder                         ! 1 folder
gradus train --resume a.txt                 ! 1 a.txt
gradus train empty.txt                      ! 1 empty.txt
gradus train $'line\nend'                   ! 1 line\nend
gradus train latin1.txt --tokenizer char    ! 1 latin1.txt: byte 3
gradus train a.txt --out_dir /proc/x        ! 1 /proc/x
gradus {sample|info} /dev/zero              ! 1 /dev/zero

== in the metadata and the numbers of model files
uses tale
$ gradus train tale.txt --out_dir run --max_iters 1 --n_layer 1 --n_head 1 --n_embd 8 --block_size 8 --batch_size 1 --arch gpt2
$ cp run/model.safetensors {1|2|3|4|5|6|7|8|9|10|11|12|13|14|15}
$ edit {1 n_layer=2|2 n_layer=-1|3 n_layer=99999999999999999999|4 n_embd=16|5 n_head=3|6 vocab_size=1}
$ edit {7 vocab_size=2147483647|8 block_size=9|9 dropout=nan|10 bias=maybe|11 activation=swish}
$ edit {12 'tokenizer={}'|13 'tokenizer={"kind":"none"}'|14 n_embd-|15 transformer.wpe.weight[3]=nan}
gradus {info|sample} {1|2|3|4|5|6|7|8|9|10|11|12|13|14}  ! 1 *
$ gradus {info|sample} 15
! 1 gradus *: 15: tensor "transformer.wpe.weight": element 3 is nan, expected a finite number
