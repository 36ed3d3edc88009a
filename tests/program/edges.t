# Limits that a command meets exactly, and one step beside.
small = --n_layer 1 --n_head 1 --n_embd 16 --block_size 16 --batch_size 4

== a run of 39 updates has a line for each, of 40 for every second
uses tale
$ gradus train tale.txt $small --max_iters 39 --out_dir a
2> *
2> iter 0: *
2> iter 1: *
2> *
2> iter 38: *
2> *
$ gradus train tale.txt $small --max_iters 40 --out_dir b
2> *
2> iter 0: *
2> iter 2: *
2> *
2> iter 38: *
2> *
2! iter 1:*

== every update is recorded for evaluations that are 250 updates apart, every second for 251
uses tale
$ gradus train tale.txt $small --max_iters 4 --eval_interval 250 --out_dir a
$ cat a/log.csv
1> step,*
1> 0,*
1> 1,*
1> 2,*
1> 3,*
1> 4,*
$ gradus train tale.txt $small --max_iters 5 --eval_interval 251 --out_dir b
$ cat b/log.csv
1> step,*
1> 0,*
1> 2,*
1> 4,*
1> 5,*

== a loss needs two tokens, a prompt that is looked at as well
uses char-run
$ printf 'h' > one.txt
$ printf 'he' > two.txt
$ gradus eval run one.txt
! 1 gradus eval: one.txt: has 1 token, expected at least 2: the first is only read, the others are predicted
$ gradus eval run two.txt
1> loss *
1> *
2> two.txt: 1 token* predicted, 1 character*
$ gradus report run --prompt h
! 1 gradus report: --prompt: has 1 token, expected at least 2: attention is between tokens
$ gradus report run --prompt he

== the page of several runs is called by their names, as far as they fit in 200 letters
uses char-run
$ cp -r run {aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb|ccccccccccccccccccccccccccccccccccccccccccccccccc|ddddddddddddddddddddddddddddddddddddddddddd|eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee|f}
$ gradus report aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb ccccccccccccccccccccccccccccccccccccccccccccccccc ddddddddddddddddddddddddddddddddddddddddddd f
$ gradus report aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb ccccccccccccccccccccccccccccccccccccccccccccccccc ddddddddddddddddddddddddddddddddddddddddddd
$ gradus report aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb ccccccccccccccccccccccccccccccccccccccccccccccccc eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee
$ ls
1> *
1> report-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb-ccccccccccccccccccccccccccccccccccccccccccccccccc-and-1-more.html
1> report-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb-ccccccccccccccccccccccccccccccccccccccccccccccccc-ddddddddddddddddddddddddddddddddddddddddddd-and-1-more.html
1> report-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb-ccccccccccccccccccccccccccccccccccccccccccccccccc-ddddddddddddddddddddddddddddddddddddddddddd.html
1> run
1> tale.txt

== a model in a directory that is not UTF-8 is exported under another title [posix]
uses char-run
$ mv run $'\xff'
$ gradus export $'\xff' gguf m.gguf
$ ls m.gguf
1> m.gguf
