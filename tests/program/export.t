# gradus export, models of other programs wherever a MODEL is expected, and train --init_from. That the real
# programs agree is for make interop.
small = --max_iters 4 --n_layer 1 --n_head 2 --n_embd 16 --block_size 8 --batch_size 2 --threads 1 --seed 1 --dtype float32
keys = --max_iters 1 --n_layer 3 --n_head 2 --n_embd 16 --block_size 9 --batch_size 2 --tokenizer bpe --vocab_size 258 --document_separator '<end>' --dropout 0.125

== what is exported, and gradus opens, has the loss of the run
uses cats
$ gradus train a.txt $small {--out_dir 1 --arch gpt2 --optimizer adamw --activation gelu_tanh --bias true|--out_dir 2 --arch llama --tokenizer byte|--out_dir 3 --arch qwen3 --n_kv_head 1 --tokenizer bpe --vocab_size 300 --document_separator '<e>'}
$ gradus export {1 hf gpt2|2 hf llama|3 hf qwen3}
1>
$ gradus eval {1 > of_1|gpt2 > of_gpt2|2 > of_2|llama > of_llama|3 > of_3|qwen3 > of_qwen3} a.txt
$ cmp {of_1 of_gpt2|of_2 of_llama|of_3 of_qwen3}

== the end of a text that a model of others names is kept, from token 0 to the last
uses cats
$ gradus train a.txt --out_dir run $small --arch llama --tokenizer char
$ gradus export run hf hf
1>
$ sed 's/"eos_token_id": null/"eos_token_id": 0/' hf/config.json > config
$ mv config hf/config.json
$ gradus export hf hf again
1>
$ grep '"eos_token_id": 0' again/config.json
$ sed 's/"eos_token_id": 0/"eos_token_id": 20/' again/config.json > config
$ mv config again/config.json
$ gradus export again hf last
1>
$ grep '"eos_token_id": 20' last/config.json
$ sed 's/"eos_token_id": 20/"eos_token_id": 21/' again/config.json > config
$ mv config again/config.json
$ gradus export again hf beyond
1>
$ grep '"eos_token_id": null' beyond/config.json

== a model without a separator has no end of a text
uses cats
$ gradus train a.txt --out_dir run $small --arch llama --tokenizer char
$ gradus export run hf hf
2> wrote hf
$ grep os_token_id hf/config.json
1> *"bos_token_id": null*
1> *"eos_token_id": null*
$ grep os_token_id hf/generation_config.json
1> *"bos_token_id": null*
1> *"eos_token_id": null*
$ gradus eval {run > loss|hf > exported} a.txt
$ cmp loss exported

