# Messages in full that no other case shows. The numbers in them follow from the case.
small = --max_iters 4 --n_layer 1 --n_head 2 --n_embd 16 --block_size 8 --batch_size 2 --threads 1 --seed 1 --dtype float32

== train: what a run chose and reached, with its numbers
uses hens
$ gradus train tale.txt --out_dir run $small --log_interval 2
1> step 0: train loss {3.3069 ~ 0.01}, val loss {3.3405 ~ 0.01}, {4.8193 ~ 0.02} bits per character (lower is better)
1> step 1: train loss {3.3795 ~ 0.01}, val loss {3.3252 ~ 0.01}, {4.7972 ~ 0.02} bits per character
1> step 2: train loss {3.3207 ~ 0.01}, val loss {3.2846 ~ 0.01}, {4.7387 ~ 0.02} bits per character
1> step 3: train loss {3.2917 ~ 0.01}, val loss {3.2225 ~ 0.01}, {4.6490 ~ 0.02} bits per character
1> step 4: train loss {3.2032 ~ 0.01}, val loss {3.1938 ~ 0.01}, {4.6077 ~ 0.02} bits per character
2> tale.txt: 2,031 tokens (char, 27 distinct); a GPT of 1 layer, 2 heads, 16 channels, 4,592 parameters; steps 0 to 4 of 2 x 8 tokens, about * s on 1 thread of * GFLOP/s, in float32; in run
2> for comparison, n-grams of 1, 2, ... characters: 4.0340 1.1701 0.4086 0.2434 0.1760 0.1721 bits per character
2> iter 0: loss {3.3795 ~ 0.01}, * tokens/s, * left
2> iter 2: loss {3.2917 ~ 0.01}, * tokens/s, * left
2> done: 4 steps, best validation loss {3.1938 ~ 0.01} at step 4, peak memory * MB; to read what it writes: gradus sample run; to look at the run: gradus report run
2> The loss fell from 4.8193 to 4.6077 bits per character. Counting still predicts better: n-grams of 6 characters reach 0.1721, from the 5 characters before; the model sees 8 tokens. 4 updates are only a trial; --max_iters 1000 or --minutes 5 shows more.
2> to try it: gradus train tale.txt --n_layer 1 --n_head 2 --n_embd 16 --block_size 8 --batch_size 2 --threads 1 --seed 1 --dtype float32 --log_interval 2 --max_iters 1000 --out_dir run_2

== info: what is recorded in the file of another program, and what is not
uses cats
$ gradus train a.txt --out_dir run $small --arch gpt2 --optimizer adamw --activation gelu_tanh
$ gradus export run hf hf
$ gradus info hf
1> hf: a GPT of 3,584 parameters, 0.0 MB
1>
1> Architecture
1>   vocab_size        21
1>   n_layer           1
1>   n_head            2
1>   n_embd            16
1>   block_size        8
1>   dropout           0
1>   bias              false
1>   activation        gelu_tanh
1>   position          learned
1>   norm              layernorm
1>   qk_norm           false
1>   n_kv_head         2
1>   tie_weights       true
1>   head_dim          8
1>   n_inner           64
1>   norm_eps          1e-05
1>   rope_theta        10000
1>   attention_scale   sqrt
1>   causal            true
1>
1> Parameters
1>   tokens                      336  21 x 16, also the head
1>   positions                   128  8 x 16
1>   blocks                    3,104  1 of 3,104
1>   last norm                    16
1>   in all                    3,584
1>
1> Tokenizer
1>   kind              char
1>   tokens            21
1>   from the first    "\n" " " "0" "1" "2" "3" "4" "5" "6" "a" "c" "d" "e" "g" "h" ...
1>
1> Training
1>   not recorded in this file

== info: a checkpoint says how far the run was
uses cats
$ gradus train a.txt --out_dir run $small --arch gpt2 --optimizer adamw
$ gradus info run/checkpoint.safetensors
1> run/checkpoint.safetensors: a GPT of 3,584 parameters, 0.0 MB
1> *
1> Training
1>   texts             $PWD/a.txt, 1,050 bytes
1>   validation        the last 10 %
1>   step              4 of 4
1>   validation loss   {3.0102 ~ 0.01} at best, at step 4
1>   n-grams of 1, 2, ..  2.5146 0.9816 0.2994 0.2469 0.1134 0.1066 (validation loss; of characters)
1>   seed              1
1>   dtype             float32
1> *
1>   gradient_accumulation_steps  1
1> *

