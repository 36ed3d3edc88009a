# What many cases begin with (`uses NAME`), made once a run of the tests.

== tale
$ repeat 60 'The fox said % words to the hen.\n' > tale.txt

== tiny-run
uses tale
$ gradus train tale.txt --max_iters 4 --out_dir run --n_layer 1 --n_head 1 --n_embd 8 --block_size 8 --batch_size 2 --warmup_iters 0 --arch gpt2

== fables
$ repeat 100 'The {fox|hen|mouse} said % words to the {goose|miller}.\n' > tale.txt

== char-run
$ repeat 150 'The {hen|fox} went # miles.\n' > tale.txt
$ gradus train tale.txt --out_dir run --n_layer 2 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 --max_iters 20 --dtype float32

== hens
$ repeat 60 'The hen said % words to the fox.\n' > tale.txt

== cats
$ repeat 30 'the cat sat on mat {0|1|2|3|4|5|6} and saw dog {0|1|2|3|4}\n' > a.txt

== mice
$ repeat 100 '{The fox|The hen|A mouse} said % words.\n' > tale.txt
