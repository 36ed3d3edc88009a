# What --help says: its words, and a row of each shape. That each flag is listed: arguments_test.cpp.

== the program
$ gradus --help
1> gradus trains a small GPT on your text and writes more of it.
1>
1>   gradus train TEXT...        train a model on text files
1>   gradus train --resume DIR   continue a run that was stopped
1>   gradus sample MODEL [PROMPT]
1>                               write text
1>   gradus chat MODEL           enter prompts and read how the model continues
1>   gradus eval MODEL TEXT      measure how well a model predicts a text
1>   gradus info MODEL           say what a model is and how it was trained
1>   gradus report RUN...        make a page to look at: curves, samples, heads
1>   gradus export MODEL FORMAT PATH
1>                               write the model or its tokens for other programs
1>
1> MODEL is a run's directory, a .safetensors file, or what other programs saved:
1> a directory of transformers (GPT-2, Llama, Qwen3). To begin:
1>
1>   gradus train my.txt          takes a few minutes; its files go to out/my
1>   gradus sample out/my
1>
1> gradus COMMAND --help explains a command and its flags; gradus --version says
1> what this program was built from.

== train
$ gradus train --help
1> gradus train TEXT... [flags]
1> gradus train --resume DIR [flags]
1>
1> Trains a GPT on one or more text files, joined in the order given. A directory
1> stands for its texts, sorted by name, without hidden files and backups. Writes
1> to out_dir
1>   model.safetensors        the model with the lowest validation loss
1>   checkpoint.safetensors   all that --resume needs
1>   log.csv                  loss, learning rate and gradient norm of updates (in
1>                            long runs every n-th), and losses of evaluations
1>   times.csv, samples.txt   seconds; what the model writes
1>   sessions.jsonl           the commands that started and resumed the run
1>
1> Without flags, the text's size decides the model and its schedule.
1> Ctrl-C finishes the step, saves, and says how to continue.
1>
1>   gradus train my.txt
1>   gradus train a.txt b.txt --out_dir out/ab --minutes 10
1>   gradus train book/ --val_text other.txt --tokenizer bpe
1>   gradus train my.txt --n_layer 6 --n_head 6 --n_embd 384 --block_size 256
1>   gradus train my.txt --config config/train_shakespeare_char.py --max_iters=2000
1>   gradus train my.txt --init_from out/other
1>   gradus train --resume out/my
1>
1> Flags used most
1>   --out_dir DIR               directory that the run's files are written to
1>                               (default: out/NAME for NAME.txt); also -o
1> *
1> The run
1>   --force                     replace the run that is in out_dir
1> *
1>   --dtype float32|bfloat16|auto
1>                               how matrix products are computed: bfloat16 rounds
1>                               their factors to 8 bits of precision, which some
1>                               CPUs multiply twice as fast; auto uses bfloat16 on
1>                               those CPUs (default: auto in train without
1>                               --config and --init_from, else float32)
1> *
1> The text
1> *
1> The model
1> *
1>   --norm_eps X                added to the variance (or mean square) before a
1>                               norm divides by its root (default: 1e-5); also
1>                               --rms_norm_eps; also --layer_norm_epsilon
1> *
1> Training
1> *
1>   --init_std X                standard deviation of the initial weights; X /
1>                               sqrt(2 n_layer) for the projections into the
1>                               residual stream (default: 0.04; with --config
1>                               0.02); also --initializer_range
1> *
1>   --optimizer adamw|muon      adamw; or muon: Muon for the matrices of the
1>                               blocks and AdamW for all else, which often needs
1>                               fewer updates for the same loss, though each costs
1>                               more (default: muon; with --config or --init_from
1>                               adamw)
1> *
1> Learning rate
1>   --learning_rate X           learning rate after the warm-up, its largest value
1>                               (default: from the model's size); also --lr
1> *
1> Reports and checkpoints
1> *
1> The words of its reports
1>   step, iter                  step N: after N updates of the weights; iter N:
1>                               the update that follows it
1> *
1>   n-gram                      a prediction by counting which token followed the
1>                               last ones before; a model should beat it

== sample
$ gradus sample --help
1> gradus sample MODEL [PROMPT] [flags]
1>
1> Writes the prompt and how the model continues it. A line of dashes separates
1> samples. MODEL is a run's directory or a .safetensors file.
1>
1>   gradus sample out/my
1>   gradus sample out/my "Once upon a time"
1>   gradus sample out/my --prompt "Once upon a time" --num_samples 3 --seed 7
1>   gradus sample out/my --temperature 0 --max_new_tokens 100
1>
1> Flags used most
1>   --force                     replace the file of output, whatever it is
1>   --prompt TEXT               text that the sample begins with (\n is a line
1>                               feed, \t a tab, \xHH a byte, \\ a backslash);
1>                               FILE:NAME reads it as it is from a file, - from
1>                               standard input (default: a line feed); also
1>                               --start; also -p
1>   --max_new_tokens N          tokens to write in each sample, after the prompt
1>                               (default: 500); also -n; also --max_tokens; also
1>                               --n_predict
1>   --temperature X             below 1: more predictable; above 1: more varied;
1>                               0: always the most likely token (default: 0.8);
1>                               also --temp
1>
1> *
1> How a token is chosen
1> *

== the other commands
$ gradus {chat|eval|info|report|export} --help
1> gradus * [flags]
1>
1> *
