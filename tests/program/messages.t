# What the program says: files are named, commands that it proposes can be pasted and work, and a fact
# has one form in help, notes and errors.
small = --n_layer 1 --n_head 1 --n_embd 8 --block_size 8 --batch_size 2 --warmup_iters 0 --arch gpt2

== a damaged value in a model or a checkpoint is said with the file's name
uses tiny-run
$ mkdir 1
$ cp run/log.csv run/times.csv run/samples.txt run/model.safetensors 1
$ cp -r 1 {2|3|4}
$ cp -r run {5|6|7|8}
$ edit {1/model|5/checkpoint}.safetensors note.ngram_0=x
$ edit {2/model|6/checkpoint}.safetensors note.ngrams_of=x
$ edit {3/model|7/checkpoint}.safetensors weight_decay=x
$ edit {4/model|8/checkpoint}.safetensors note.end_token=x
$ gradus {info 1|eval 1 tale.txt}
! 1 gradus *: 1/model.safetensors: metadata "note.ngram_0": "x" is not a number
$ gradus info 2
! 1 gradus info: 2/model.safetensors: metadata "note.ngrams_of": "x" is not a character, a byte or a token
$ gradus {info|report} 3
! 1 gradus *: 3/model.safetensors: metadata "weight_decay": "x" is not a number in [0, 1000]
$ gradus {info 4|export 4 hf exported}
! 1 gradus *: 4/model.safetensors: metadata "note.end_token": "x" is not a whole number
gradus {train --resume 5|report 5|export 5 bin exported}  ! 1 5/checkpoint.safetensors: metadata "note.ngram_0"
gradus {train --resume 6|report 6|export 6 bin exported}  ! 1 6/checkpoint.safetensors: metadata "note.ngrams_of"
gradus {train --resume 7|report 7|export 7 bin exported}  ! 1 7/checkpoint.safetensors: metadata "weight_decay"
gradus {train --resume 8|report 8|export 8 bin exported}  ! 1 8/checkpoint.safetensors: metadata "note.end_token"

== a damaged log is said with the file's name
uses tiny-run
$ head -c 58 run/log.csv > run/head
$ mv run/head run/log.csv
$ printf 'x,,,,3.5,3.5\n' > x
$ cat run/log.csv x > torn
$ mv torn run/log.csv
$ gradus report run
! 1 gradus report: run/log.csv: line 2: "x", expected a number*
# Only a run that goes on reads its log.
$ edit run/checkpoint.safetensors max_iters=9
$ gradus train --resume run
2> *
2> run/log.csv: line 2: "x", expected a number*; it is now run/log.csv.bak
2> *

== a text without characters is named, for every tokenizer and command
uses tale
$ printf '\xff\xfe' > bom16.txt
$ printf '\xef\xbb\xbf' > bom.txt
$ printf '<|e|><|e|>' > ends.txt
$ gradus train bom.txt --out_dir no --tokenizer {auto|char|word|bpe|byte}
! 1 gradus train: bom.txt: is empty, expected a text
gradus train bom16.txt --out_dir no --tokenizer {auto|char|word|bpe|byte}  ! 1 bom16.txt
$ gradus train ends.txt --out_dir no --document_separator '<|e|>' --tokenizer {auto|char}
! 1 gradus train: ends.txt: no characters, expected at least one
$ gradus train ends.txt --out_dir no --document_separator '<|e|>' --tokenizer word
! 1 gradus train: ends.txt: no words, expected at least one
# A model with a separator in its tokenizer once looked at the last of no tokens.
$ gradus train tale.txt --document_separator '<|e|>' --max_iters 0 --out_dir apart $small
gradus eval apart bom.txt  ! 1 bom.txt
gradus eval apart bom16.txt  ! 1 bom16.txt

== texts and models that change places say so, and what to do [posix]
uses tiny-run
$ gradus {sample tale.txt|eval tale.txt run|train tale.txt --init_from tale.txt}
! 1 gradus *: tale.txt: is a text, expected a model; gradus train tale.txt trains a model on it
$ gradus train run/model.safetensors
! 1 gradus train: run/model.safetensors: is a model; a text is needed; gradus sample run/model.safetensors writes with the model, gradus train TEXT --init_from run/model.safetensors begins with its weights
$ gradus export run gguf run.gguf
$ gradus train run.gguf
! 1 gradus train: run.gguf: is not a text: byte 0 at offset 5; --tokenizer byte trains on the bytes as they are
$ gradus export run hf run_hf
$ gradus train run_hf
! 1 gradus train: run_hf: is the directory of a model; a text is needed; gradus sample run_hf writes with the model, gradus train TEXT --init_from run_hf begins with its weights
$ printf 'PK\x03\x04 ckpt/data.pkl' > ckpt.pt
$ gradus train ckpt.pt
! 1 gradus train: ckpt.pt: is a zip archive, as epub and odt are; unpack it, or save it as plain text; --tokenizer byte trains on the bytes as they are
$ gradus train run
! 1 gradus train: run: is a directory without a text in it; it is a run's directory, gradus train --resume run continues the run
$ mkdir given out
$ cp run/model.safetensors given
$ cp -r run 'out/my run'
$ gradus train given
! 1 gradus train: given: is a directory without a text in *; gradus sample given writes with the model, gradus train TEXT --init_from given begins with its weights; left out: 1 non-text file (model.safetensors)
$ gradus {train --resume|report} 'my run'
! 1 gradus *: my run: is not a directory, expected a run's directory; did you mean 'out/my run'?
$ gradus sample 'my run'
! 1 gradus sample: my run: cannot open: No such file or directory; did you mean 'out/my run'?

