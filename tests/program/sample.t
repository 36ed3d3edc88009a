# gradus sample, chat, eval and info.
of = --out_dir run --n_layer 2 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 --max_iters 20 --dtype float32

== the prompt and its continuation, and nothing else on standard output
uses char-run
$ gradus sample run --prompt 'The fox' --max_new_tokens 40 --seed 1 > first
2> 40 tokens in * s, * tokens/s
$ head -c 7 first
1> The fox\c
# 7 + 40 characters, and a line end.
$ wc -c first
1> 48
$ gradus sample run/model.safetensors --start='The fox' --max_new_tokens=40 --seed 1 > again
$ cmp first again
$ gradus sample run --prompt 'The fox' --max_new_tokens 40 --threads 1 --seed 1 > again
$ cmp first again
$ gradus sample run --prompt 'The fox' --max_new_tokens 40 --seed 2 > other
$ cmp first other
! 1
$ gradus sample run --prompt 'The fox' --max_new_tokens 40 --seed 1 --output {second > nothing|- > again}
$ cmp first {second|again}
# A line end to begin with.
$ gradus sample run --max_new_tokens 0
1>
1>
# Without a model yet, a run's checkpoint will do.
$ mkdir new
$ cp run/checkpoint.safetensors new
$ gradus sample new --max_new_tokens 3

== what was written for a file before Ctrl-C is in it [signal]
uses char-run
$ gradus sample run 'The fox' --max_new_tokens 1000000000 --output text --seed -1
signal INT after -1 is an
! 130
2> --seed: -1 is an ordinary seed*
2> * token* in * s, * tokens/s, written to text
$ head -c 7 text
1> The fox\c

== a prompt from a file, and from standard input
uses char-run
$ gradus sample run --prompt 'The hen' --max_new_tokens 9 --seed 1 > expected
$ printf 'The hen' > prompt.txt
$ gradus sample run --prompt {FILE:prompt.txt > 1|- < prompt.txt > 2} --max_new_tokens 9 --seed 1
$ cmp expected {1|2}
# Escapes are those of --stop, and not for what is read; CRLF is read as LF.
$ gradus sample run --max_new_tokens 9 --temperature 0 --prompt $'The hen\nThe' > expected
$ gradus sample run --max_new_tokens 9 --temperature 0 --prompt {'The hen\nThe' > 1|'\x54he hen\x0aThe' --stop '\x01' > 2}
$ cmp expected {1|2}
$ printf 'The hen\r\nThe' > prompt.txt
$ gradus sample run -n 9 --temperature 0 --prompt FILE:prompt.txt > crlf
2> prompt.txt: lines end in CRLF, read as LF
2> *
$ cmp expected crlf
$ printf 'The\\nhen' > prompt.txt
$ gradus sample run --prompt FILE:prompt.txt
! 1 gradus sample: prompt.txt: byte 3: '\' is not in the vocabulary*
# Nor is it UTF-16.
$ gradus sample run --prompt '\xff\xfeT\x20'
! 1 gradus sample: --prompt: byte 0: 0xff is not UTF-8; *
gradus sample run --prompt FILE:  ! 1 ""
$ printf '' > empty
$ gradus sample run --prompt - < empty
! 1 gradus sample: standard input: is empty, expected a prompt

== prompts one after another
uses char-run
$ gradus sample run --max_new_tokens 9 --temperature 0 {--prompt 'The hen' > hen|> none|--prompt 'The fox' > fox}
$ printf 'The hen\né\n\nThe fox' > prompts
$ gradus sample run --interactive --unknown error --max_new_tokens 9 --temperature 0 < prompts > answers
# One of them was refused.
! 1
2> *
2> gradus chat: prompt: byte 0: U+00E9 is not in the vocabulary*
2> *
$ cat hen none fox > expected
$ cmp expected answers
$ printf 'The hen\r\nThe fox\r\n' > prompts
$ gradus chat run -n 9 --temperature 0 < prompts > answers
2> *
2> standard input: lines end in CRLF, read as LF
2> {13 ~ 5} *
$ cat hen fox > expected
$ cmp expected answers

