# What many cases begin with (`uses NAME`), made once a run of the tests.

== tale
$ repeat 60 'The fox said % words to the hen.\n' > tale.txt

== tiny-run
uses tale
$ gradus train tale.txt --max_iters 4 --out_dir run --n_layer 1 --n_head 1 --n_embd 8 --block_size 8 --batch_size 2 --warmup_iters 0 --arch gpt2

== fables
$ repeat 100 'The {fox|hen|mouse} said % words to the {goose|miller}.\n' > tale.txt