== what is no file at all is told apart from one that is missing [posix]
uses tiny-run
$ gradus {train|sample} 'http://a.b/c?d=1&e'
! 1 gradus *: http://a.b/c?d=1&e: cannot open: No such file or directory; gradus downloads nothing, curl -LO 'http://a.b/c?d=1&e' does
$ gradus {train -|eval run -|sample -}
! 1 gradus *: -: cannot open: No such file or directory; standard input is not read here, write it to a file first
gradus train gone.txt  ! 1 gone.txt

== the commands that a run proposes can be pasted into a shell [posix]
uses tale
$ gradus train tale.txt --max_iters 4 --out_dir=$'my run; it\x27s $HOME' $small
2> *
2> done: 4 steps, *; to read what it writes: gradus sample 'my run; it'\''s $HOME'; to look at the run: gradus report 'my run; it'\''s $HOME'
2> *
$ gradus report $'my run; it\x27s $HOME'
$ gradus sample $'my run; it\x27s $HOME'
$ ls $'my run; it\x27s $HOME'
1> *
1> model.safetensors
1> report.html
1> *
$ gradus train tale.txt --out_dir=$'my run; it\x27s $HOME' $small
! 1 gradus train: my run; it's $HOME: a run exists already; --resume 'my run; it'\''s $HOME' continues it, --force replaces it, --out_dir DIR writes elsewhere
$ gradus train --resume $'my run; it\x27s $HOME'

== the commands that a run with the name of a flag proposes can be pasted
uses tale
$ gradus train tale.txt --max_iters 4 --out_dir=-x $small
2> *
2> done: 4 steps, *; to read what it writes: gradus sample ./-x; to look at the run: gradus report ./-x
2> *
$ gradus {report|sample|train --resume} ./-x

== the commands that a run with letters above ASCII in its name proposes can be pasted [posix]
uses tale
$ gradus train tale.txt --max_iters 4 --out_dir=Übung $small
2> *
2> done: 4 steps, *; to read what it writes: gradus sample Übung; to look at the run: gradus report Übung
2> *
$ gradus {report|sample|train --resume} Übung

== a run that was stopped is resumed by the command that it says [signal]
uses tale
$ gradus train tale.txt --max_iters 1000000 --eval_interval 1000000 --log_interval 1 --out_dir 'my run' $small
signal INT after iter 3:
! 130
2> *
2> stopped at step * of 1000000; to continue: gradus train --resume 'my run'

== what --help proposes for a finished run works
$ repeat 60 'The fox said % words to the hen.\n' > my.txt
# All defaults but the length: the learning rate ends at 0.
$ gradus train my.txt --max_iters 2
$ gradus train --help
1> *
1>   gradus train --resume out/my*
1> *
$ gradus train --resume out/my

== a config and fine-tuning agree on the optimizer and its momentum
uses tiny-run
$ cat > c.py
| max_iters = 1
$ gradus train tale.txt --force --out_dir new --max_iters 1 {$small|$small --config c.py --optimizer muon|--init_from run --optimizer muon}
$ gradus info new
1> *
1>   optimizer         muon
1>   momentum          0.9
1> *
$ gradus train tale.txt --force --out_dir new --max_iters 1 $small --config c.py
$ gradus info new
1> *
1>   optimizer         adamw
1> *
$ gradus train tale.txt --force --out_dir new --max_iters 1 --init_from run
$ gradus info new
1> *
1>   optimizer         adamw
1> *

== notes on skipped flags come from every command that skips them
uses tiny-run
$ cp -r run longer
$ edit longer/checkpoint.safetensors max_iters=6
$ gradus {train --resume run|train --resume longer|sample run|eval run tale.txt|info run|export run bin noted|export run hf noted_hf|report run} --compile=False
2> *
2> --compile False: no meaning here, skipped
2> *

