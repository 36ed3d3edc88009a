# What a command does with files that are there already: an old run goes when a new one is on the disk and
# not before, files of somebody else's never; a page or samples replace nothing unasked.
small = --n_layer 1 --n_head 2 --n_embd 16 --block_size 8 --batch_size 4 --eval_interval 4

== a new run by --force leaves nothing of the old one
uses hens
$ gradus train tale.txt --out_dir run $small --max_iters 8
$ gradus report run
$ ls run
1> checkpoint.safetensors
1> log.csv
1> model.safetensors
1> report.html
1> samples.txt
1> sessions.jsonl
1> times.csv
$ gradus train tale.txt --out_dir run $small --max_iters 4 --seed 2 --force
$ gradus train tale.txt --out_dir other $small --max_iters 4 --seed 2
$ diff run other times.csv sessions.jsonl

== a log of somebody else's is kept under another name, and only by --force
uses hens
$ mkdir mine
$ printf 'my own notes' > mine/log.csv
$ gradus train tale.txt --max_iters 4 --out_dir mine $small
! 1 gradus train: mine/log.csv: was not written by gradus; --force renames it to NAME.bak, --out_dir DIR writes elsewhere
$ printf 'older notes' > mine/log.csv.bak
$ gradus train tale.txt --max_iters 4 --out_dir mine $small --force
2> *
2> mine/log.csv: was not written by gradus; it is now mine/log.csv.bak2
2> *
unchanged mine/log.csv.bak
$ cat mine/log.csv.bak2
1> my own notes\c

== times of somebody else's are kept under another name, and only by --force
uses hens
$ mkdir mine
$ printf 'my own notes' > mine/times.csv
$ gradus train tale.txt --max_iters 4 --out_dir mine $small
! 1 gradus train: mine/times.csv: was not written by gradus; --force renames it to NAME.bak, --out_dir DIR writes elsewhere
$ printf 'older notes' > mine/times.csv.bak
$ gradus train tale.txt --max_iters 4 --out_dir mine $small --force
2> *
2> mine/times.csv: was not written by gradus; it is now mine/times.csv.bak2
2> *
unchanged mine/times.csv.bak
$ cat mine/times.csv.bak2
1> my own notes\c

== samples of somebody else's are kept under another name, and only by --force
uses hens
$ mkdir mine
$ printf 'my own notes' > mine/samples.txt
$ gradus train tale.txt --max_iters 4 --out_dir mine $small
! 1 gradus train: mine/samples.txt: was not written by gradus; --force renames it to NAME.bak, --out_dir DIR writes elsewhere
$ printf 'older notes' > mine/samples.txt.bak
$ gradus train tale.txt --max_iters 4 --out_dir mine $small --force
2> *
2> mine/samples.txt: was not written by gradus; it is now mine/samples.txt.bak2
2> *
unchanged mine/samples.txt.bak
$ cat mine/samples.txt.bak2
1> my own notes\c

== a model of another program is kept under another name, a page of somebody else's as it is
uses hens
$ mkdir mine
$ printf weights > mine/model.safetensors
$ printf '<title>my page</title>' > mine/report.html
$ gradus train tale.txt --max_iters 4 --out_dir mine $small
! 1 gradus train: mine/model.safetensors: was not written by gradus; --force renames it to NAME.bak, --out_dir DIR writes elsewhere
$ gradus train tale.txt --max_iters 4 --out_dir mine $small --force
unchanged mine/report.html
$ cat mine/model.safetensors.bak
1> weights\c

== nothing that a command reads is replaced by what it writes [posix]
uses hens
$ printf 'n_layer = 1\n' > config.py
$ gradus train tale.txt --max_iters 4 --out_dir run $small
$ cp tale.txt run/samples.txt
$ gradus train {run/samples.txt --out_dir run|tale.txt --max_iters 4 --out_dir run --val_text run/samples.txt} $small --force
! 1 gradus train: run/samples.txt: is read by this command, and would be replaced by what it writes as run/samples.txt
$ gradus train tale.txt --max_iters 4 --out_dir run $small --init_from run --force
! 1 gradus train: run/model.safetensors: is read by this command, and would be replaced by what it writes as run/model.safetensors
$ mkdir links
$ ln tale.txt links/log.csv
$ gradus train tale.txt --out_dir links $small --force
! 1 gradus train: tale.txt: is read by this command, and would be replaced by what it writes as links/log.csv
$ rm links/log.csv
$ ln config.py links/times.csv
$ gradus train tale.txt --out_dir links --config config.py $small --force
! 1 gradus train: config.py: is read by this command, and would be replaced by what it writes as links/times.csv
$ gradus sample run --output run/model.safetensors --force
! 1 gradus sample: run/model.safetensors: is read by this command, and would be replaced by what it writes as run/model.safetensors
$ ln tale.txt prompt
$ gradus sample run --prompt FILE:prompt --output tale.txt --force
! 1 gradus sample: prompt: is read by this command, and would be replaced by what it writes as tale.txt
$ printf '' > run/samples.txt
$ gradus report run --output run/log.csv --force
! 1 gradus report: run/log.csv: is read by this command, and would be replaced by what it writes as run/log.csv
$ gradus report run --output tale.txt --force
! 1 gradus report: *tale.txt: is read by this command, and would be replaced by what it writes as tale.txt

== report and sample replace what they did not write only by --force
uses hens
$ gradus train tale.txt --max_iters 4 --out_dir a $small
$ gradus train tale.txt --max_iters 4 --out_dir b --seed 2 $small
$ gradus report a
$ grep '<meta name="generator" content="gradus">' a/report.html
1> *<meta name="generator" content="gradus">*
# Of two runs it is a page of its own.
$ gradus report a b/
unchanged a/report.html
$ ls report-a-b.html
1> report-a-b.html
$ gradus report a b
$ printf '<!DOCTYPE html><title>mine</title>' > mine.html
$ gradus report a --output mine.html
! 1 gradus report: mine.html: exists already, and gradus report did not write it; --force replaces it
$ gradus sample a -n 5 --output mine.html
! 1 gradus sample: mine.html: exists already; --force replaces it
$ gradus report a --output mine.html --force
$ wc -c mine.html
1> {100000 ~ 50000}
$ gradus sample a -n 5 --output mine.html --force
$ wc -c mine.html
1> {50 ~ 49}

== a resumed run says so if its model is gone, and keeps the next best
uses hens
$ gradus train tale.txt --max_iters 8 --lr_decay_iters 100 --out_dir run $small
$ cp -r run cut
$ rm run/model.safetensors
$ head -c 3000 cut/model.safetensors > half
$ mv half cut/model.safetensors
$ gradus train --resume run --max_iters 12
2> *
2> run/model.safetensors: the model of step 8, the best so far, is missing or damaged; the best of the next evaluations is kept
2> *
$ gradus train --resume cut --max_iters 12
2> *
2> cut/model.safetensors: the model of step 8, the best so far, is missing or damaged; the best of the next evaluations is kept
2> *
$ gradus sample {run|cut} -n 2
# A log that was removed is begun again.
$ rm run/log.csv
$ gradus train --resume run --max_iters 16
$ cat run/log.csv
1> step,loss,*
1> 13,*
1> *
1! 12,*

== a run in a directory with another program's config.json is that run
uses hens
$ mkdir run
$ printf '{"name":"x"}' > run/config.json
$ gradus train tale.txt --max_iters 4 --out_dir run $small
$ gradus {sample run -n 2|info run|eval run tale.txt|report run}