== export: what llama.cpp computes otherwise, and how it ends a text
uses cats
$ gradus train a.txt --out_dir run $small --arch gpt2 --optimizer adamw
$ gradus export run gguf run.gguf
2> the model has no end-of-text token: other programs stop at token 8, "6", the rarest of the training text (3 times); llama-cli --ignore-eos continues there; training with --document_separator makes an end-of-text token
2> llama.cpp computes GELU by its tanh form, the model was trained with the exact one: logits differ in the third or fourth digit; --activation gelu_tanh trains for llama.cpp
2> wrote run.gguf
$ gradus export run gguf q8.gguf --dtype q8_0
2> the model has no end-of-text token: other programs stop at token 8, "6", the rarest of the training text (3 times); llama-cli --ignore-eos continues there; training with --document_separator makes an end-of-text token
2> llama.cpp computes GELU by its tanh form, the model was trained with the exact one: logits differ in the third or fourth digit; --activation gelu_tanh trains for llama.cpp
2> matrices are stored as float16 where the length of a row is not a multiple of 32, the length of q8_0's blocks
2> wrote q8.gguf

== export: bin is said with its sizes
uses cats
$ gradus train a.txt --out_dir run $small
$ gradus export run bin bin
2> train.bin has 945 tokens, val.bin 105, of a vocabulary of 21; for nanoGPT, copy the directory to its data/NAME and run train.py --dataset=NAME
2> wrote bin

== resume: with a schedule that has ended
uses cats
$ gradus train a.txt --out_dir run $small --arch gpt2 --optimizer adamw --lr_schedule cosine --min_lr 0.0001
$ gradus train --resume run --max_iters 8
2> from step 4 (lr_decay_iters) on, the learning rate stays at 0.0001; a new run with a larger max_iters has a longer schedule
2> $PWD/a.txt: *; steps 4 to 8 of *
2> iter 4: *
2> *
2> done: 8 steps, best validation loss {3.0044 ~ 0.01} at step 8, *
2> *

== init_from: a model that knows the text, and one that does not
uses cats
$ gradus train a.txt --out_dir run $small
$ gradus train a.txt --init_from run --out_dir again --max_iters 1
2> begins with the weights of run/model.safetensors, which was trained on this text: the default learning rate is a quarter of that for another text
2> *
2> iter 0: loss {2.9885 ~ 0.01}, *
2> *
2> to try it: gradus train a.txt --init_from run --max_iters 1000 --out_dir again_2
$ gradus train a.txt --init_from run --out_dir other --max_iters 1 --val_text a.txt
2> begins with the weights of run/model.safetensors, which was trained on this text: the default learning rate is a quarter of that for another text
2> a.txt: is validation text with the contents of a training text, a.txt; the loss says little about other texts
2> a.txt: 1,050 tokens (char, 21 distinct), validated on 1,050 tokens of a.txt; *
2> *
2> to try it: gradus train a.txt --init_from run --val_text a.txt --max_iters 1000 --out_dir other_2

== eval: what was predicted, and the n-grams of the text it was trained on
uses cats
$ gradus train a.txt --out_dir run $small
$ gradus eval run a.txt --train_text a.txt
1> loss {3.0051 ~ 0.01}
1> perplexity {20.1878 ~ 0.5}
1> bits per character {4.3354 ~ 0.02}
1> bits per byte {4.3354 ~ 0.02}
1> 1-gram 2.5117
1> 2-gram 0.9740
1> 3-gram 0.2918
1> 4-gram 0.2417
1> 5-gram 0.1084
1> 6-gram 0.1024
2> a.txt: 1,049 tokens predicted, 1,049 characters; the model was trained on a.txt, except for its validation part
2> n-grams of characters counted on a.txt, their loss on this text in nats per token of the model:

== the verdict on a model that sees its targets, and on one that learned nothing of use
uses cats
$ repeat 60 'xyz zyx %\n' > other.txt
$ gradus train a.txt --out_dir run $small --causal false
2> *
2> The model sees the tokens that it predicts (causal false): its loss cannot be compared with the loss of other models or n-grams.
$ gradus train a.txt --val_text other.txt --tokenizer byte --out_dir apart --max_iters 60 --eval_interval 10 --learning_rate 0.01 --n_layer 1 --n_head 2 --n_embd 16 --block_size 8 --batch_size 4 --threads 1 --dtype float32
2> a.txt: 1,050 tokens (byte, 256 distinct), validated on 651 tokens of other.txt; a GPT of 1 layer, 2 heads, 16 channels, 8,256 parameters; steps 0 to 60 of 4 x 8 tokens, about * s on 1 thread of * GFLOP/s, in float32; in apart
2> *
2> done: 60 steps, best validation loss {5.5697 ~ 0.01} at step 10, peak memory * MB; to read what it writes: gradus sample apart; to look at the run: gradus report apart
2> The loss is 8.0354 bits per character. Counting still predicts better: n-grams of 1 character reach 7.9774, from the 0 characters before; the model sees 8 tokens. 60 updates are only a trial; --max_iters 1000 or --minutes 5 shows more.
2> to try it: gradus train a.txt --val_text other.txt --tokenizer byte --eval_interval 10 --learning_rate 0.01 --n_layer 1 --n_head 2 --n_embd 16 --block_size 8 --batch_size 4 --threads 1 --dtype float32 --max_iters 1000 --out_dir apart_2

