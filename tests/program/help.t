# What each command's --help says, whole: a default that changes, or a word, is a line of a diff.

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
1>   --resume DIR                continue the run in DIR exactly where it stopped;
1>                               only max_iters, the intervals and threads may be
1>                               changed; once the learning rate has reached 0,
1>                               where it ends by default, a run cannot be extended
1>   --minutes M                 train for about M minutes: measures this machine's
1>                               speed, then fixes max_iters; with resume: stop
1>                               after M minutes, or at max_iters
1>   --init_from MODEL           start from the weights of MODEL instead of random
1>                               ones, with its architecture and tokenizer
1>                               (fine-tuning); or resume, which continues the run
1>                               in out_dir (default: scratch)
1>
1> The run
1>   --force                     replace the run that is in out_dir
1>   --threads N                 threads to compute with; the result is the same
1>                               for any number of them (default: the CPUs this
1>                               process may use); also -t
1>   --config FILE               read flags from a config file in nanoGPT's form:
1>                               key = value, # comments; flags after it override
1>                               it
1>   --seed N                    seed of all random numbers: the same seed gives
1>                               the same result (default: 1337)
1>   --dtype float32|bfloat16|auto
1>                               how matrix products are computed: bfloat16 rounds
1>                               their factors to 8 bits of precision, which some
1>                               CPUs multiply twice as fast; auto uses bfloat16 on
1>                               those CPUs (default: auto in train without
1>                               --config and --init_from, else float32)
1>
1> The text
1>   --tokenizer char|byte|word|bpe|auto|DIR
1>                               how text is cut into tokens: char, byte, word, bpe
1>                               (byte-pair encoding, learned from the training
1>                               part), auto (chosen by the text's size and kind),
1>                               or the GPT-2 tokenizer in DIR (vocab.json and
1>                               merges.txt, as export hf writes them) (default:
1>                               auto; with --config char)
1>   --vocab_size N              with tokenizer bpe: the largest number of tokens
1>                               to learn, the 256 bytes included (default: from
1>                               the text)
1>   --val_text TEXT             file, or directory of files, to validate on
1>                               instead of val_fraction
1>   --document_separator TEXT   make TEXT one token that separates documents
1>                               (GPT-2's is <|endoftext|>; \n is a line feed, \xHH
1>                               a byte, \\ a backslash): it is added at the end of
1>                               each file, and a sample ends where the model
1>                               writes it; with a model of another program, only
1>                               that model's own separator
1>   --unknown error|skip        with init_from: what to do with symbols of the
1>                               text that are not in MODEL's vocabulary: error, or
1>                               skip them and say how many (default: error)
1>   --val_fraction F            share of the text, at its end, that is used for
1>                               validation and not trained on (default: 0.1)
1>
1> The model
1>   --arch gpt2|llama|qwen3     architecture: sets position, norm, activation and
1>                               qk_norm together; gpt2; llama: rotary positions,
1>                               RMS norms and SwiGLU; qwen3: the same, and norms
1>                               of queries and keys (default: qwen3; with --config
1>                               gpt2)
1>   --n_layer N                 transformer blocks, one after another (default:
1>                               from the text's size)
1>   --n_head N                  attention heads in each block; must divide n_embd
1>                               (default: from the text's size)
1>   --n_embd N                  channels: how many numbers represent one position
1>                               (default: from the text's size)
1>   --block_size N              context length: how many tokens the model sees at
1>                               most (default: from the text's size)
1>   --dropout P                 probability with which an activation is set to 0
1>                               in training, against overfitting (default: from
1>                               the number of times the text is read; 0 with
1>                               --config)
1>   --bias true|false           biases in linear layers and layer norms (default:
1>                               false)
1>   --activation gelu|gelu_tanh|relu|relu2|swiglu
1>                               function between the two linear layers of a
1>                               block's feed-forward part; relu2 is relu squared,
1>                               swiglu a gated one with 8/3 n_embd hidden features
1>                               instead of 4 n_embd (default: from arch)
1>   --position learned|rope     how the model knows positions: learned, an
1>                               embedding for each; rope, queries and keys rotated
1>                               by their position (default: from arch)
1>   --norm layernorm|rmsnorm    normalization before attention, feed-forward and
1>                               head (default: from arch)
1>   --qk_norm true|false        normalize each head's queries and keys before
1>                               their product (default: from arch)
1>   --n_kv_head N               heads of keys and values, each shared by n_head /
1>                               N heads of queries; must divide n_head (default:
1>                               n_head)
1>   --tie_weights true|false    the head uses the token embedding's weights;
1>                               false: weights of its own (default: true)
1>   --head_dim N                features of each attention head (default: n_embd /
1>                               n_head)
1>   --n_inner N                 hidden features of a block's feed-forward part
1>                               (default: 4 n_embd; with swiglu 8/3 of it, rounded
1>                               up to a multiple of 32); also --intermediate_size
1>   --norm_eps X                added to the variance (or mean square) before a
1>                               norm divides by its root (default: 1e-5); also
1>                               --rms_norm_eps; also --layer_norm_epsilon
1>   --rope_theta X              with position rope: the larger X, the slower the
1>                               slowest pairs of features rotate (default: 10000)
1>   --attention_scale sqrt|none|X
1>                               factor of the attention scores (the products of
1>                               queries and keys): 1 / sqrt(head_dim), none (1) or
1>                               X (default: sqrt)
1>   --causal true|false         a position sees only the tokens up to its own;
1>                               false: it sees all, so the model learns to copy
1>                               the next token instead of predicting it (default:
1>                               true)
1>
1> Training
1>   --max_iters N               updates of the weights to make (default: from the
1>                               text's size); also --iters; also --steps
1>   --batch_size N              sequences of block_size tokens in one forward and
1>                               backward pass (default: from the text's size)
1>   --gradient_accumulation_steps N
1>                               batches per update, which averages their
1>                               gradients; mpirun -n P gradus train ... (make
1>                               MPI=1) divides them among P processes, by default
1>                               one for each (default: 1)
1>   --batches random|shuffled   random: sequences begin at random places of the
1>                               text, as in nanoGPT; shuffled: the text is cut
1>                               into sequences, and each is read once, in random
1>                               order, before any is read again (default:
1>                               shuffled; with --config random)
1>   --init_std X                standard deviation of the initial weights; X /
1>                               sqrt(2 n_layer) for the projections into the
1>                               residual stream (default: 0.04; with --config
1>                               0.02); also --initializer_range
1>   --optimizer adamw|muon      adamw; or muon: Muon for the matrices of the
1>                               blocks and AdamW for all else, which often needs
1>                               fewer updates for the same loss, though each costs
1>                               more (default: muon; with --config or --init_from
1>                               adamw)
1>   --momentum X                Muon's decay rate of the running mean of the
1>                               gradient (default: 0.9)
1>   --weight_decay X            weight decay of matrices; norms and biases do not
1>                               decay (default: 0.1; with Muon from the length of
1>                               the text, the batch and the learning rate)
1>   --beta1 X                   AdamW's decay rate of the running mean of the
1>                               gradient (default: 0.9)
1>   --beta2 X                   AdamW's decay rate of the running mean of the
1>                               squared gradient (default: 0.999; with --config,
1>                               --init_from or --optimizer adamw 0.99)
1>   --grad_clip X               clip the gradient's global norm to X; 0: off
1>                               (default: 1)
1>
1> Learning rate
1>   --learning_rate X           learning rate after the warm-up, its largest value
1>                               (default: from the model's size); also --lr
1>   --warmup_iters N            updates over which the learning rate rises from 0
1>                               to learning_rate (default: from max_iters)
1>   --decay_lr true|false       use warm-up and decay; false: learning_rate
1>                               throughout (default: true)
1>   --lr_schedule cosine|linear how the learning rate falls from learning_rate to
1>                               min_lr: half a cosine, or a straight line
1>                               (default: linear; with --config cosine)
1>   --lr_decay_iters N          update at which the decay reaches min_lr (default:
1>                               max_iters)
1>   --min_lr X                  learning rate after the decay; at 0 the weights no
1>                               longer change (default: 0; with --config
1>                               learning_rate / 10)
1>
1> Reports and checkpoints
1>   --log_interval N            updates between lines with the training loss
1>                               (default: from max_iters)
1>   --eval_interval N           updates between evaluations; the model with the
1>                               lowest validation loss is kept (default: from
1>                               max_iters)
1>   --eval_iters N              random batches on which to estimate training and
1>                               validation loss, as nanoGPT does; 0: validation
1>                               loss on eval_tokens tokens, training loss as the
1>                               mean over the updates since the last evaluation
1>                               (default: 0)
1>   --eval_tokens N             with eval_iters 0: tokens that an evaluation
1>                               reads, spread evenly over the validation text, the
1>                               same each time; 0: all; when a run ends, the kept
1>                               model is measured on the whole text (on 500,000
1>                               tokens of a very long one) (default: as many as a
1>                               twentieth of the run's time allows)
1>   --save_interval N           updates between checkpoints, in addition to one
1>                               after each evaluation; 0: none in addition
1>                               (default: 0)
1>   --sample_interval N         updates between short samples of what the model
1>                               writes, kept in samples.txt and shown on a
1>                               terminal; 0: none (default: eval_interval)
1>
1> The words of its reports
1>   step, iter                  step N: after N updates of the weights; iter N:
1>                               the update that follows it
1>   token                       piece of text that the model reads and writes as a
1>                               unit: a character, or several (see tokenizer)
1>   loss                        how much the next token surprises the model, in
1>                               nats (1 nat is 1.44 bits); lower is better
1>   train loss                  training loss: the mean over the updates since the
1>                               last evaluation, with dropout; at first well above
1>                               val loss, since the model was worse during those
1>                               updates; iter lines show the loss of one update
1>   val loss                    validation loss: the loss on text that is not
1>                               trained on; the one that counts
1>   perplexity                  e to the power of the loss: at 8, the model is as
1>                               unsure as with a fair choice among 8 tokens
1>   bits per character          the loss in bits for each character, comparable
1>                               between tokenizers; a document separator does not
1>                               count as a character
1>   channels                    numbers by which the model describes each token
1>                               (n_embd)
1>   peak                        the fastest arithmetic that was measured on this
1>                               machine, in the run's dtype
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
1> The run
1>   --threads N                 threads to compute with; the result is the same
1>                               for any number of them (default: the CPUs this
1>                               process may use); also -t
1>   --dtype float32|bfloat16|auto
1>                               how matrix products are computed: bfloat16 rounds
1>                               their factors to 8 bits of precision, which some
1>                               CPUs multiply twice as fast; auto uses bfloat16 on
1>                               those CPUs (default: float32)
1>   --seed N                    seed of all random numbers: the same seed gives
1>                               the same result (default: another one each time)
1>
1> The text
1>   --unknown error|skip        what to do with symbols of the text or prompt that
1>                               are not in the vocabulary: error, or skip them and
1>                               say how many (default: error; in chat skip)
1>
1> Samples
1>   --interactive               the same as gradus chat: reads prompts, one per
1>                               line, and answers each; also -i
1>   --output FILE               file to write the samples to, - for standard
1>                               output (default: standard output); also -o
1>   --num_samples N             samples to write (default: 1)
1>   --stop TEXT                 end a sample where TEXT appears (\n is a line
1>                               feed, \t a tab, \xHH a byte, \\ a backslash); may
1>                               be given several times
1>
1> How a token is chosen
1>   --top_k N                   choose only among the N most likely tokens; 0:
1>                               among all (default: 200)
1>   --top_p P                   choose only among the most likely tokens that
1>                               together have probability P (default: 1)
1>   --min_p P                   choose only among tokens at least P times as
1>                               likely as the most likely one (default: 0)
1>   --repetition_penalty X      above 1: tokens that occurred before become less
1>                               likely; 1: off (default: 1); also --repeat_penalty

== chat
$ gradus chat --help
1> gradus chat MODEL [flags]
1>
1> Reads a prompt, writes how the model continues it, and reads the next. An empty
1> line lets the model begin by itself; the line exit or Ctrl-D ends, on Windows
1> Ctrl-Z and Enter.
1> MODEL is a run's directory or a .safetensors file. With rlwrap, a separate
1> program, lines can be edited and repeated.
1>
1>   gradus chat out/my
1>   rlwrap gradus chat out/my
1>
1> Flags used most
1>   --max_new_tokens N          tokens to write in each sample, after the prompt
1>                               (default: 500); also -n; also --max_tokens; also
1>                               --n_predict
1>   --temperature X             below 1: more predictable; above 1: more varied;
1>                               0: always the most likely token (default: 0.8);
1>                               also --temp
1>
1> The run
1>   --threads N                 threads to compute with; the result is the same
1>                               for any number of them (default: the CPUs this
1>                               process may use); also -t
1>   --dtype float32|bfloat16|auto
1>                               how matrix products are computed: bfloat16 rounds
1>                               their factors to 8 bits of precision, which some
1>                               CPUs multiply twice as fast; auto uses bfloat16 on
1>                               those CPUs (default: float32)
1>   --seed N                    seed of all random numbers: the same seed gives
1>                               the same result (default: another one each time)
1>
1> The text
1>   --unknown error|skip        what to do with symbols of the text or prompt that
1>                               are not in the vocabulary: error, or skip them and
1>                               say how many (default: error; in chat skip)
1>
1> Samples
1>   --stop TEXT                 end a sample where TEXT appears (\n is a line
1>                               feed, \t a tab, \xHH a byte, \\ a backslash); may
1>                               be given several times
1>
1> How a token is chosen
1>   --top_k N                   choose only among the N most likely tokens; 0:
1>                               among all (default: 200)
1>   --top_p P                   choose only among the most likely tokens that
1>                               together have probability P (default: 1)
1>   --min_p P                   choose only among tokens at least P times as
1>                               likely as the most likely one (default: 0)
1>   --repetition_penalty X      above 1: tokens that occurred before become less
1>                               likely; 1: off (default: 1); also --repeat_penalty

== eval
$ gradus eval --help
1> gradus eval MODEL TEXT [flags]
1>
1> Measures how well the model predicts the text: loss in nats per token,
1> perplexity, bits per character and per byte. Lower is better.
1>
1>   gradus eval out/my other.txt
1>
1> The run
1>   --threads N                 threads to compute with; the result is the same
1>                               for any number of them (default: the CPUs this
1>                               process may use); also -t
1>   --dtype float32|bfloat16|auto
1>                               how matrix products are computed: bfloat16 rounds
1>                               their factors to 8 bits of precision, which some
1>                               CPUs multiply twice as fast; auto uses bfloat16 on
1>                               those CPUs (default: float32)
1>
1> The text
1>   --document_separator TEXT   make TEXT one token that separates documents
1>                               (GPT-2's is <|endoftext|>; \n is a line feed, \xHH
1>                               a byte, \\ a backslash): it is added at the end of
1>                               each file, and a sample ends where the model
1>                               writes it; with a model of another program, only
1>                               that model's own separator
1>   --train_text FILE           count n-grams on FILE, the text the model was
1>                               trained on, and show their losses on TEXT
1>   --unknown error|skip        what to do with symbols of the text or prompt that
1>                               are not in the vocabulary: error, or skip them and
1>                               say how many (default: error; in chat skip)
1>
1> The words of its reports
1>   step, iter                  step N: after N updates of the weights; iter N:
1>                               the update that follows it
1>   token                       piece of text that the model reads and writes as a
1>                               unit: a character, or several (see tokenizer)
1>   loss                        how much the next token surprises the model, in
1>                               nats (1 nat is 1.44 bits); lower is better
1>   train loss                  training loss: the mean over the updates since the
1>                               last evaluation, with dropout; at first well above
1>                               val loss, since the model was worse during those
1>                               updates; iter lines show the loss of one update
1>   val loss                    validation loss: the loss on text that is not
1>                               trained on; the one that counts
1>   perplexity                  e to the power of the loss: at 8, the model is as
1>                               unsure as with a fair choice among 8 tokens
1>   bits per character          the loss in bits for each character, comparable
1>                               between tokenizers; a document separator does not
1>                               count as a character
1>   channels                    numbers by which the model describes each token
1>                               (n_embd)
1>   peak                        the fastest arithmetic that was measured on this
1>                               machine, in the run's dtype
1>   n-gram                      a prediction by counting which token followed the
1>                               last ones before; a model should beat it

== info
$ gradus info --help
1> gradus info MODEL [flags]
1>
1> Says what the model is: its architecture, parameters and tokenizer, and how it
1> was trained. MODEL is a run's directory or a .safetensors file.
1>
1>   gradus info out/my

== report
$ gradus report --help
1> gradus report RUN... [flags]
1>
1> Writes a page for a browser; it needs no network. It shows how the run learned,
1> what its loss means, what it wrote on the way, where it is surprised, and which
1> token looks at which; for several runs, their curves in one chart and what
1> differs. RUN is the directory of a run.
1>
1>   gradus report out/my
1>   gradus report out/my --prompt "Houston we have a problem"
1>   gradus report out/a out/b out/c --output abc.html
1>
1> Flags used most
1>   --force                     replace the file of output, whatever it is
1>   --prompt TEXT               the text to show attention for (\n is a line feed,
1>                               \t a tab, \xHH a byte, \\ a backslash); FILE:NAME
1>                               reads it as it is from a file, - from standard
1>                               input (default: the beginning of the validation
1>                               text); also --start; also -p
1>   --watch                     rewrite the page after every save until the run
1>                               ends; the page reloads itself; also -w
1>   --output FILE               file to write the page to, - for standard output;
1>                               an older page of gradus is replaced (default:
1>                               report.html in RUN; of several runs
1>                               report-A-B.html here); also -o
1>
1> The run
1>   --threads N                 threads to compute with; the result is the same
1>                               for any number of them (default: the CPUs this
1>                               process may use); also -t
1>
1> The text
1>   --unknown error|skip        what to do with symbols of the text or prompt that
1>                               are not in the vocabulary: error, or skip them and
1>                               say how many (default: error; in chat skip)

== export
$ gradus export --help
1> gradus export MODEL FORMAT PATH [flags]
1>
1> Writes the model for another program. PATH must not exist. FORMAT is
1>   hf      a directory that the library transformers opens; train --tokenizer
1>           reads the tokenizer in it
1>   gguf    a file that llama.cpp runs
1>   bin     a directory with train.bin and val.bin: the tokens of the run's texts,
1>           16 bits each, as nanoGPT's data/NAME holds them
1>
1> The document separator ends a text. A model trained without
1> --document_separator has none: hf names no end-of-text token; llama.cpp needs
1> one, gets the rarest token, and stops there unless given --ignore-eos.
1>
1> nanoGPT can continue a run of train --arch gpt2 that nanogpt.py has converted to
1> ckpt.pt. The script needs PyTorch; it is in train/exchange of the sources, and
1> in share/gradus where gradus was installed:
1>   python3 nanogpt.py out/my DIR             ckpt.pt, meta.pkl and data
1>   python3 nanogpt.py --from ckpt.pt DIR     and back: DIR/model.safetensors
1>
1>   gradus export out/my gguf my.gguf --dtype q8_0
1>   gradus export out/my hf my_hf
1>   gradus export out/my bin my_tokens
1>
1> Flags used most
1>   --dtype float32|float16|bfloat16|q8_0
1>                               with gguf: how matrices are stored; q8_0 takes 8.5
1>                               bits a weight (default: float32)
