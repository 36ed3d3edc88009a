# Faults that people found from outside, each as they would report it.
small = --n_layer 1 --n_head 1 --n_embd 16 --block_size 16 --batch_size 4 --threads 1

== a separator of documents counts for its loss, and not by the letters of its name
$ repeat 300 'The fox said % words~' > short.txt
$ repeat 300 'The fox said % words<|endoftext|>' > long.txt
$ gradus train short.txt $small --max_iters 3 --tokenizer char --document_separator '~' --out_dir short
$ gradus train long.txt $small --max_iters 3 --tokenizer char --document_separator '<|endoftext|>' --out_dir long
$ gradus eval {short short.txt|long long.txt}
1> loss {3.0644 ~ 0.01}
1> perplexity {21.4 ~ 0.3}
1> bits per character {4.6333 ~ 0.02}
1> bits per byte {4.6333 ~ 0.02}

== a directory of a run that ends in a slash, or is here, has a sibling for the next run
uses tale
$ gradus train tale.txt $small --max_iters 2 --out_dir run/
2> *
2> to try it: gradus train tale.txt --n_layer 1 --n_head 1 --n_embd 16 --block_size 16 --batch_size 4 --threads 1 --max_iters 1000 --out_dir run_2
$ gradus train tale.txt $small --max_iters 2 -o out/doc
2> *
2> to try it: gradus train tale.txt --n_layer 1 --n_head 1 --n_embd 16 --block_size 16 --batch_size 4 --threads 1 --max_iters 1000 --out_dir out/doc_2
$ mkdir here
$ cd here
$ gradus train ../tale.txt $small --max_iters 2 --out_dir .
2> *
2> to try it: gradus train ../tale.txt --n_layer 1 --n_head 1 --n_embd 16 --block_size 16 --batch_size 4 --threads 1 --max_iters 1000 --out_dir $PWD/here_2

== what a run was started with may be said again when it is resumed, in other words too
uses tale
$ gradus train tale.txt $small --max_iters 2 --arch llama --tokenizer auto --dtype auto --out_dir run
$ gradus train --resume run $small --max_iters 2 --arch llama --tokenizer auto --dtype auto
2> run: finished at step 2; the run in run cannot be extended, since its learning rate has reached 0 (min_lr) by step 2; a longer run: gradus train tale.txt --n_layer 1 --n_head 1 --n_embd 16 --block_size 16 --batch_size 4 --threads 1 --arch llama --tokenizer auto --dtype auto --max_iters 4 --out_dir run_2; more training of its model: gradus train $PWD/tale.txt --init_from run --out_dir run_2
$ gradus train --resume run --arch gpt2
! 1 gradus train: --arch: the run in run was started with llama, not gpt2; a resumed run keeps its settings
gradus train --resume run --tokenizer byte  ! 1 --tokenizer
gradus train --resume run --bias true       ! 1 --bias

== a word of LaTeX in --stop and --prompt is not read as a line feed without a word
uses char-run
$ gradus sample run --seed 1 --max_new_tokens 3 --stop '\nabla'
2> --stop: \nabla: \n is a line feed, \t a tab, \r a carriage return; \\ is a backslash
2> *
$ gradus sample run --seed 1 --max_new_tokens 3 --stop '\\nabla'
2> 3 tokens in *
$ gradus sample run '\nabla' --seed 1 --max_new_tokens 0
! 1 gradus sample: --prompt: byte 1: 'a' is not in the vocabulary; --unknown skip leaves it out
$ gradus sample run 'The\n' --seed 1 --max_new_tokens 0
1> The
1>

== the man page has the sections that are looked for
$ gradus --man
1> .TH GRADUS 1
1> .SH NAME
1> *
1> .SH EXIT STATUS
1> *
1> .SH SEE ALSO
1> *

== a resumed run proposes a new one by the command that began it
uses tale
$ gradus train tale.txt $small --max_iters 2 --decay_lr false --out_dir z
$ gradus train --resume z --max_iters 3
2> *
2> to try it: gradus train tale.txt --n_layer 1 --n_head 1 --n_embd 16 --block_size 16 --batch_size 4 --threads 1 --decay_lr false --max_iters 1000 --out_dir z_2

== the tokens of the validation text are counted alike wherever they are said
uses tale
$ gradus train tale.txt $small --max_iters 2 --eval_tokens 50 --tokenizer char --out_dir run
2> *
2> evaluations read 50 of the 203 validation tokens, the same each time (--eval_tokens 0: all)
2> *
2> done: 2 steps, best validation loss * (measured on 203 validation tokens; the evaluation estimated *)*
2> *
$ gradus info run
1> *
1>   validation loss   * (nats per token, measured on 203 tokens)
1> *

== of two files with the same name the folder is said
$ mkdir tales tales/old tales/new
$ repeat 60 'The fox said % words to the hen.\n' > tales/new/tale.txt
$ repeat 60 'The hen said % words to the fox.\n' > tales/old/tale.txt
$ gradus train tales $small --max_iters 1 --val_fraction 0.6 --out_dir run
$ gradus info run
1> *
1>   validation        the last 60 %, from new/tale.txt, byte *, to old/tale.txt
1> *

== the help says of flags what a command has
$ gradus {eval|report|sample|export} --help > help.txt
$ grep max_iters help.txt
! 1
