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

== records of somebody else's are kept under another name, and only by --force
uses hens
$ mkdir log.csv times.csv samples.txt
$ printf 'my own notes' > {log.csv/log.csv|times.csv/times.csv|samples.txt/samples.txt}
$ gradus train tale.txt --max_iters 4 --out_dir {log.csv|times.csv|samples.txt} $small
! 1 gradus train: *: was not written by gradus; --force renames it to NAME.bak, --out_dir DIR writes elsewhere
$ printf 'older notes' > {log.csv/log.csv.bak|times.csv/times.csv.bak|samples.txt/samples.txt.bak}
$ gradus train tale.txt --max_iters 4 --out_dir {log.csv|times.csv|samples.txt} $small --force
2> *
2> *: was not written by gradus; it is now *.bak2
2> *
$ cat {log.csv/log.csv.bak|times.csv/times.csv.bak|samples.txt/samples.txt.bak}
1> older notes\c
$ cat {log.csv/log.csv.bak2|times.csv/times.csv.bak2|samples.txt/samples.txt.bak2}
1> my own notes\c

== a model of another program is kept under another name, a page of somebody else's as it is
uses hens
$ mkdir mine
$ printf weights > mine/model.safetensors
$ printf '<title>my page</title>' > mine/report.html
gradus train tale.txt --max_iters 4 --out_dir mine $small  ! 1 mine/model.safetensors
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
$ mkdir logs links
$ ln tale.txt logs/log.csv
$ ln config.py links/times.csv
$ ln tale.txt prompt
$ printf '' > run/samples.txt
$ gradus sample run --prompt FILE:prompt --output tale.txt --force
! 1 gradus sample: prompt: is read by this command, and would be replaced by what it writes as tale.txt
gradus train tale.txt --max_iters 4 --out_dir run $small --init_from run --force  ! 1 run/model.safetensors
gradus train tale.txt --out_dir logs $small --force                               ! 1 tale.txt
gradus train tale.txt --out_dir links --config config.py $small --force           ! 1 config.py
gradus sample run --output run/model.safetensors --force                          ! 1 run/model.safetensors
gradus report run --output run/log.csv --force                                    ! 1 run/log.csv
gradus report run --output tale.txt --force                                       ! 1 *tale.txt

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
