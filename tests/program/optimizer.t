# gradus train with Muon, and with a learning rate that ends at 0.
small = --n_layer 2 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 --eval_interval 10 --warmup_iters 3 --lr_decay_iters 30
short = --force --n_layer 1 --n_head 1 --n_embd 32 --block_size 16 --batch_size 4 --lr_decay_iters 300 --eval_interval 10

== what is derived follows the schedule, not where a run is to stop
uses mice
# 2,150 tokens to train on: 30 updates read them once, 300 nine times, which is enough for dropout.
$ gradus train tale.txt $short --out_dir whole --max_iters 300
$ gradus info whole
1> *
1>   dropout           0.05*
1> *
$ gradus train tale.txt $short --out_dir parts --max_iters 30
$ gradus train --resume parts --max_iters 300
$ diff whole parts times.csv sessions.jsonl

== a setting that a checkpoint does not have has its default: AdamW of before
uses mice
$ gradus train tale.txt --max_iters 20 --out_dir run --optimizer adamw --lr_schedule cosine --batches random --init_std 0.02 --dtype float32 $small
$ cp -r run old
$ edit {run|old}/checkpoint.safetensors momentum=0.95
$ edit old/checkpoint.safetensors optimizer- lr_schedule- batches- init_std- momentum- dtype- beta2-
$ gradus train --resume run --max_iters 30
$ gradus train --resume old --max_iters 30 --optimizer muon
! 1 gradus train: --optimizer: the run in old was started with adamw, not muon; a resumed run keeps its settings
$ gradus train --resume old --max_iters 30 --optimizer adamw
$ cmp run/checkpoint.safetensors old/checkpoint.safetensors

== a checkpoint without what its optimizer remembers is refused
uses mice
$ gradus train tale.txt --max_iters 5 --optimizer muon --out_dir run $small
$ cp run/checkpoint.safetensors good
$ edit run/checkpoint.safetensors optimizer=adamw
$ gradus train --resume run --max_iters 6
! 1 gradus train: run/checkpoint.safetensors: tensor "exp_avg_sq.transformer.h.0.attn.c_attn.weight" is missing
$ edit run/checkpoint.safetensors optimizer=sgd
$ gradus train --resume run --max_iters 6
! 1 gradus train: run/checkpoint.safetensors: metadata "optimizer": "sgd" is not one of adamw, muon
$ cp good run/checkpoint.safetensors
$ edit run/checkpoint.safetensors beta1=1
$ gradus train --resume run --max_iters 6
! 1 gradus train: run/checkpoint.safetensors: metadata "beta1": "1" is not in [0, 1)
$ cp good run/checkpoint.safetensors
$ edit run/checkpoint.safetensors lr_schedule=step
$ gradus train --resume run --max_iters 6
! 1 gradus train: run/checkpoint.safetensors: metadata "lr_schedule": "step" is not one of cosine, linear

== optimizer and schedule that there are not are refused before anything is read
$ gradus train none.txt --optimizer sgd
! 2 gradus train: --optimizer: "sgd" is not one of adamw, muon
$ gradus train none.txt --lr_schedule step
! 2 gradus train: --lr_schedule: "step" is not one of cosine, linear

