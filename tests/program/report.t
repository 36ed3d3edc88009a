# What gradus report refuses; what is on a page is in report_test.cpp.
small = --n_layer 2 --n_head 2 --n_embd 16 --block_size 16 --batch_size 4 --eval_interval 5

== what cannot be reported is one line, and nothing is written
$ repeat 150 'The fox said % words to the hen.\n' > tale.txt
$ gradus train tale.txt $small --max_iters 12 --out_dir {run|other}
$ gradus report
! 2 gradus report: RUN: missing*
$ gradus report run --temperature 1
! 2 gradus report: --temperature: is not for gradus report*
$ gradus report tale.txt
! 1 gradus report: tale.txt: is not a directory, expected a run's directory*
$ gradus report nowhere
! 1 gradus report: nowhere: is not a directory*
$ mkdir out/lost empty
$ gradus report lost
! 1 gradus report: *did you mean out/lost?*
$ gradus report empty
! 1 gradus report: empty: holds no run*
$ gradus report empty tale.txt
! 1 gradus report: empty: holds no run*
$ gradus report run nowhere
! 1 gradus report: nowhere: is not a directory*
$ gradus report run --prompt T
! 1 gradus report: --prompt: has 1 token, expected at least 2*
$ gradus report run --prompt 'The €'
! 1 gradus report: --prompt: byte 4: U+20AC is not in the vocabulary*
$ gradus report run other --prompt 'The'
! 2 gradus report: --prompt: is for the report of one run, found 2 runs*
# Only a page is replaced: not the run, not its text.
$ gradus report run --output {run/model.safetensors|run/checkpoint.safetensors|run/log.csv|tale.txt}
! 1 gradus report: *--force replaces it*
$ gradus report run --output no/where.html
! 1 gradus report: no: cannot open: No such file*
$ cp -r run bad
$ cat > bad/log.csv
| step,loss,learning_rate,gradient_norm,train_loss,val_loss
| 0,,,,3.4,3.4
| 1,x,0.001,1,,
$ gradus report bad
! 1 gradus report: bad/log.csv: line 3: "x", expected a number*
$ cp run/log.csv bad
$ printf '== step\n' > bad/samples.txt
$ gradus report bad
! 1 gradus report: bad/samples.txt: byte 0: *
$ rm bad/samples.txt
$ head -c 1000 run/checkpoint.safetensors > bad/checkpoint.safetensors
$ gradus report bad
! 1 gradus report: bad/checkpoint.safetensors: *
$ cp run/checkpoint.safetensors bad
$ sed s/,20// run/times.csv > bad/times.csv
$ gradus report bad
! 1 gradus report: bad/times.csv: line *

