# What a run records to be looked at: losses, times, norms and samples.
small = --n_layer 2 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 --warmup_iters 3 --lr_decay_iters 100

== a run records its updates and samples, and --force begins a new record
$ repeat 100 'The fox said % words to the hen.\n' > tale.txt
$ gradus train tale.txt $small --eval_interval 4 --out_dir run --max_iters 10
# Every step, and a heading.
$ wc -l {run/log.csv|run/times.csv}
1> 12
$ cat run/sessions.jsonl
1> {*"step":0,"version":"gradus *"--out_dir","run","--max_iters","10"]}
$ grep '== step ' run/samples.txt
1> == step 0, *
1> == step 4, *
1> == step 8, *
1> == step 10, *
$ gradus train tale.txt --force --sample_interval 3 $small --eval_interval 4 --out_dir run --max_iters 7
$ grep '== step ' run/samples.txt
1> == step 0, *
1> == step 3, *
1> == step 6, *
1> == step 7, *
$ wc -l run/times.csv
1> 9
$ gradus train --resume run --max_iters 11 --sample_interval 5
$ grep '== step ' run/samples.txt
1> == step 0, *
1> == step 3, *
1> == step 6, *
1> == step 7, *
1> == step 10, *
1> == step 11, *
$ wc -l {run/log.csv|run/times.csv}
1> 13
$ wc -l run/sessions.jsonl
1> 2
$ gradus train tale.txt --force --sample_interval 0 $small --eval_interval 4 --out_dir run --max_iters 5
$ grep '== step ' run/samples.txt
! 1

== samples change no number of a run, and files of its record may be gone
$ repeat 100 'The fox said % words to the hen.\n' > tale.txt
$ gradus train tale.txt --out_dir one $small --eval_interval 4 --dropout 0.2 --max_iters 8
$ gradus train tale.txt --out_dir other --sample_interval 0 $small --eval_interval 4 --dropout 0.2 --max_iters 8
$ cmp one/model.safetensors other/model.safetensors
$ cmp one/log.csv other/log.csv
$ rm one/times.csv one/samples.txt
$ gradus train --resume one --max_iters 12
$ cat one/times.csv
1> step,seconds*
1> *
1> 12,*
$ head -c 11 one/samples.txt
1> == step 12,\c