== a run with a learning rate that has ended at 0 is not made longer, cosine
uses mice
$ gradus train tale.txt --max_iters 30 $small --min_lr 0 --out_dir run --lr_schedule cosine
$ gradus train --resume run --max_iters 40
! 1 gradus train: --max_iters: the run in run cannot be extended, since its learning rate has reached 0 (min_lr) by step 30; a longer run: gradus train tale.txt --n_layer 2 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 --eval_interval 10 --warmup_iters 3 --min_lr 0 --lr_schedule cosine --max_iters 60 --out_dir run_2; more training of its model: gradus train $PWD/tale.txt --init_from run --out_dir run_2
2! *--max_iters 30*
# Both commands do what they say.
$ gradus train tale.txt --n_layer 2 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 --eval_interval 10 --warmup_iters 3 --lr_decay_iters 30 --min_lr 0 --lr_schedule cosine --max_iters 60 --out_dir run_2
unchanged run/log.csv
$ cat run_2/log.csv
1> *
1> 60,*
$ gradus train tale.txt --init_from run --out_dir run_2 --force --max_iters 2
unchanged run/log.csv
$ gradus train --resume run {|--max_iters 30}
2> *
2> run: finished at step 30; the run in run cannot be extended, since its learning rate has reached 0 (min_lr) by step 30; a longer run: gradus train tale.txt --n_layer 2 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 --eval_interval 10 --warmup_iters 3 --min_lr 0 --lr_schedule cosine --max_iters 60 --out_dir run_3; more training of its model: gradus train $PWD/tale.txt --init_from run --out_dir run_3
2> *
# Updates that the run was to make from the start may still be made.
$ gradus train tale.txt --max_iters 45 $small --min_lr 0 --out_dir whole --lr_schedule cosine
$ gradus train tale.txt --max_iters 45 --minutes 1e-9 $small --min_lr 0 --out_dir parts --lr_schedule cosine
! 2 gradus train: --minutes: chooses max_iters, found --max_iters 45 as well
$ gradus train tale.txt --max_iters 20 $small --min_lr 0 --out_dir parts --lr_schedule cosine
$ gradus train --resume parts --max_iters 45
$ cmp whole/checkpoint.safetensors parts/checkpoint.safetensors

== a run with a learning rate that has ended at 0 is not made longer, linear
uses mice
$ gradus train tale.txt --max_iters 30 $small --min_lr 0 --out_dir run --lr_schedule linear
$ gradus train --resume run --max_iters 40
! 1 gradus train: --max_iters: the run in run cannot be extended, since its learning rate has reached 0 (min_lr) by step 30; a longer run: gradus train tale.txt --n_layer 2 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 --eval_interval 10 --warmup_iters 3 --min_lr 0 --lr_schedule linear --max_iters 60 --out_dir run_2; more training of its model: gradus train $PWD/tale.txt --init_from run --out_dir run_2
2! *--max_iters 30*
# Both commands do what they say.
$ gradus train tale.txt --n_layer 2 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 --eval_interval 10 --warmup_iters 3 --lr_decay_iters 30 --min_lr 0 --lr_schedule linear --max_iters 60 --out_dir run_2
unchanged run/log.csv
$ cat run_2/log.csv
1> *
1> 60,*
$ gradus train tale.txt --init_from run --out_dir run_2 --force --max_iters 2
unchanged run/log.csv
$ gradus train --resume run {|--max_iters 30}
2> *
2> run: finished at step 30; the run in run cannot be extended, since its learning rate has reached 0 (min_lr) by step 30; a longer run: gradus train tale.txt --n_layer 2 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 --eval_interval 10 --warmup_iters 3 --min_lr 0 --lr_schedule linear --max_iters 60 --out_dir run_3; more training of its model: gradus train $PWD/tale.txt --init_from run --out_dir run_3
2> *
# Updates that the run was to make from the start may still be made.
$ gradus train tale.txt --max_iters 45 $small --min_lr 0 --out_dir whole --lr_schedule linear
$ gradus train tale.txt --max_iters 45 --minutes 1e-9 $small --min_lr 0 --out_dir parts --lr_schedule linear
! 2 gradus train: --minutes: chooses max_iters, found --max_iters 45 as well
$ gradus train tale.txt --max_iters 20 $small --min_lr 0 --out_dir parts --lr_schedule linear
$ gradus train --resume parts --max_iters 45
$ cmp whole/checkpoint.safetensors parts/checkpoint.safetensors

== twice as many updates as none would be no longer run
uses mice
$ gradus train tale.txt --max_iters 0 --n_layer 1 --n_head 1 --n_embd 8 --block_size 4 --out_dir run
$ gradus train --resume run
2> *
2> * --max_iters 1 --out_dir run_2;*
2> *