== a directory of transformers that asks for what is not computed
uses cats
$ gradus train a.txt --out_dir run $small --arch llama
$ gradus export run hf hf
$ cp -r hf d
$ sed 's/"use_cache": true/"clip_qkv": 8/' hf/config.json > d/config.json
$ gradus info d
! 1 gradus info: d/config.json: "clip_qkv" is 8: gradus does not know this key, which may change what the model computes; expected no such key
$ sed 's/"rope_scaling": null/"rope_scaling": {"rope_type": "yarn"}/' hf/config.json > d/config.json
$ gradus info d
! 1 gradus info: d/config.json: "rope_scaling": scaled rotations are not supported; expected null
$ sed 's/"mlp_bias": false/"layer_types": ["sliding_attention"]/' hf/config.json > d/config.json
$ gradus info d
! 1 gradus info: d/config.json: "layer_types" has "sliding_attention", which gradus does not support; expected full_attention only

== a file of others, and one of ours that was changed
uses cats
$ gradus train a.txt --out_dir run $small --arch gpt2 --optimizer adamw
$ gradus export run hf hf
$ gradus info hf/model.safetensors
! 1 gradus info: hf/model.safetensors: metadata "vocab_size" is missing; is this a gradus model?
$ cp run/model.safetensors edited.safetensors
$ edit edited.safetensors n_layer=2
$ gradus info edited.safetensors
! 1 gradus info: edited.safetensors: the file holds 3584 weights but its architecture (2 layers, 16 channels) has 6688
$ cp run/model.safetensors edited.safetensors
$ edit edited.safetensors seed=1.5
gradus info edited.safetensors  ! 1 edited.safetensors: metadata "seed"
$ cp run/checkpoint.safetensors edited.safetensors
$ edit edited.safetensors n_embd=32
$ gradus info edited.safetensors
! 1 gradus info: edited.safetensors: the file holds 3584 weights but its architecture (1 layer, 32 channels) has 13312

== a tokenizer with more tokens than the model has rows
uses cats
$ gradus train a.txt --out_dir run $small --arch gpt2 --optimizer adamw --tokenizer bpe --vocab_size 260
$ gradus train a.txt --out_dir other $small --arch gpt2 --optimizer adamw --tokenizer bpe --vocab_size 270
$ gradus export run hf hf
$ gradus export other hf hf_other
$ cp hf_other/tokenizer.json hf
$ gradus info hf
! 1 gradus info: hf: the tokenizer has 270 tokens but the model only 260

== a run that stops before its first evaluation has its checkpoint's model [signal]
uses cats
$ gradus train a.txt --out_dir run $small --max_iters 100000 --eval_interval 100000 --log_interval 1
signal INT after iter 3:
! 130
2> *
2> gradus train: stops and saves after this step or evaluation; Ctrl-C again stops at once
2> *
2> stopped at step * of 100000; to continue: gradus train --resume run
$ gradus sample run --max_new_tokens 5 --seed 1
2> run: holds no kept model; this is the model of the checkpoint
2> *
$ gradus info run
1> *
1>   step              * of 100000
1> *

== a loss or a weight that is no number
uses cats
$ gradus train a.txt --out_dir run $small --arch gpt2 --optimizer adamw --max_iters 200 --learning_rate 1000 --grad_clip 0
! 1
1> *
2> *
2> gradus train: step {18 ~ 9}: the loss is nan; the first tensor that is not finite is *; nothing was saved since the last checkpoint. A lower --learning_rate may help

== the report of a long prompt, and of a run to watch
uses cats
$ gradus train a.txt --out_dir run $small
$ gradus report run --prompt 'the cat sat on mat and saw dog and the cat sat on mat and saw dog'
2> --prompt: the attention of the first 8 of its 65 tokens is shown
2> wrote run/report.html, * kB, in * s; open it in a browser

== export: a token that the training text does not have
uses cats
$ gradus train a.txt --out_dir run $small --arch gpt2 --optimizer adamw --activation gelu_tanh --tokenizer byte
$ gradus export run gguf run.gguf
2> the model has no end-of-text token: other programs stop at token 0, "\x00", which does not occur in the training text
2> wrote run.gguf