== what a model is follows from its contents, never from its name
uses cats
$ gradus train a.txt --out_dir run $small --arch gpt2 --optimizer adamw
$ gradus export run hf m.gguf
1>
$ gradus export run gguf gguf.pt
1>
$ cp run/model.safetensors x.gguf
$ gradus eval {run > loss|m.gguf > of_hf|x.gguf > of_copy} a.txt
$ cmp loss {of_hf|of_copy}
# llama.cpp's own are refused in one line, by every command.
$ gradus {eval gguf.pt a.txt|sample gguf.pt|info gguf.pt|export gguf.pt hf x|train a.txt --init_from gguf.pt --out_dir x}
! 1 gradus *: gguf.pt: is a .gguf file, which llama.cpp runs; gradus opens a .safetensors file, a run's directory or a directory of transformers
# Also one that is cut short.
$ printf 'GGUF\x03' > short.gguf
gradus info short.gguf  ! 1 short.gguf
$ gradus info m.gguf
1> *
1> *not recorded in this file*
1> *
# An exported model can be exported again.
$ gradus export m.gguf hf again
1>
$ cmp again/model.safetensors m.gguf/model.safetensors
$ cmp again/config.json m.gguf/config.json
# Without it transformers refuses the file.
$ head -c 42 again/model.safetensors
1> *{"__metadata__":{"format":"pt"}*

== PATH is written whole or not at all, and nothing is replaced
uses cats
$ gradus train a.txt --out_dir run $small --arch qwen3
$ printf mine > file
$ mkdir full/sub empty
$ gradus export run {hf|gguf|bin} file
! 1 gradus export: file: exists already; it is not replaced
gradus export run {hf|gguf|bin} full  ! 1 full
$ gradus export run hf file/there
! 1 gradus export: file/there: file is not a directory
$ gradus export run hf none/is/there
1>
$ ls none/is/there/config.json
1> none/is/there/config.json
gradus export nowhere hf x  ! 1 nowhere
$ gradus export run hf empty
1>
$ ls empty/model.safetensors
1> empty/model.safetensors
# What a killed export left is removed.
$ mkdir .y.gradus-1
$ printf '' > .y.gradus-1/stale
$ gradus export run hf y/
1>
$ ls {y/stale|.y.gradus-1}
! 1

== what a format cannot carry is refused, or said in one line
uses cats
$ gradus train a.txt --out_dir run $small --tokenizer word
$ gradus export run {hf|gguf} x
! 1 gradus export: no other program has this tokenizer of words; train with --tokenizer byte or bpe
$ repeat 20 'the cat sat on mat {0|1|2|3|4|5|6} and saw dog {0|1|2|3|4}\n' > some
$ printf 'café\n' > accent
$ cat some accent some > b.txt
$ gradus train b.txt --out_dir accents --arch gpt2 --optimizer adamw $small
$ gradus export accents {hf|gguf} x
! 1 gradus export: other programs have no tokens for characters of several bytes, such as "é"; train with --tokenizer byte or bpe
$ gradus train a.txt --out_dir mixed --arch gpt2 --norm rmsnorm $small
$ gradus export mixed hf x
! 1 gradus export: norm rmsnorm with position learned: only gradus computes this; models of --arch gpt2, llama and qwen3 can be exported

== a model with attention that no other program computes is refused in every format
uses cats
# Heads of 8.
$ gradus train a.txt --out_dir run --arch gpt2 --causal false $small
$ gradus train a.txt --out_dir scaled --arch qwen3 --attention_scale none $small
$ gradus export run {hf|gguf} x
! 1 gradus export: causal false: GPT-2, Llama and Qwen3 hide later tokens
$ gradus export scaled {hf|gguf} x
! 1 gradus export: attention_scale none: GPT-2, Llama and Qwen3 multiply attention scores by 1 / sqrt(8)

== bin is refused without the run's own texts
uses cats
$ gradus train a.txt --out_dir run $small
$ gradus export run/model.safetensors bin x
! 1 gradus export: run/model.safetensors: is not the directory of a run; bin holds the tokens of a run's texts
gradus export nowhere bin x  ! 1 nowhere
$ printf ! > end
$ cat a.txt end > longer
$ mv longer a.txt
$ gradus export run bin x
! 1 gradus export: $PWD/a.txt: is not the text the run was started on, $PWD/a.txt (1,050 bytes, checksum 8de7001425011e08), but 1,051 bytes, checksum e8aa6986c3f21ee6

== a file of PyTorch is refused by what it holds, with the script that converts it [posix]
uses cats
$ gradus train a.txt --out_dir run $small
$ mkdir nano 'my nano'
$ repeat 2000 '\x00' > zeros
$ printf 'PK\x03\x04' > zip
$ head -c 26 zeros > gap
$ printf 'ckpt/data.pkl' > name
$ cat zip gap name zeros > nano/ckpt.pt
$ cp nano/ckpt.pt 'my nano'
$ printf '\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.' > pickle
$ cat pickle zeros > model.bin
$ gradus {sample nano a|sample nano/ckpt.pt a|chat nano|chat nano/ckpt.pt|eval nano a.txt|eval nano/ckpt.pt a.txt|info nano|info nano/ckpt.pt|export nano hf x|export nano/ckpt.pt hf x|export nano gguf x|export nano/ckpt.pt gguf x|train a.txt --out_dir new --init_from nano|train a.txt --out_dir new --init_from nano/ckpt.pt}
! 1 gradus *: nano/ckpt.pt: is a PyTorch file, which gradus does not open; python3 train/exchange/nanogpt.py --from nano/ckpt.pt DIR converts nanoGPT's ckpt.pt
$ gradus {sample model.bin a|chat model.bin|eval model.bin a.txt|info model.bin|export model.bin hf x|export model.bin gguf x|train a.txt --out_dir new --init_from model.bin}
! 1 gradus *: model.bin: is a PyTorch file, which gradus does not open; python3 train/exchange/nanogpt.py --from model.bin DIR converts nanoGPT's ckpt.pt
$ gradus {sample 'my nano' a|chat 'my nano'|eval 'my nano' a.txt|info 'my nano'|export 'my nano' hf x|export 'my nano' gguf x|train a.txt --out_dir new --init_from 'my nano'}
! 1 gradus *: my nano/ckpt.pt: is a PyTorch file, which gradus does not open; python3 train/exchange/nanogpt.py --from 'my nano/ckpt.pt' DIR converts nanoGPT's ckpt.pt
# A run is a run, whatever else is in its directory.
$ cp nano/ckpt.pt run
$ gradus info run

== directories of other programs with something missing
uses cats
$ gradus train a.txt --out_dir run $small --arch gpt2 --optimizer adamw
$ gradus export run hf hf
$ cp -r hf {1|2|3|4|5|6|7|8|9}
$ rm {1|2}/model.safetensors
$ printf x > 2/pytorch_model.bin
$ head -c -4 hf/model.safetensors > 3/model.safetensors
$ rm 4/tokenizer.json 4/vocab.json 9/tokenizer.json
$ printf '{}\n' > 5/config.json
$ repeat 1048577 ' ' > spaces
$ cat hf/config.json spaces > 6/config.json
$ sed 's/"vocab_size": 21/"vocab_size": 5/' hf/config.json > 7/config.json
$ printf '[\n' > 8/tokenizer.json
$ printf '{"<pad>": 21}' > 9/added_tokens.json
$ gradus eval 2 a.txt
! 1 gradus eval: 2/pytorch_model.bin: gradus does not open PyTorch's files; transformers' save_pretrained writes model.safetensors
$ gradus eval 3 a.txt
! 1 gradus eval: 3/model.safetensors: tensor "transformer.h.0.mlp.c_proj.bias" needs bytes 16504..16568, the file ends at 16564
$ gradus eval 5 a.txt
! 1 gradus eval: 5/config.json: "model_type" is missing
gradus eval 6 a.txt  ! 1 6/config.json
$ gradus eval 7 a.txt
! 1 gradus eval: 7: tensor "transformer.wte.weight" has shape (21, 16), expected (5, 16)
$ gradus eval 9 a.txt
! 1 gradus eval: 9/added_tokens.json: gradus finds no added tokens in a text, expected no such file
gradus eval 1 a.txt  ! 1 1/model.safetensors
gradus eval 4 a.txt  ! 1 4/vocab.json
gradus eval 8 a.txt  ! 1 8/tokenizer.json: byte 2

== a GPT-2 with vocab.json and merges.txt alone, as old directories have it, is the same model
uses cats
$ gradus train a.txt --out_dir run $small --arch gpt2 --optimizer adamw --tokenizer bpe --vocab_size 280 --document_separator '<|endoftext|>'
$ gradus export run hf hf
$ cp -r hf d
$ rm d/tokenizer.json d/tokenizer_config.json
$ gradus eval {hf > whole|d > parts} a.txt
$ cmp whole parts
$ gradus sample {hf > whole|d > parts} --seed 3 --max_new_tokens 30
$ cmp whole parts

== every key that is exported, as transformers writes them
$ repeat 40 'aab ab #\n' > a.txt
$ gradus train a.txt $keys --out_dir 1 --arch gpt2 --optimizer adamw --activation gelu_tanh --bias true --norm_eps 0.001 --n_inner 48
$ gradus train a.txt $keys --n_kv_head 1 --head_dim 6 --rope_theta 5000 --n_inner 40 {--out_dir 2 --arch llama|--out_dir 3 --arch qwen3}
$ gradus export {1 hf gpt2|2 hf llama|3 hf qwen3}
$ cat gpt2/config.json
1> {
1>   "architectures": ["GPT2LMHeadModel"],
1>   "model_type": "gpt2",
1>   "vocab_size": 259,
1>   "tie_word_embeddings": true,
1>   "bos_token_id": 258,
1>   "eos_token_id": 258,
1>   "gradus_ends_texts": true,
1>   "use_cache": true,
1>   "torch_dtype": "float32",
1>   "n_positions": 9,
1>   "n_ctx": 9,
1>   "n_embd": 16,
1>   "n_layer": 3,
1>   "n_head": 2,
1>   "n_inner": 48,
1>   "activation_function": "gelu_new",
1>   "resid_pdrop": 0.125,
1>   "embd_pdrop": 0.125,
1>   "attn_pdrop": 0.125,
1>   "layer_norm_epsilon": 0.001,
1>   "initializer_range": 0.02,
1>   "scale_attn_weights": true,
1>   "bias": true
1> }\c
$ cat {llama|qwen3}/config.json
1> {
1>   "architectures": ["*ForCausalLM"],
1>   "model_type": "*",
1>   "vocab_size": 259,
1>   "tie_word_embeddings": true,
1>   "bos_token_id": 258,
1>   "eos_token_id": 258,
1>   "gradus_ends_texts": true,
1>   "use_cache": true,
1>   "torch_dtype": "float32",
1>   "hidden_size": 16,
1>   "intermediate_size": 40,
1>   "num_hidden_layers": 3,
1>   "num_attention_heads": 2,
1>   "num_key_value_heads": 1,
1>   "head_dim": 6,
1>   "max_position_embeddings": 9,
1>   "rms_norm_eps": 1e-05,
1>   "rope_theta": 5000,
1>   "rope_scaling": null,
1>   "hidden_act": "silu",
1>   "initializer_range": 0.02,
1>   "attention_dropout": 0.125,
1>   "attention_bias": false,
1>   "mlp_bias": false
1> }\c
$ grep '"architectures": ["LlamaForCausalLM"]' llama/config.json
$ grep '"architectures": ["Qwen3ForCausalLM"]' qwen3/config.json
$ grep '"model_type": "llama"' llama/config.json
$ grep '"model_type": "qwen3"' qwen3/config.json
$ cat {gpt2|llama|qwen3}/generation_config.json
1> {
1>   "bos_token_id": 258,
1>   "eos_token_id": 258
1> }\c
$ cat {gpt2|llama|qwen3}/tokenizer_config.json
1> {
1>   "tokenizer_class": "PreTrainedTokenizerFast",
1>   "model_max_length": 9,
1>   "clean_up_tokenization_spaces": false,
1>   "bos_token": "<end>",
1>   "eos_token": "<end>"
1> }\c
$ sed s/vocab/vocab/ gpt2/tokenizer.json
1> {"version":"1.0","truncation":null,"padding":null,"added_tokens":[{"id":258,"content":"<end>","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],"normalizer":null,"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":true},"post_processor":null,"decoder":{"type":"ByteLevel","add_prefix_space":true,"trim_offsets":true,"use_regex":true},"model":{"type":"BPE","dropout":null,"unk_token":null,"continuing_subword_prefix":"","end_of_word_suffix":"","fuse_unk":false,"byte_fallback":false,"vocab":{"Ā":0,"ā":1,"Ă":2,"ă":3,"Ą":4,"ą":5,"Ć":6,"ć":7,"Ĉ":8,"ĉ":9,"Ċ":10,"ċ":11,"Č":12,"č":13,"Ď":14,"ď":15,"Đ":16,"đ":17,"Ē":18,"ē":19,"Ĕ":20,"ĕ":21,"Ė":22,"ė":23,"Ę":24,"ę":25,"Ě":26,"ě":27,"Ĝ":28,"ĝ":29,"Ğ":30,"ğ":31,"Ġ":32,"!":33,"\"":34,"#":35,"$":36,"%":37,"&":38,"'":39,"(":40,")":41,"\*":42,"+":43,",":44,"-":45,".":46,"/":47,"0":48,"1":49,"2":50,"3":51,"4":52,"5":53,"6":54,"7":55,"8":56,"9":57,":":58,";":59,"<":60,"=":61,">":62,"?":63,"@":64,"A":65,"B":66,"C":67,"D":68,"E":69,"F":70,"G":71,"H":72,"I":73,"J":74,"K":75,"L":76,"M":77,"N":78,"O":79,"P":80,"Q":81,"R":82,"S":83,"T":84,"U":85,"V":86,"W":87,"X":88,"Y":89,"Z":90,"[":91,"\\":92,"]":93,"^":94,"_":95,"`":96,"a":97,"b":98,"c":99,"d":100,"e":101,"f":102,"g":103,"h":104,"i":105,"j":106,"k":107,"l":108,"m":109,"n":110,"o":111,"p":112,"q":113,"r":114,"s":115,"t":116,"u":117,"v":118,"w":119,"x":120,"y":121,"z":122,"{":123,"|":124,"}":125,"~":126,"ġ":127,"Ģ":128,"ģ":129,"Ĥ":130,"ĥ":131,"Ħ":132,"ħ":133,"Ĩ":134,"ĩ":135,"Ī":136,"ī":137,"Ĭ":138,"ĭ":139,"Į":140,"į":141,"İ":142,"ı":143,"Ĳ":144,"ĳ":145,"Ĵ":146,"ĵ":147,"Ķ":148,"ķ":149,"ĸ":150,"Ĺ":151,"ĺ":152,"Ļ":153,"ļ":154,"Ľ":155,"ľ":156,"Ŀ":157,"ŀ":158,"Ł":159,"ł":160,"¡":161,"¢":162,"£":163,"¤":164,"¥":165,"¦":166,"§":167,"¨":168,"©":169,"ª":170,"«":171,"¬":172,"Ń":173,"®":174,"¯":175,"°":176,"±":177,"²":178,"³":179,"´":180,"µ":181,"¶":182,"·":183,"¸":184,"¹":185,"º":186,"»":187,"¼":188,"½":189,"¾":190,"¿":191,"À":192,"Á":193,"Â":194,"Ã":195,"Ä":196,"Å":197,"Æ":198,"Ç":199,"È":200,"É":201,"Ê":202,"Ë":203,"Ì":204,"Í":205,"Î":206,"Ï":207,"Ð":208,"Ñ":209,"Ò":210,"Ó":211,"Ô":212,"Õ":213,"Ö":214,"×":215,"Ø":216,"Ù":217,"Ú":218,"Û":219,"Ü":220,"Ý":221,"Þ":222,"ß":223,"à":224,"á":225,"â":226,"ã":227,"ä":228,"å":229,"æ":230,"ç":231,"è":232,"é":233,"ê":234,"ë":235,"ì":236,"í":237,"î":238,"ï":239,"ð":240,"ñ":241,"ò":242,"ó":243,"ô":244,"õ":245,"ö":246,"÷":247,"ø":248,"ù":249,"ú":250,"û":251,"ü":252,"ý":253,"þ":254,"ÿ":255,"ab":256,"Ġab":257,"<end>":258},"merges":["a b","Ġ ab"]}}
$ cat gpt2/merges.txt
1> #version: 0.2
1> a b
1> Ġ ab

== init_from: a run begins with the model's loss, and goes on like any other
uses cats
$ gradus train a.txt --out_dir run $small --arch qwen3 --tokenizer bpe --vocab_size 280 --n_kv_head 1
$ repeat 41 'the cat sat on mat {0|1|2|3|4|5|6} and saw dog {0|1|2|3|4}\n' > more
$ sed 's/the cat/cat/' more > b.txt
$ gradus export run hf hf
$ gradus eval {run|run/model.safetensors|hf} a.txt
1> loss {5.4342 ~ 0.0003}
1> *
$ gradus train b.txt --val_text a.txt --force --out_dir tuned --max_iters 6 --threads 1 --init_from {run|run/model.safetensors|hf}
1> step 0: train loss *, val loss {5.4342 ~ 0.0003}, * bits per character (lower is better)
1> *
2> *
2> *begins with the weights of *
2> *
# Stopped and resumed, it is the run that never stopped.
$ gradus train b.txt --out_dir whole --max_iters 6 --init_from run --seed 3 --threads 1 --eval_interval 3 --dropout 0.1
$ gradus train b.txt --out_dir half --max_iters 3 --lr_decay_iters 6 --init_from run --seed 3 --threads 1 --eval_interval 3 --dropout 0.1
$ gradus train --resume half --max_iters 6 --threads 1
$ cmp whole/checkpoint.safetensors half/checkpoint.safetensors
# A shorter context is a part of the model; nothing else may be another.
$ gradus train b.txt --out_dir short --max_iters 2 --block_size 4 --init_from run
$ gradus info short
1> *
1>   block_size        4
1> *
$ gradus train b.txt --out_dir x --block_size 9 --init_from run
! 1 gradus train: --block_size: 9, but run/model.safetensors has a context of 8 tokens at most
$ gradus train b.txt --out_dir x --n_layer 2 --init_from run
! 1 gradus train: --n_layer: 2, but run/model.safetensors has 1
$ gradus train b.txt --out_dir x --causal false --init_from run
! 1 gradus train: --causal: false, but run/model.safetensors has true
$ printf 'é\n' > letter
$ cat letter a.txt > odd.txt
$ gradus train a.txt --out_dir chars $small
$ gradus train odd.txt --out_dir x --init_from chars
! 1 gradus train: odd.txt: byte 0: U+00E9 is not in the vocabulary; --unknown skip leaves out the 1 symbol that is not in the vocabulary; a model trained with --tokenizer byte or bpe reads every text

== init_from: learned positions are cut with the context
uses cats
$ gradus train a.txt --out_dir run $small --arch gpt2 --optimizer adamw
$ gradus train a.txt --out_dir short --max_iters 0 --block_size 8 --init_from run --threads 1
$ gradus eval {run > loss|short > of_short} a.txt
$ cmp loss of_short
$ gradus train a.txt --out_dir shorter --max_iters 0 --block_size 5 --init_from run
$ gradus info shorter
1> *
1> *5 x 16*
1> *

== number formats of .gguf, each smaller than the one before
uses cats
$ gradus train a.txt --out_dir run $small --arch llama
$ gradus export run gguf {float32 --dtype float32|float16 --dtype float16}
2! *stored as float16*
# Rows of 16 have no blocks of 32.
$ gradus export run gguf q8_0 --dtype q8_0
2> *
2> *stored as float16*
2> *
# bfloat16 is as large as float16, and is another format.
$ gradus export run gguf bfloat16 --dtype bfloat16
$ wc -c bfloat16
1> {11040 ~ 50}
$ cmp bfloat16 float16
! 1
$ wc -c float32
1> {19904 ~ 50}
$ wc -c float16
1> {11040 ~ 50}
$ wc -c q8_0
1> {10080 ~ 50}

== a model of others ends no text with its separator, unless it is told to
uses cats
$ gradus train a.txt --out_dir run $small --tokenizer bpe --vocab_size 280 --document_separator '<e>'
# With an exported file, which says what the run did, and with files of others, which do not.
$ gradus export run hf hf
1>
$ cp -r hf other
$ sed 's/"gradus_ends_texts": true,//' hf/config.json > other/config.json
$ gradus eval {run > loss|hf > exported|other > plain} a.txt
$ cmp loss exported
$ cmp loss plain
! 1
$ printf '<e>' > end
$ cat a.txt end > ended.txt
$ gradus eval other ended.txt > ended
$ grep 'loss ' {loss > of_text|ended > of_ended}
$ cmp of_text of_ended
$ gradus eval {run > of_run|hf > of_hf|other > of_other} a.txt --document_separator '<e>'
$ cmp loss {of_run|of_hf|of_other}
$ gradus eval {run|hf|other} a.txt --document_separator x
! 1 *--document_separator: "x" is not the model's separator, which is "<e>"*

== a fine-tuned model ends texts with its separator as in fine-tuning
uses cats
$ gradus train a.txt --out_dir run $small --tokenizer bpe --vocab_size 280 --document_separator '<e>'
$ gradus export run hf hf
1>
$ cp -r hf other
$ sed 's/"gradus_ends_texts": true,//' hf/config.json > other/config.json
$ mkdir two
$ cp a.txt two/a
$ cp a.txt two/b
# The text has two tokens more where two files end in the separator.
$ gradus train two --out_dir bare --max_iters 2 --threads 1 --init_from other
2> *
2> two (2 files): 676 tokens (bpe, *
2> *
$ gradus train two --out_dir {ending --init_from run|told --init_from other --document_separator '<e>'} --max_iters 2 --threads 1
2> *
2> two (2 files): 678 tokens (bpe, *
2> *
$ gradus train --resume told --max_iters 2 --document_separator '<e>'
$ gradus eval other two
2> *two (2 files): read as one text; --document_separator '<e>' ends*
2> *