== a prompt can begin a conversation
uses char-run
$ gradus sample run -p 'The fox' -i -n 5 --temperature 0
| The hen
1> The fox*
1> *
1> The hen*
1> *

== chat leaves unknown symbols out
uses char-run
$ gradus chat run -n 5
| The %hen
1> The hen*
1> *
1! ---*
2> A GPT of * parameters continues what you enter. Ctrl-* ends.
2> prompt: skipped 1 symbol that is not in the vocabulary
2> *

== standard input without an end is refused after 16 MiB [posix]
uses char-run
$ gradus chat run < /dev/zero
! 1
1>
2> A GPT of *
2> gradus chat: standard input: a line of more than 16777216 bytes
$ gradus sample run --prompt - < /dev/zero
! 1 gradus sample: standard input: a text of more than 16777216 bytes

== symbols the model has never seen are refused by name, or skipped
uses char-run
$ gradus sample run --prompt 'The féx'
! 1 gradus sample: --prompt: byte 5: U+00E9 is not in the vocabulary; --unknown skip leaves it out
$ gradus sample run --prompt 'The féx' --unknown skip --max_new_tokens 5
1> The fx*
1> *
2> --prompt: skipped 1 symbol that is not in the vocabulary
2> *
$ gradus sample run --prompt 'é' --unknown skip
! 1 gradus sample: --prompt: none of its symbols is in the vocabulary

== characters of several bytes are never cut, whatever the tokens are [posix]
$ repeat 150 'The {hen|fox} went # miles.\n€😀é €\n' > tale.txt
$ gradus train tale.txt $of --tokenizer byte
# Greedy sampling of a model this young may make any bytes; what was complete stays complete.
$ gradus sample run --prompt '😀' --max_new_tokens 0
1> 😀
$ gradus sample run --prompt $'a\xe2\x82' --max_new_tokens 0
1> a
# The first new token completes the character, or breaks it off.
$ gradus sample run --prompt $'a\xe2\x82' --max_new_tokens 9 > out
$ head -c 3 out > begin
$ printf 'a\xe2\x82' > expected
$ cmp begin expected

== eval: a symbol the model does not know is an error, or left out and not scored
uses char-run
$ printf 'The hen went 12 miles.\n' > known.txt
$ printf 'The €hen went 12 %miles.\n' > other.txt
$ gradus eval run other.txt
! 1 gradus eval: other.txt: byte 4: U+20AC is not in the vocabulary; --unknown skip leaves out the 2 symbols that are not in the vocabulary; a model trained with --tokenizer byte or bpe reads every text
$ gradus eval run other.txt --unknown skip > skipped
2> other.txt: 2 symbols that are not in the vocabulary, left out; 23 tokens are left
2> *
$ gradus eval run known.txt > known
$ cmp skipped known
# The text that n-grams are counted on is not part of it.
$ gradus eval run other.txt --unknown skip --train_text tale.txt
1> *
2> other.txt: 2 symbols that are not in the vocabulary, left out; 23 tokens are left
2> *

== what is wrong with a file is said in one line
uses char-run
$ printf '' > none.txt
$ mkdir hollow
$ head -c 1000 run/model.safetensors > cut.safetensors
gradus sample nowhere  ! 1 nowhere
$ gradus sample hollow
! 1 gradus sample: hollow: holds no model, expected the directory of a run or of transformers (config.json)
$ gradus sample cut.safetensors
! 1 gradus sample: cut.safetensors: the header needs * bytes from byte 8, the file ends at 1000
gradus info tale.txt  ! 1 tale.txt
gradus sample run --prompt FILE:gone  ! 1 gone
gradus eval run none.txt  ! 1 none.txt
gradus eval run tale.txt --train_text gone  ! 1 gone

