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

== a checkpoint without what its optimizer remembers, or with another setting, is refused
uses mice
$ gradus train tale.txt --max_iters 5 --optimizer muon --out_dir run $small
$ cp -r run {1|2|3|4}
$ edit {1/checkpoint.safetensors optimizer=adamw|2/checkpoint.safetensors optimizer=sgd|3/checkpoint.safetensors beta1=1|4/checkpoint.safetensors lr_schedule=step}
$ gradus train --resume 1 --max_iters 6
! 1 gradus train: 1/checkpoint.safetensors: tensor "exp_avg_sq.transformer.h.0.attn.c_attn.weight" is missing
gradus train --resume 3 --max_iters 6  ! 1 3/checkpoint.safetensors: metadata "beta1"
gradus train --resume 2 --max_iters 6  ! 1 2/checkpoint.safetensors: metadata "optimizer"
gradus train --resume 4 --max_iters 6  ! 1 4/checkpoint.safetensors: metadata "lr_schedule"

== a run with a learning rate that has ended at 0 is not made longer
uses mice
$ gradus train tale.txt --max_iters 30 $small --min_lr 0 {--out_dir cosine --lr_schedule cosine|--out_dir linear --lr_schedule linear}
$ gradus train --resume {cosine|linear} --max_iters 40
! 1 gradus train: --max_iters: the run in * cannot be extended, since its learning rate has reached 0 (min_lr) by step 30; a longer run: gradus train tale.txt --n_layer 2 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 --eval_interval 10 --warmup_iters 3 --min_lr 0 --lr_schedule * --max_iters 60 --out_dir *_2; more training of its model: gradus train $PWD/tale.txt --init_from * --out_dir *_2
# Both commands do what they say.
$ gradus train tale.txt --n_layer 2 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 --eval_interval 10 --warmup_iters 3 --min_lr 0 {--lr_schedule cosine --out_dir cosine_2|--lr_schedule linear --out_dir linear_2} --max_iters 60
unchanged cosine/log.csv linear/log.csv
$ cat {cosine|linear}_2/log.csv
1> *
1> 60,*
$ gradus train tale.txt {--init_from cosine --out_dir cosine_2|--init_from linear --out_dir linear_2} --force --max_iters 2
unchanged cosine/log.csv linear/log.csv
$ gradus train --resume {cosine|linear} {|--max_iters 30}
2> *
2> *: finished at step 30; the run in * cannot be extended, since its learning rate has reached 0 (min_lr) by step 30; a longer run: gradus train tale.txt --n_layer 2 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 --eval_interval 10 --warmup_iters 3 --min_lr 0 --lr_schedule * --max_iters 60 --out_dir *_3; more training of its model: gradus train $PWD/tale.txt --init_from * --out_dir *_3
2> *
# Updates that the run was to make from the start may still be made.
$ gradus train tale.txt {--max_iters 45 --out_dir cosine_whole|--max_iters 20 --out_dir cosine_parts} $small --min_lr 0 --lr_schedule cosine
$ gradus train tale.txt {--max_iters 45 --out_dir linear_whole|--max_iters 20 --out_dir linear_parts} $small --min_lr 0 --lr_schedule linear
$ gradus train --resume {cosine|linear}_parts --max_iters 45
$ cmp {cosine_whole/checkpoint.safetensors cosine_parts|linear_whole/checkpoint.safetensors linear_parts}/checkpoint.safetensors

== twice as many updates as none would be no longer run
uses mice
$ gradus train tale.txt --max_iters 0 --n_layer 1 --n_head 1 --n_embd 8 --block_size 4 --out_dir run
$ gradus train --resume run
2> *
2> * --max_iters 1 --out_dir run_2;*
2> *
