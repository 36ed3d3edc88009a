"""big.py FOLDER TOKENIZER: a GPT-2 of 124M random parameters in three layouts that programs write:
    hub/     the hub's gpt2: no prefix, with the masks' buffers
    saved/   save_pretrained's: a prefix; only tokenizer.json, with merges as pairs
    shards/  the same in float16, in two files with an index; only vocab.json and merges.txt
FOLDER/NAME.f32: PyTorch's logits for prompt.ids. TOKENIZER: what gpt2_files.mjs has written."""

import json
import os
import shutil
import struct
import sys

import torch

import files
import hub_model

folder, tokenizer = sys.argv[1:]
C, L, H, V, T = 768, 12, 12, 50257, 1024
config = {"activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.1,
          "bos_token_id": 50256, "embd_pdrop": 0.1, "eos_token_id": 50256, "initializer_range": 0.02,
          "layer_norm_epsilon": 1e-05, "model_type": "gpt2", "n_ctx": T, "n_embd": C, "n_head": H, "n_layer": L,
          "n_positions": T, "resid_pdrop": 0.1, "summary_activation": None, "summary_first_dropout": 0.1,
          "summary_proj_to_labels": True, "summary_type": "cls_index", "summary_use_proj": True,
          "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}}, "vocab_size": V}


def write(path, tensors):
    header, begin = {"__metadata__": {"format": "pt"}}, 0
    for name, tensor in tensors.items():
        size = tensor.numel() * tensor.element_size()
        dtype = {torch.float32: "F32", torch.float16: "F16"}[tensor.dtype]
        header[name] = {"dtype": dtype, "shape": list(tensor.shape), "data_offsets": [begin, begin + size]}
        begin += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            file.write(tensor.contiguous().numpy().tobytes())


def layout(name, shards, tokenizer_files):
    """Each shard a dictionary of tensors."""
    at = os.path.join(folder, name)
    os.makedirs(at, exist_ok=True)
    json.dump(config, open(os.path.join(at, "config.json"), "w"), indent=2)
    for file in tokenizer_files:
        shutil.copy(os.path.join(tokenizer, file), os.path.join(at, file.replace("pairs", "tokenizer")))
    names = [f"model-{i + 1:05}-of-{len(shards):05}.safetensors" for i in range(len(shards))]
    names = names if len(shards) > 1 else ["model.safetensors"]
    for file, tensors in zip(names, shards):
        write(os.path.join(at, file), tensors)
    if len(shards) > 1:
        weight_map = {name: file for file, tensors in zip(names, shards) for name in tensors}
        json.dump({"metadata": {"total_size": 0}, "weight_map": weight_map},
                  open(os.path.join(at, "model.safetensors.index.json"), "w"))
    ids = files.ids(os.path.join(folder, "prompt.ids"))
    tensors = {k: v for shard in shards for k, v in shard.items()}
    logits = hub_model.logits(config | {"tie_word_embeddings": True}, tensors, ids)
    with open(os.path.join(folder, name + ".f32"), "wb") as file:
        file.write(logits.numpy().tobytes())


torch.manual_seed(1)
weights = {"wte.weight": 0.04 * torch.randn(V, C), "wpe.weight": 0.02 * torch.randn(T, C)}


def norm(name):
    weights.update({name + ".weight": 1 + 0.2 * torch.randn(C), name + ".bias": 0.1 * torch.randn(C)})


def conv1d(name, inputs, outputs):
    weights.update({name + ".weight": 0.04 * torch.randn(inputs, outputs), name + ".bias": 0.1 * torch.randn(outputs)})


for i in range(L):
    norm(f"h.{i}.ln_1")
    conv1d(f"h.{i}.attn.c_attn", C, 3 * C)
    conv1d(f"h.{i}.attn.c_proj", C, C)
    norm(f"h.{i}.ln_2")
    conv1d(f"h.{i}.mlp.c_fc", C, 4 * C)
    conv1d(f"h.{i}.mlp.c_proj", 4 * C, C)
norm("ln_f")
print(f"interop: PyTorch writes a GPT-2 of {sum(w.numel() for w in weights.values()):,} parameters")

masks = {f"h.{i}.attn.bias": torch.tril(torch.ones(1, 1, T, T)) for i in range(L)}
layout("hub", [weights | masks], ["vocab.json", "merges.txt", "tokenizer.json"])
saved = {"transformer." + name: tensor for name, tensor in weights.items()}
layout("saved", [saved], ["pairs.json"])
half = [(name, tensor.half()) for name, tensor in saved.items()]
layout("shards", [dict(half[:len(half) // 2]), dict(half[len(half) // 2:])], ["vocab.json", "merges.txt"])
