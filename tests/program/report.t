# What gradus report refuses; what is on a page is in report_test.cpp.
small = --n_layer 2 --n_head 2 --n_embd 16 --block_size 16 --batch_size 4 --eval_interval 5

== what cannot be reported is one line, and nothing is written
$ repeat 150 'The fox said % words to the hen.\n' > tale.txt
$ gradus train tale.txt $small --max_iters 12 --out_dir {run|other}
$ mkdir out/lost empty
$ cp -r run {log|samples|cut|times}
$ cat > log/log.csv
| step,loss,learning_rate,gradient_norm,train_loss,val_loss
| 0,,,,3.4,3.4
| 1,x,0.001,1,,
$ printf '== step\n' > samples/samples.txt
$ head -c 1000 run/checkpoint.safetensors > cut/checkpoint.safetensors
$ sed s/,20// run/times.csv > times/times.csv
$ gradus report empty
! 1 gradus report: empty: holds no run, expected the directory that gradus train wrote
$ gradus report lost
! 1 gradus report: *did you mean out/lost?*
$ gradus report run --prompt 'The €'
! 1 gradus report: --prompt: byte 4: U+20AC is not in the vocabulary*
$ gradus report empty run tale.txt
2> empty: holds no run, left out
2> tale.txt: holds no run, left out
2> wrote run/report.html, *
gradus report                              ! 2 RUN
gradus report run --temperature 1          ! 2 --temperature
gradus report run other --prompt The       ! 2 --prompt
gradus report run --prompt T               ! 1 --prompt
gradus report run --output no/where.html   ! 1 no
gradus report tale.txt                     ! 1 tale.txt
gradus report {nowhere|run nowhere}        ! 1 nowhere
gradus report empty tale.txt               ! 1 empty
gradus report log                          ! 1 log/log.csv: line 3
gradus report samples                      ! 1 samples/samples.txt: byte 0
gradus report cut                          ! 1 cut/checkpoint.safetensors
gradus report times                        ! 1 times/times.csv: line *