== a command is called by its own name
uses tiny-run
$ gradus sample run -i -n 2
| %
! 1
2> A GPT of 1,072 parameters continues what you enter. Ctrl-* ends.
2> gradus chat: prompt: none of its symbols is in the vocabulary
2> *
$ gradus chat run --unknown error -n 2
| %
! 1
2> *
2> gradus chat: prompt: byte 0: '%' is not in the vocabulary; --unknown skip leaves it out
2> *

== a command gives its own advice: how to go on with another text is for train alone
uses tale
$ gradus train tale.txt --max_iters 4 --out_dir run $small
$ cp tale.txt moved.txt
$ edit run/checkpoint.safetensors max_iters=9
$ printf 'more\n' > more
$ cat moved.txt more > tale.txt
$ gradus train --resume run
! 1 gradus train: *is not the text the run was started on, */tale.txt (*), but *; a run continues with its own text only; --force starts over with another
$ gradus report run
2> the page leaves out what needs the text of the run: $PWD/tale.txt: is not the text the run was started on, $PWD/tale.txt (2,031 bytes, checksum 19cbb0f4baf27093), but 2,036 bytes, checksum 07dd9df3fd8c53cc
2> wrote run/report.html, * kB, in * s; open it in a browser
$ grep --force run/report.html
! 1
$ gradus export run bin exported
! 1 gradus export: *is not the text the run was started on, */tale.txt (*), but *
2! *--force*
# No more is read than the run did, whatever is there by now: these zeros take no disk.
$ truncate -s 6000000000 tale.txt
$ gradus train --resume run
! 1 gradus train: *is not the text the run was started on, */tale.txt (*), but 6,000,000,000 bytes; *
$ rm tale.txt
$ mkdir tale.txt
$ cp moved.txt tale.txt/other.txt
$ gradus train --resume run
! 1 gradus train: $PWD/tale.txt: is not the text the run was started on, $PWD/tale.txt (2,031 bytes, checksum *), but a directory; a run continues with its own text only; --force starts over with another
$ gradus report run
2> the page leaves out what needs the text of the run: $PWD/tale.txt: is not the text the run was started on, $PWD/tale.txt (2,031 bytes, checksum 19cbb0f4baf27093), but a directory
2> wrote run/report.html, * kB, in * s; open it in a browser
$ gradus export run bin other
! 1 gradus export: $PWD/tale.txt: is not the text the run was started on, $PWD/tale.txt (2,031 bytes, checksum 19cbb0f4baf27093), but a directory
$ rm tale.txt
$ gradus train --resume run
! 1 gradus train: *tale.txt: cannot open: *; if it was moved, add its new path to the command
gradus train --resume run none.txt  ! 1 none.txt
$ gradus train --resume run moved.txt

== one of a thing is one thing, and a loss of 0 is no other kind of text
$ repeat 3000 a > one.txt
$ gradus train one.txt --max_iters 1 --out_dir run $small
2> *
2> done: 1 step, *
2> The validation loss is 0: every token*
2> *
$ gradus train one.txt --n_embd 1 --n_head 3
! 2 gradus train: --n_head: 1 channel is not divisible by 3 heads

== a text with a name that begins with a hyphen is given with its directory
$ printf 'a text' > ./-dash.txt
$ gradus train -dash.txt
! 2 gradus train: -dash.txt: unknown flag; the file is given as ./-dash.txt

== settings that may not mean what was meant are said at the start
$ repeat 1 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab c d. eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\n' > tale.txt
$ gradus train tale.txt --force --n_layer 1 --block_size 8 --out_dir run --max_iters 3 --learning_rate 0
2> *
2> learning_rate 0: no update changes the weights
2> *
2> With a learning rate of 0 nothing was learned.
$ gradus train tale.txt --force --n_layer 1 --block_size 8 --out_dir run --max_iters 3 --warmup_iters 5 --learning_rate 0.01
2> *
2> warmup_iters 5: the learning rate does not reach 0.01 in 3 updates
2> *
$ gradus train tale.txt --force --n_layer 1 --block_size 8 --out_dir run --max_iters 3 --warmup_iters 3 --learning_rate 0.01
2> *
2> warmup_iters 3: the learning rate does not reach 0.01 in 3 updates
2> *
$ gradus train tale.txt --force --n_layer 1 --block_size 8 --out_dir run --max_iters 3 --warmup_iters 2 --learning_rate 0.01
2! *does not reach*
$ gradus train tale.txt --force --n_layer 1 --block_size 8 --out_dir run --max_iters 1 --n_embd 9 --n_head 3
2> *
2> heads of 3 channels, an odd number, cannot have rotary positions, which rotate pairs; positions are learned
2> *
$ gradus train tale.txt --force --n_layer 1 --block_size 8 --out_dir run --max_iters 1 --n_embd 9 --n_head 3 --arch gpt2
2! *odd number*
