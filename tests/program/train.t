# gradus train: what it prints, what it leaves behind, and that a run which was stopped ends in the same
# bytes as one which was not.
small = --n_layer 2 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 --eval_interval 10 --warmup_iters 3 --lr_decay_iters 30

== a run prints nanoGPT's lines and leaves model, checkpoint and log
uses fables
$ gradus train tale.txt --max_iters 25 $small
1> step 0: train loss {3.2 ~ 0.5}, val loss *
1> step 10: train loss *, val loss *
1> step 20: train loss *, val loss *
1> step 25: train loss *, val loss *
2> tale.txt: 3,698 tokens (char, *
2> *
2> iter 0: loss {3.2 ~ 0.5}, *
2> *
2! *evaluations read*
$ ls out/tale
1> checkpoint.safetensors
1> log.csv
1> model.safetensors
1> samples.txt
1> sessions.jsonl
1> times.csv
$ cat out/tale/log.csv
1> step,loss,learning_rate,gradient_norm,train_loss,val_loss
1> 0,,,,{3.2 ~ 0.5},*
1> *
$ gradus train tale.txt --max_iters 1 --out_dir some --eval_tokens 100 $small
2> *
2> *evaluations read 100 of the * validation tokens, the same each time (--eval_tokens 0: all)
2> *
# It is said before the text is read.
gradus train gone/tale.txt $small  ! 1 out/tale
$ gradus train --resume out/tale
2> *
2> out/tale: finished at step 25; a larger --max_iters continues it

== n-grams are counted for texts of up to 20,000,000 tokens
$ repeat 6666667 baa > longer.txt
$ head -c 20000000 longer.txt > long.txt
$ gradus train long.txt --max_iters 1 --eval_iters 1 --out_dir run $small
2> *
2> for comparison, n-grams of *
2> *
$ gradus train longer.txt --max_iters 1 --eval_iters 1 --out_dir longer $small
2! *n-grams*

== a run is resumed from another directory
uses fables
$ gradus train tale.txt --max_iters 20 --out_dir whole $small
$ gradus train tale.txt --max_iters 10 --out_dir parts $small
$ mkdir elsewhere
$ cd elsewhere
$ gradus train --resume ../parts --max_iters 20
$ cd ..
$ diff whole parts times.csv sessions.jsonl

== a text ends, for sampling, at the token that its training part has least of
# 1000 letters: 900 are trained on, with 2 c and 2 d; the first of the two counts.
$ repeat 200 ab > many
$ cat many > ab
$ printf cd > cd
$ cat cd cd ab ab > training
$ printf '' > none
$ repeat 98 ab > rest
$ cat training rest > letters.txt
$ gradus train letters.txt --tokenizer char --max_iters 1 --out_dir run $small
$ metadata run/checkpoint.safetensors note.end_token note.end_token_count
1> note.end_token: 2
1> note.end_token_count: 2
# Validation has an e that training has not.
$ printf e > e
$ cat training rest e > letters.txt
$ gradus train letters.txt --tokenizer char --max_iters 1 --force --out_dir run $small
$ metadata run/checkpoint.safetensors note.end_token note.end_token_count
1> note.end_token: 4
1> note.end_token_count: 0

== resuming refuses another corpus and other settings, naming both values
uses fables
$ repeat 90 'The {fox|hen|mouse} said % words to the {goose|miller}.\n' > other.txt
$ gradus train tale.txt --max_iters 5 --out_dir run $small
$ gradus train --resume run --max_iters 9 --n_layer 3
! 1 gradus train: --n_layer: the run in run was started with 2, not 3; a resumed run keeps its settings
$ gradus train --resume run --max_iters 9 --learning_rate 0.5
! 1 gradus train: --learning_rate: the run in run was started with *, not 0.5; a resumed run keeps its settings
gradus train --resume run --max_iters 9 --seed 7  ! 1 --seed
$ gradus train --resume run --max_iters 9 other.txt
! 1 gradus train: other.txt: is not the text the run was started on, $PWD/tale.txt (3,698 bytes, checksum 0f40d826b97b8f3f), but 3,333 bytes, checksum 86274b43d05076cf; a run continues with its own text only; --force starts over with another
$ gradus train --resume run --max_iters 9 --n_layer 2 --seed 1337 tale.txt --out_dir ./run/

== weights and moments that are not finite never replace a checkpoint that is good
uses fables
# The weights grow a thousandfold with each update; every update is saved.
$ gradus train tale.txt --n_layer 1 --n_head 1 --n_embd 8 --block_size 8 --batch_size 2 --max_iters 40 --eval_interval 1000 --save_interval 1 --learning_rate 1 --min_lr 1 --warmup_iters 0 --weight_decay 1000 --out_dir run --arch gpt2 --optimizer adamw --batches random --init_std 0.02 --dtype float32
! 1
1> *
2> *
2> gradus train: step *: the weight transformer.* is no longer finite; nothing was saved since*
$ gradus train --resume run
! 1
1> *
2> *; steps *
2> *
2! *expected a finite*
# The same when the end of the run asks for the checkpoint.
$ gradus train tale.txt --n_layer 1 --n_head 1 --n_embd 8 --block_size 8 --batch_size 2 --max_iters 14 --eval_interval 1000 --eval_iters 1 --learning_rate 1 --min_lr 1 --warmup_iters 0 --weight_decay 1000 --out_dir last
! 1
1> *
$ metadata last/checkpoint.safetensors step
1> step: 0
$ ls last/model.safetensors
! 1

== a checkpoint that no run could have written is refused before any output
uses fables
$ gradus train tale.txt --max_iters 5 --out_dir run --optimizer adamw $small
$ cp -r run {1|2|3|4|5|6}
$ edit {1/checkpoint.safetensors exp_avg_sq.transformer.h.1.mlp.c_fc.weight[9]=-1e-9|2/checkpoint.safetensors exp_avg.transformer.h.1.mlp.c_fc.weight[9]=nan|3/checkpoint.safetensors exp_avg_sq.transformer.h.1.mlp.c_fc.weight[9]=nan|4/checkpoint.safetensors transformer.h.1.mlp.c_fc.weight[9]=nan|5/checkpoint.safetensors note.ngram_3=many|6/checkpoint.safetensors best_val_loss=low}
$ gradus train --resume 1 --max_iters 6
! 1 gradus train: 1/checkpoint.safetensors: tensor "exp_avg_sq.transformer.h.1.mlp.c_fc.weight": -1e-09 is negative, expected a mean of squares
gradus train --resume 2 --max_iters 6  ! 1 2/checkpoint.safetensors: tensor "exp_avg.transformer.h.1.mlp.c_fc.weight"
gradus train --resume 3 --max_iters 6  ! 1 3/checkpoint.safetensors: tensor "exp_avg_sq.transformer.h.1.mlp.c_fc.weight"
gradus train --resume 4 --max_iters 6  ! 1 4/checkpoint.safetensors: tensor "transformer.h.1.mlp.c_fc.weight"
gradus train --resume 5 --max_iters 6  ! 1 5/checkpoint.safetensors: metadata "note.ngram_3"
gradus train --resume 6 --max_iters 6  ! 1 6/checkpoint.safetensors: metadata "best_val_loss"
$ gradus train --resume run --max_iters 6

== a checkpoint without a position for each sequence of the next batch is refused
uses fables
$ gradus train tale.txt --max_iters 5 --out_dir run $small
$ metadata run/checkpoint.safetensors next_batch
1> next_batch: 1506 18 626 2466
$ edit run/checkpoint.safetensors 'next_batch=1 2 3'
$ gradus train --resume run --max_iters 6
! 1 gradus train: run/checkpoint.safetensors: metadata "next_batch": 3 positions for batch_size 4
$ edit run/checkpoint.safetensors 'next_batch=1 2 3 4 3'
gradus train --resume run --max_iters 6  ! 1 run/checkpoint.safetensors: metadata "next_batch"
$ edit run/checkpoint.safetensors 'next_batch=1 2 3 4'
$ gradus train --resume run --max_iters 6

== a run of another version is not gone on with; its model is
uses fables
$ gradus train tale.txt --max_iters 5 --out_dir run $small
$ cp -r run {none|new}
$ edit {run/checkpoint.safetensors format_version=4|none/checkpoint.safetensors format_version=|new/checkpoint.safetensors format_version=6}
$ gradus {train --max_iters 6 --resume|report} {run|none|new}
! 1 gradus *: */checkpoint.safetensors: a run of another version of gradus, which updates weights in another way; to start a new run from its model: gradus train TEXT --init_from *
$ gradus train tale.txt --init_from run --max_iters 2 --out_dir tuned
$ edit run/checkpoint.safetensors format_version=5
$ gradus train --resume run --max_iters 6
# A model under a checkpoint's name.
$ mv run/model.safetensors run/checkpoint.safetensors
$ gradus train --resume run --max_iters 6
! 1 gradus train: run/checkpoint.safetensors: a model alone, without the optimizer's state that a run needs to continue; to start a new run from its model: gradus train TEXT --init_from run

== a model that overflows before the first update
uses fables
$ gradus train tale.txt --max_iters 1 --out_dir run $small
$ cp run/model.safetensors huge.safetensors
$ edit huge.safetensors '*[*]=1e25'
$ gradus train tale.txt --init_from huge.safetensors --max_iters 3 --out_dir h
! 1
1> step 0: *
2> *
2> gradus train: step 0: *, before any update: a lower --learning_rate does not help, smaller initial weights do

== a bpe's run is resumed with validation where it began
$ repeat 200 'The {fox|hen|mouse} said % words to the {goose|miller}.\n' > words
# Other words: more tokens than bytes would tell.
$ repeat 215 'zzyzx! ' > others
$ cat words others > tale.txt
$ gradus train tale.txt --out_dir whole $small --tokenizer bpe --vocab_size 280 --eval_interval 2 --max_iters 6 --lr_decay_iters 6
$ gradus train tale.txt --out_dir parts $small --tokenizer bpe --vocab_size 280 --eval_interval 2 --max_iters 3 --lr_decay_iters 6
$ gradus train --resume parts --max_iters 6
$ cmp whole/checkpoint.safetensors parts/checkpoint.safetensors

== several texts of any kind are joined in their order
$ repeat 300 '#\xff%\x80\xe9 \xf0' > noise.bin
$ repeat 20 'The {fox|hen|mouse} said % words to the {goose|miller}.\n' > tale.txt
$ gradus train noise.bin tale.txt --max_iters 2 --out_dir run $small
2> *
2> noise.bin: byte 1: 0xff is not UTF-8; training on bytes instead of characters (if the text is Latin-1, * UTF-8)
2> *

== a run stopped after the evaluation of step 0 repeats it when it is resumed
uses fables
# With random batches, an evaluation made twice would draw other numbers.
$ gradus train tale.txt --max_iters 20 $small --eval_iters 1 --out_dir whole
$ gradus train tale.txt --max_iters 0 $small --eval_iters 1 --out_dir none
$ ls none/model.safetensors
1> none/model.safetensors
$ gradus train --resume none --max_iters 20 --minutes 1e-9
2> *
2> stopped at step 0 of 20; to continue: gradus train --resume none
2> *
$ gradus train --resume none --max_iters 20
$ diff whole none times.csv sessions.jsonl

== a byte-order mark is no character of a text or a prompt
uses fables
$ printf '\xef\xbb\xbf' > mark
$ cat mark tale.txt > marked.txt
$ gradus train marked.txt --val_text marked.txt --max_iters 10 $small > of_marked
$ gradus train tale.txt --val_text tale.txt --max_iters 10 $small > of_tale
$ cmp of_marked of_tale
$ gradus eval out/marked marked.txt > of_marked
$ gradus eval out/tale tale.txt > of_tale
$ cmp of_marked of_tale
$ gradus train {marked.txt marked.txt > of_marked|tale.txt tale.txt > of_tale} --max_iters 1 $small --force --out_dir two
$ cmp of_marked of_tale
$ head -c 9 tale.txt > plain
$ cat mark plain > with_mark
$ utf16 plain > wide
$ gradus sample out/tale --temperature 0 --max_new_tokens 9 --prompt {FILE:plain > 0|FILE:with_mark > 1|FILE:wide > 2|- < with_mark > 3|- < wide > 4|$'\xef\xbb\xbfThe fox s' > 5}
$ cmp 0 {1|2|3|4|5}
$ cat 0
1> The fox s*
$ gradus chat out/tale --unknown error --temperature 0 < plain > of_plain
$ gradus chat out/tale --unknown error --temperature 0 < with_mark > of_marked
$ cmp of_plain of_marked
$ cat plain with_mark > middle
$ gradus chat out/tale --unknown error --temperature 0 < middle
! 1
1> *
2> *
2> gradus chat: prompt: byte 9: U+FEFF is not in the vocabulary; --unknown skip leaves it out
2> *

== files without plain text are refused by name, unless --tokenizer is byte
uses fables
$ printf '%PDF-1.4\n' > pdf
$ cat pdf tale.txt > tale.pdf
$ gradus train tale.pdf $small
! 1 gradus train: tale.pdf: is a PDF; pdftotext converts it to text; --tokenizer byte trains on the bytes as they are
$ ls out
! 1
$ gradus train tale.pdf --tokenizer byte --max_iters 2 $small
$ gradus train --resume out/tale --max_iters 3
$ mkdir book
$ cp tale.txt book/a.txt
$ printf '\x89PNG\r\n\x1a\n\x00\x00' > book/b.png
$ mv pdf book/c.pdf
$ gradus train book --max_iters 2 $small
2> *
2> book: left out: 2 non-text files (b.png, c.pdf)
2> *
$ gradus train --resume out/book --max_iters 3

== a text without line feeds is said to be one, once [posix]
$ repeat 100 'The {fox|hen|mouse} said % words to the {goose|miller}\r\r' > mac.txt
$ mkdir macs
$ cp mac.txt 'macs/a b'
$ printf '\r' > end
$ cat mac.txt end > macs/c
$ repeat 10 'The {fox|hen|mouse} said % words to the {goose|miller}.\n' > lf
$ printf '\r\n' > crlf
$ cat lf crlf > macs/b
$ gradus train mac.txt --max_iters 1 $small
2> mac.txt: no line feeds: lines end with CR alone, and so will those of samples; tr '\r' '\n' <mac.txt writes the text with line feeds
2> mac.txt: *
2> *
$ gradus train macs --max_iters 1 $small
2> macs/a b and 1 other file: no line feeds: lines end with CR alone, and so will those of samples; tr '\r' '\n' <'macs/a b' writes the text with line feeds
2> macs/b: some lines end in CRLF, some in LF, and so will those of samples; tr -d '\r' <macs/b writes the text with line feeds
2> macs (3 files): *
2> *

== a text is the same with CRLF, in UTF-16 and with a byte-order mark
$ repeat 300 'line #%\n' > lf
$ repeat 300 'line #%\r\n' > crlf
$ utf16 lf > wide
$ utf16 crlf > wide_crlf
$ printf '\xef\xbb\xbf' > mark
$ cat mark lf > marked
$ cat mark crlf > marked_crlf
$ gradus train wide_crlf --max_iters 6 $small --eval_interval 3
2> *
2> wide_crlf: is UTF-16, read as UTF-8 (3,141 bytes)
2> wide_crlf: lines end in CRLF, read as LF
2> *
$ gradus train {lf|crlf|wide|wide_crlf|marked|marked_crlf} --max_iters 6 $small --eval_interval 3 --tokenizer {byte|char} --force
$ cmp out/{crlf|wide|wide_crlf|marked|marked_crlf}/log.csv out/lf/log.csv
# Each is known for the others: a run continues, and eval, --val_text and --init_from say it.
$ gradus train --resume out/{lf|crlf|wide|wide_crlf|marked|marked_crlf} --max_iters 7
$ gradus train --resume out/wide {lf --max_iters 8|crlf --max_iters 9|wide_crlf --max_iters 10|marked --max_iters 11}
$ gradus eval out/marked {lf|crlf|wide|wide_crlf|marked|marked_crlf}
2> *
2> *; the model was trained on *, except for its validation part
$ gradus train lf --val_text {crlf|wide|wide_crlf|marked|marked_crlf} --max_iters 0 --force --out_dir copy $small
2> *
2> *: is validation text with the contents of a training text, lf; the loss says little about other texts
2> *
$ gradus train {lf|crlf|wide|wide_crlf|marked|marked_crlf} --init_from out/lf --max_iters 0 --force --out_dir tuned
2> *
2> *, which was trained on this text: *
2> *
# Version 0.3 stored the checksum of the bytes for a text with a mark and line feeds.
$ gradus train {wide|marked} $small --force --max_iters 1 --lr_decay_iters 9
$ edit out/wide/checkpoint.safetensors text.0.hash=4270433269142415691
$ edit out/marked/checkpoint.safetensors text.0.hash=9713415701540523614
$ gradus train --resume out/{wide|marked} --max_iters 2
$ gradus train --resume {out/wide wide|out/marked marked} --max_iters 3
$ edit out/wide/checkpoint.safetensors text.0.hash=1
$ gradus train --resume out/wide --max_iters 4
! 1 gradus train: $PWD/wide: is not the text the run was started on, *

== validation on a text that is trained on is said
$ repeat 40 'The {fox|hen|mouse} said % words to the {goose|miller}.\n' > a.txt
$ cp a.txt b.txt
$ repeat 41 'The {fox|hen|mouse} said % words to the {goose|miller}.\n' > c.txt
$ gradus train a.txt a.txt --max_iters 0 --force --out_dir r $small
2> *
2> a.txt: is validation text with the contents of a training text, a.txt; the loss says little about other texts
2> *
$ gradus train a.txt --val_text b.txt --max_iters 0 --force --out_dir r $small
2> *
2> b.txt: is validation text with the contents of a training text, a.txt; the loss says little about other texts
2> *
$ gradus train a.txt c.txt b.txt c.txt --val_fraction 0.6 --max_iters 0 --force --out_dir r $small
2> *
2> b.txt: is validation text with the contents of a training text, a.txt; so is 1 other file; the loss says little about other texts
2> *
$ gradus train {a.txt --val_text c.txt|a.txt b.txt c.txt|c.txt a.txt b.txt --val_fraction 0.7} --max_iters 0 --force --out_dir r $small
2! *contents are trained on*

== by default the context of a tiny text fits its validation part
$ printf 'The fox said 0 words to the goose.' > tiny.txt
$ gradus train tiny.txt --max_iters 1 --lr_decay_iters 9 --out_dir run
2> tiny.txt: * of 8 x 3 tokens, *
2> *
$ gradus train --resume run --max_iters 2
$ gradus report run

== of a directory, what is no text, backups and second names are left out [posix]
$ mkdir texts plain
$ repeat 40 'The {fox|hen|mouse} said % words to the {goose|miller}.\n' > plain/art
$ repeat 80 'The {fox|hen|mouse} said % words to the {goose|miller}.\n' > plain/tao
$ repeat 40 'The {fox|hen|mouse} said % words to the {hen|miller}.\n' > plain/zippy
$ cp plain/art plain/tao plain/zippy texts
$ printf '\x00\x00\x00\x01 index' > texts/art.dat
$ cp texts/art.dat texts/tao.dat
$ cp texts/art.dat texts/wisdom.dat
$ cp texts/art.dat texts/zippy.dat
$ repeat 300 '\x81\x81\x81\x81\x81\x81\x81\x81\x81\x81\x02' > texts/zz
$ repeat 81 'The {fox|hen|mouse} said % words to the {goose|miller}.\n' > texts/tao~
$ cp texts/tao~ texts/tao.bak
$ cp texts/tao~ texts/tao.swp
$ cp texts/tao~ texts/tao.orig
$ ln -s art texts/art.u8
$ ln texts/tao texts/tao.u8
$ ln -s ../texts/zippy texts/zippy.u8
$ cp texts/art 'texts/#art#'
$ cp texts/art texts/desktop.ini
$ ln -s ../plain texts/link
$ gradus train texts --max_iters 2 --out_dir run $small > of_texts
2> texts: left out: 5 backups (#art#, tao.bak, ...), 3 duplicates (art.u8, tao.u8, ...), 1 folder setting (desktop.ini), 1 linked folder (link), 5 non-text files (art.dat, tao.dat, ...)
2> texts (3 files): 5,880 tokens (char, 31 distinct), validated on the last 10 %, zippy from byte 851 on; *
2> *
$ gradus train plain --max_iters 2 --out_dir plain_run $small > of_plain
$ cmp of_texts of_plain
$ gradus eval run texts > of_texts
2> texts: left out: 5 backups (#art#, tao.bak, ...), 3 duplicates (art.u8, tao.u8, ...), 1 folder setting (desktop.ini), 1 linked folder (link), 5 non-text files (art.dat, tao.dat, ...)
2> *
$ gradus eval run plain > of_plain
$ cmp of_texts of_plain
$ gradus train texts texts --max_iters 2 --out_dir twice $small > of_texts
$ gradus train plain --max_iters 2 --force --out_dir plain_run $small > of_plain
$ cmp of_texts of_plain
# What is validated on is said, at the start, by info and in the report.
$ gradus info run
1> *
1>   validation        the last 10 %, zippy from byte 851 on
1> *
$ gradus report run
$ grep '"validation":"the last 10 %, zippy from byte ' run/report.html
1> *"validation":"the last 10 %, zippy from byte 851 on",*
# The same files again, named by their directory.
$ gradus train --resume run texts --max_iters 3
# Backups are left out where nothing else is there, and with --tokenizer byte.
$ mkdir other
$ cp texts/zz texts/tao~ other
$ gradus train other --max_iters 1 $small
! 1 gradus train: other: is a directory without a text in it; left out: 1 backup (tao~), 1 non-text file (zz)
$ gradus train texts --tokenizer byte --max_iters 1 --out_dir bytes $small
2> *
2> texts (8 files): *
2> *
# So are the pages and models that gradus wrote there.
$ gradus report run --output plain/page.html
$ gradus train plain --arch gpt2 --max_iters 2 --out_dir gpt2 $small
$ gradus export gpt2 hf plain/hf
$ gradus train plain --max_iters 2 --out_dir again $small > of_plain
2> plain: left out: 7 model files (hf/config.json, hf/generation_config.json, ...), 1 report page (page.html)
2> *
$ cmp of_texts of_plain

== a file that is named, and lies in a directory that is named too, is read once
$ mkdir texts
$ repeat 80 'The {fox|hen|mouse} said % words to the {goose|miller}.\n' > texts/tao
$ repeat 40 'The {fox|hen|mouse} said % words to the {hen|miller}.\n' > texts/art
$ gradus train texts/tao texts --max_iters 2 --out_dir run $small
1> *
2> texts: left out: 1 duplicate (tao)
2> *

== a few broken bytes are tokens of their own, many make all tokens bytes [posix]
uses fables
$ head -c 500 tale.txt > begin
$ printf '\xe9' > e9
$ cat begin e9 tale.txt > few.txt
$ gradus train few.txt --max_iters 2 $small
1> *bits per character*
1> *
2> few.txt: byte 500: 0xe9 is not UTF-8; such bytes become tokens of their own
2> few.txt: *tokens (char, *
2> *
$ gradus eval out/few few.txt
$ repeat 4 '\xe9' > e9s
$ cat tale.txt e9s > many.txt
$ gradus train many.txt --max_iters 2 $small
2> many.txt: byte 3698: 0xe9 is not UTF-8; training on bytes instead of characters (if the text is Latin-1, iconv -f LATIN1 -t UTF-8 makes it UTF-8)
2> *tokens (byte, *
2> *
$ printf 'max_iters = 2\n' > nano.py
$ gradus train many.txt --config nano.py --out_dir nano $small
$ gradus train many.txt --tokenizer char --out_dir again {|--config nano.py} $small
! 1 gradus train: many.txt: byte 3698: 0xe9 is not UTF-8

== a separator may be written with escapes; one that never occurs is said
uses fables
$ gradus train tale.txt --max_iters 2 --document_separator '\n' --out_dir lines $small
2! *does not occur*
$ gradus info lines
1> *
1>   documents end     with token *, "\n"
1> *
$ gradus train --resume lines --max_iters 3 --document_separator '\n'
$ gradus train tale.txt --max_iters 2 --document_separator '<|end|>' $small
2> *
2> --document_separator: "<|end|>" does not occur in the text; it is only added at the end
2> *

== a Python file among the texts may have been meant as --config
uses fables
$ printf 'max_iters = 3\n' > small.py
$ gradus train tale.txt small.py --max_iters 2 $small
2> *
2> small.py: is read as training text; did you mean --config small.py?
2> *

== an evaluation that is not the best names the best one
uses fables
# 60 characters to memorize, and another text to validate on.
$ printf 'The fox said 0 words to the goose.\nThe hen said 1 words to the miller.\nZYXWVUTSRQPONMLKJIHGFEDCBAZYXWVUTSRQPO' > short.txt
$ gradus train short.txt --learning_rate 0.03 --optimizer adamw --val_fraction 0.35 $small --out_dir run --eval_interval 1 --max_iters 60
1> step 0: *
1> step 1: train loss *, val loss *, * bits per character
1> *
1> step 60: train loss *, val loss *, * bits per character, best * at step *

== names that are no text are escaped in everything that is said [posix]
uses fables
$ cp tale.txt $'two\nlines\x1b[31m.txt'
$ gradus train $'two\nlines\x1b[31m.txt' --max_iters 1 $small
2> two\nlines\x1b[31m.txt: *
2> *
2> *gradus sample $'out/two\x0alines\x1b[31m'; *
2> *

== a directory stands for the files in it, by their names [posix]
$ mkdir book/part/.git
$ printf '' > book/0
$ printf '' > book/part/empty
$ mkfifo book/pipe
$ ln -s ../book book/part/loop
$ ln -s loop book/loop
$ ln -s nothing book/broken
$ repeat 60 'The {fox|hen|mouse} said % words to the {goose|miller}.\n' > book/a.txt
$ repeat 50 'The {fox|hen|mouse} said % words to the {goose|miller}.\nquick brown\n' > book/part/b.txt
$ printf '\xff hidden' > book/.hidden
$ printf '\xff hidden' > book/part/.git/c
$ cat book/a.txt book/part/b.txt > joined.txt
$ gradus train book/ --max_iters 3 $small > of_book
2> book/ (2 files): *
2> *
$ gradus train joined.txt --max_iters 3 --out_dir joined $small > of_joined
$ cmp of_book of_joined
$ cmp joined/log.csv out/book/log.csv
$ gradus eval joined book > eval_book
$ gradus eval joined joined.txt > eval_joined
$ cmp eval_book eval_joined
# Where a run lies among its texts, its files are none of them.
$ cd book
$ gradus train . --max_iters 3 $small > ../inside
$ cmp ../inside ../of_joined
$ gradus train . --max_iters 3 $small --force > ../inside
$ cmp ../inside ../of_joined
$ cd ..
$ ls book/out/book
1> *
1> model.safetensors
1> *
# A file more is no reason not to go on with those there were, unless it is asked to be read.
$ printf more > book/new.txt
$ gradus train --resume out/book --max_iters 4
$ gradus train --resume out/book book --max_iters 5
! 1 gradus train: book (3 files): the run in out/book was started on 2 texts, not 3
$ printf '' > book/new.txt
$ gradus train --resume out/book book --max_iters 5
$ printf '\xc3' > book/part/b.txt
$ gradus train book --tokenizer char --force $small
! 1 gradus train: book/part/b.txt: byte 0: 0xc3 is not UTF-8

== a validation text of its own: a run is resumed with it, and other ones are refused
uses fables
$ repeat 30 'The {fox|hen|mouse} said % words to the {goose|miller}.\n' > short
# A letter of its own.
$ printf 'Über\n' > letter
$ cat short letter > val.txt
$ repeat 31 'The {fox|hen|mouse} said % words to the {goose|miller}.\n' > other.txt
$ printf '\xff' > byte
$ cat short byte > bytes.txt
$ gradus train tale.txt --val_text val.txt --dtype float32 --max_iters 10 --out_dir run --min_lr 1e-4 $small
2> tale.txt: 3,698 tokens (char, 33 distinct), validated on *
2> *
$ gradus info run
1> *
1>   validation        val.txt, 1,114 bytes
1> *
$ gradus train --resume run --max_iters 20
$ gradus train --resume run tale.txt --val_text val.txt --max_iters 30
$ gradus train tale.txt --val_text val.txt --dtype float32 --max_iters 30 --out_dir whole --min_lr 1e-4 $small
$ diff whole run times.csv sessions.jsonl
# It has not been trained on the validation text.
$ gradus eval whole val.txt
1> *
2> val.txt: 1,112 tokens predicted, 1,112 characters
$ gradus train --resume run --max_iters 40 --val_text other.txt
! 1 gradus train: other.txt: is not the validation text the run was started on, $PWD/val.txt (1,114 bytes, checksum 01c15f81eeafb9b0), but 1,144 bytes, checksum 27ba1012918000ee; a run continues with its own text only; --force starts over with another
$ printf 'Üben\n' > letter
$ cat short letter > val.txt
$ gradus train --resume run --max_iters 40
! 1 gradus train: $PWD/val.txt: is not the validation text the run was started on, $PWD/val.txt (1,114 bytes, checksum 01c15f81eeafb9b0), but 1,114 bytes, checksum 9cef9cc5e2d9905e; a run continues with its own text only; --force starts over with another
$ gradus train --resume run --max_iters 40 --val_fraction 0.1
! 1 gradus train: --val_fraction: the run in run was started without it, not with 0.1; a resumed run keeps its settings
$ gradus train tale.txt --val_text val.txt --val_fraction 0.2
! 2 gradus train: --val_text: replaces --val_fraction; expected one of them
gradus train tale.txt --val_text none.txt  ! 1 none.txt
$ gradus train tale.txt --val_text bytes.txt --tokenizer char
! 1 gradus train: bytes.txt: byte 1108: 0xff is not UTF-8
$ printf 'The fox said 1.\n' > short.txt
$ gradus train tale.txt --val_text short.txt $small
! 1 gradus train: short.txt: the validation part has 16 tokens, block_size + 1 = 17 are needed: --block_size 15
$ gradus train short.txt --val_text tale.txt $small
! 1 gradus train: short.txt: the training part has 16 tokens, block_size + 1 = 17 are needed: --block_size 15
$ gradus train tale.txt --max_iters 1 --out_dir plain $small
$ gradus train --resume plain --max_iters 20 --val_text val.txt
! 1 gradus train: --val_text: the run in plain was started without it, not with val.txt; a resumed run keeps its settings

== a bpe tokenizer goes out as GPT-2's files and in again
$ repeat 200 'The {fox|hen|mouse} said % words to the {goose|miller}.\n' > tale.txt
# Else validation begins where learning ended.
$ repeat 20 'The {fox|hen|mouse} said % words to the {goose|miller}.\n' > val.txt
$ gradus train tale.txt --val_text val.txt --tokenizer bpe --vocab_size 300 --out_dir a --max_iters 3 $small
$ mkdir new
$ gradus export a hf new/tokenizer
$ gradus train tale.txt --val_text val.txt --tokenizer new/tokenizer --out_dir b --max_iters 3 $small
$ cmp a/checkpoint.safetensors b/checkpoint.safetensors
$ gradus train --resume b --tokenizer new/tokenizer --max_iters 4
$ mkdir hollow half other cut gap unknown
$ cp new/tokenizer/vocab.json half
$ cp new/tokenizer/vocab.json other
$ cp new/tokenizer/merges.txt cut
$ cp new/tokenizer/merges.txt gap
$ cp new/tokenizer/vocab.json unknown
# The last merge, of 6 bytes, is missing.
$ head -c -6 new/tokenizer/merges.txt > other/merges.txt
$ head -c 1000 new/tokenizer/vocab.json > cut/vocab.json
$ sed s/:7,/:999,/ new/tokenizer/vocab.json > gap/vocab.json
$ printf 'xq zz\n' > pair
$ cat new/tokenizer/merges.txt pair > unknown/merges.txt
gradus train tale.txt --tokenizer hollow  ! 1 hollow/vocab.json
gradus train tale.txt --tokenizer half  ! 1 half/merges.txt
$ gradus train tale.txt --tokenizer cut
! 1 gradus train: cut/vocab.json: byte 1000: expected ':', found the end
$ gradus train tale.txt --tokenizer gap
! 1 gradus train: gap/vocab.json: byte 55: id 999, expected each of 0..299 once
$ gradus train tale.txt --tokenizer unknown
! 1 gradus train: unknown/merges.txt: line 46: "xq" is not in vocab.json
$ gradus train --resume b --tokenizer other --max_iters 9
! 1 gradus train: --tokenizer: the run in b was started with another tokenizer than the one in other

== documents are kept apart, and a sample ends with its document
# Every document says the same: soon learned, its end too.
$ printf 'The fox said no.\n' > one
$ repeat 150 '<|endoftext|>The fox said no.\n' > more
$ printf '<|endoftext|>' > end
$ mkdir tales
$ cat one more > tales/a.txt
$ cat one more end > tales/b.txt
$ gradus train tales $small --document_separator '<|endoftext|>' --max_iters 150 --learning_rate 0.01 --min_lr 0.001 --out_dir run
2> tales (2 files): 5,436 tokens (char, 15 distinct)*
2> *
$ gradus info run
1> *
1>   documents end     with token 14, "<|endoftext|>"
1> *
# Without a prompt a sample is a document.
$ gradus sample run --temperature 0 {|--prompt 'The f'}
1> The fox said no.
1>
$ gradus eval run tales/a.txt --train_text tales/b.txt
1> *
1> 6-gram 0.0*
1> *
# 151 of 17 letters; the first is given.
2> * 2,717 tokens predicted, 2,566 characters*
2> n-grams of characters counted on tales/b.txt, their loss on this text in nats per token of the model:
$ gradus train --resume run --max_iters 151 --document_separator '<|endoftext|>'
$ gradus train --resume run --max_iters 152 --document_separator x
! 1 gradus train: --document_separator: the run in run was started with <|endoftext|>, not x; a resumed run keeps its settings
gradus train tales --document_separator ''  ! 2 --document_separator
$ cat end end > only.txt
gradus train only.txt --document_separator '<|endoftext|>'  ! 1 only.txt
# GPT-2's files hold the token, and who reads them finds it there.
$ gradus train tales --tokenizer bpe --vocab_size 270 --val_text tales/b.txt $small --document_separator '<|endoftext|>' --max_iters 150 --learning_rate 0.01 --min_lr 0.001 --out_dir bpe
$ gradus export bpe hf gpt2
$ cat gpt2/vocab.json
1> {*"<|endoftext|>":26*}\c
$ gradus train tales --tokenizer gpt2 --val_text tales/b.txt $small --document_separator '<|endoftext|>' --max_iters 150 --learning_rate 0.01 --min_lr 0.001 --out_dir again
$ cmp bpe/log.csv again/log.csv
$ gradus train --resume again --tokenizer gpt2 --max_iters 151

== symbols that the model to begin with does not know are counted, or left out
uses fables
$ repeat 60 'The {fox|hen|mouse} said % words to the {goose|miller}.\n' > some
$ printf 'é @ é' > unknown
$ cat some unknown some > other.txt
$ gradus train tale.txt --max_iters 1 --tokenizer char --out_dir run $small
$ gradus train {other.txt|tale.txt --val_text other.txt} --init_from run --eval_interval 2 --lr_decay_iters 9 --out_dir no
! 1 gradus train: other.txt: byte 2221: U+00E9 is not in the vocabulary; --unknown skip leaves out the 3 symbols that are not in the vocabulary; a model trained with --tokenizer byte or bpe reads every text
$ ls no
! 1
$ gradus train other.txt --init_from run --eval_interval 2 --lr_decay_iters 9 --out_dir whole --unknown skip --max_iters 4
2> *
2> other.txt: 3 symbols that are not in the vocabulary, left out; 4,444 tokens are left
2> *
# A resumed run leaves out the same.
$ gradus train other.txt --init_from run --eval_interval 2 --lr_decay_iters 9 --out_dir half --unknown skip --max_iters 2
$ gradus train --resume half --max_iters 4
$ cmp half/log.csv whole/log.csv
$ gradus train tale.txt --val_text other.txt --unknown skip --max_iters 1 --init_from run --eval_interval 2 --lr_decay_iters 9 --out_dir apart
2> *
2> other.txt: 3 symbols that are not in the vocabulary, left out; 4,444 tokens are left
2> *
$ gradus train other.txt --val_text tale.txt --unknown skip --max_iters 1 --init_from run --eval_interval 2 --lr_decay_iters 9 --force --out_dir apart
2> *
2> other.txt: 3 symbols that are not in the vocabulary, left out; 4,444 tokens are left
2> *
2! tale.txt: * symbols *

== with a config a long text is read as characters, as by nanoGPT's own command
$ repeat 3000 'The fox # said % words to the hen.\n' > long.txt
$ printf 'n_layer = 2\n' > small.py
$ gradus train long.txt --max_iters 1 --out_dir run $small
2> *
2> long.txt: * tokens (bpe, *
2> *
$ gradus train long.txt --config small.py --max_iters 1 --force --out_dir run $small
2> *
2> long.txt: * tokens (char, *
2> *

== a model that knows the text goes on at a quarter of the rate
uses fables
$ repeat 90 'The {fox|hen|mouse} said % words to the {goose|miller}.\n' > other.txt
$ gradus train tale.txt --max_iters 5 --out_dir run $small
$ cp tale.txt renamed.txt
$ gradus train {renamed.txt|other.txt renamed.txt} --init_from run --max_iters 2 --force --out_dir on
2> *
2> *begins with the weights of run/model.safetensors, which was trained on this text: the default learning rate is a quarter of*
2> *
$ gradus info on
1> *
1>   learning_rate     0.00075
1> *
$ gradus train other.txt --init_from run --max_iters 2 --force --out_dir on
2! *a quarter of*
$ gradus info on
1> *
1>   learning_rate     0.003
1> *
$ gradus train tale.txt --learning_rate 0.002 --init_from run --max_iters 2 --force --out_dir on
2> *
2> *begins with the weights of run/model.safetensors, which was trained on this text: the default learning rate is a quarter of*
2> *
$ gradus info on
1> *
1>   learning_rate     0.002
1> *
# nanoGPT's rate is the same for every text.
$ printf 'max_iters = 2' > c.py
$ gradus train tale.txt --config c.py --init_from run --force --out_dir on
2> *
2> *begins with the weights of run/model.safetensors, which was trained on this text
2> *
$ gradus info on
1> *
1>   learning_rate     0.003
1> *
$ gradus train tale.txt --optimizer muon --init_from run --max_iters 2 --force --out_dir on
2> *
2> *begins with the weights of run/model.safetensors, which was trained on this text: the default learning rate is a quarter of*
2> *
$ gradus info on
1> *
1>   learning_rate     0.00125
1> *

== a build without MPI is not one of several processes
uses fables
$ {OMPI_COMM_WORLD_SIZE|PMI_SIZE|SLURM_STEP_NUM_TASKS}=4 gradus train tale.txt --max_iters 0 --force $small
! 1 gradus train: one of 4 processes (*_*), but this gradus is built to train in one; make MPI=1 builds it for several, and env -u *_* before the command trains in one
$ {OMPI_COMM_WORLD_SIZE|PMI_SIZE|SLURM_STEP_NUM_TASKS}=4 gradus train --help
$ {OMPI_COMM_WORLD_SIZE|PMI_SIZE|SLURM_STEP_NUM_TASKS}=1 gradus train tale.txt --max_iters 0 --force $small

== of a very long validation text the model that is kept is measured on 500,000 tokens
$ repeat 300 'abc acb {a|b|b|a}. ' > t.txt
$ repeat 55560 'abc acb. ' > long.txt
$ gradus train t.txt --val_text long.txt --tokenizer char --n_layer 1 --n_head 1 --n_embd 4 --block_size 8 --batch_size 500 --max_iters 1 --eval_tokens 100 --out_dir run
$ gradus report run --output - > page
$ grep '"measured_on":500000' page
1> *"measured_on":500000*

== a run's directory has the name of its text, without what follows the last point
$ repeat 40 'The {fox|hen|mouse} said % words to the {goose|miller}.\n' > my.notes.txt
$ gradus train my.notes.txt --max_iters 1 $small
1> *
2> *; in out/my.notes
2> *
$ ls out/my.notes
1> *

== the model that a run keeps is measured when the run is resumed, if it was ended before that
uses fables
$ gradus train tale.txt --max_iters 4 --eval_interval 2 --eval_iters 1 --out_dir run $small
$ cp run/model.safetensors whole
$ edit run/model.safetensors measured_val_loss-
$ edit run/model.safetensors measured_val_tokens-
$ cp run/model.safetensors unmeasured
$ gradus train --resume run
2> run: finished at step 4; a larger --max_iters continues it
$ cmp run/model.safetensors whole
# Without its text it stays as it is.
$ mv tale.txt gone.txt
$ cp unmeasured run/model.safetensors
$ gradus train --resume run
2> run: finished at step 4; a larger --max_iters continues it
$ cmp run/model.safetensors unmeasured

== a backup is told by the end of a file's name, not by its directory's
$ mkdir texts texts/old.bak
$ repeat 80 'The {fox|hen|mouse} said % words to the {goose|miller}.\n' > texts/the.original.txt
$ repeat 40 'The {fox|hen|mouse} said % words to the {hen|miller}.\n' > texts/old.bak/b~2.txt
$ gradus train texts --max_iters 1 --out_dir run $small
1> *
2> texts (2 files): *
2> *