== eval: a text with no character that the model knows is refused in one line
$ repeat 150 'The {hen|fox} went # miles.\n' > tale.txt
$ gradus train tale.txt $of --document_separator '<|endoftext|>' --tokenizer char
$ printf 'αβ' > greek.txt
$ printf '\xff\xfe' > mark.txt
$ gradus eval run greek.txt
! 1 gradus eval: greek.txt: byte 0: U+03B1 is not in the vocabulary; --unknown skip leaves out the 2 symbols that are not in the vocabulary; a model trained with --tokenizer byte or bpe reads every text
$ gradus eval run greek.txt --unknown skip
! 1
2> gradus eval: greek.txt: has 0 tokens, expected at least 2: the first is only read, the others are predicted; symbols that are not in the vocabulary are left out
$ gradus eval run tale.txt --unknown skip --train_text greek.txt
! 1
2> gradus eval: greek.txt: has 0 tokens, expected at least 1
gradus eval run mark.txt  ! 1 mark.txt
# Beside a text that has tokens it counts as nothing, without a separator.
$ mkdir both
$ cp greek.txt both/a
$ cp tale.txt both/b
$ gradus eval run tale.txt > alone
$ gradus eval run both --unknown skip > beside
$ cmp alone beside
$ wc -l alone
1> 4

== eval: a loss that is not finite is an error, as in every command
uses char-run
$ edit run/model.safetensors transformer.ln_f.weight[0]=3e38
$ gradus eval run tale.txt
! 1 gradus eval: run: its loss on tale.txt is nan, a perplexity of nan, expected finite numbers
$ gradus sample run
! 1 gradus sample: run: the model's logits are not finite numbers
1> \n
gradus report run  ! 1 run
$ gradus train tale.txt --init_from run --out_dir next
! 1
2> *
2> *the loss of the evaluation is nan*
$ ls run/report.html
! 1

== info: a context that takes far more memory than the file has is refused
# Rotary positions: no weight depends on the context.
uses char-run
$ cp run/model.safetensors long.safetensors
$ edit long.safetensors block_size=200000
$ gradus info long.safetensors
$ edit long.safetensors block_size=1048576
$ gradus info long.safetensors
! 1 gradus info: long.safetensors: block_size: a context of 1048576 tokens is too long for a model of 27680 weights

== what is unusual about a model's attention is said
$ repeat 150 'The {hen|fox} went # miles.\n' > tale.txt
$ gradus train tale.txt $of --attention_scale none --causal false --decay_lr false
$ gradus sample run --max_new_tokens 20
2> in training, this model saw the tokens that it predicted (causal false): what it learned does not help it write
2> attention scores are multiplied by 1 instead of 1 / sqrt(16) (attention_scale none)
2> 20 tokens in *
$ gradus chat run
2> in training, this model saw the tokens that it predicted (causal false): what it learned does not help it write
2> attention scores are multiplied by 1 instead of 1 / sqrt(16) (attention_scale none)
2> A GPT of 27,680 parameters continues what you enter. Ctrl-* ends.
2> 0 tokens *
$ gradus eval run tale.txt
2> this model sees the tokens that it predicts (causal false): its loss does not say how well it predicts
2> *
$ gradus info run
1> *
1>   attention_scale   none
1>   causal            false
1> *
gradus train --resume run --max_iters 21 --causal true  ! 1 --causal
$ gradus train --resume run --max_iters 21 --causal false --attention_scale 1
$ gradus train --resume run --max_iters 22 --attention_scale sqrt
! 1 gradus train: --attention_scale: the run in run was started with none, not sqrt; a resumed run keeps its settings
$ gradus train tale.txt --out_dir tuned --init_from run --max_iters 1
2> *
2> *begins with the weights*
2> *
$ gradus info tuned
1> *
1>   attention_scale   none
1>   causal            false
1> *

== attention scores of the usual scale are not mentioned
$ repeat 150 'The {hen|fox} went # miles.\n' > tale.txt
# 1 / sqrt(16)
$ gradus train tale.txt $of --attention_scale 0.25
$ gradus sample run --max_new_tokens 20 --seed 1
2> 20 tokens in *
$ gradus info run
1> *
1>   attention_scale   0.25
1> *

== info: of many texts the first ten, and how many more there are
$ mkdir texts
$ printf 'The hen said 100 words to the fox.\n' > texts/{10|11|12|13|14|15|16|17|18|19|20|21}.txt
$ gradus train texts --max_iters 1 --n_layer 1 --n_head 1 --n_embd 8 --block_size 4 --out_dir run
$ gradus info run
1> *
1> *19.txt, 35 bytes
1> * and 2 more
1> *
1! *20.txt, 35*
