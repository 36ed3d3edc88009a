#!/usr/bin/python3
"""Writes pytorch_gpt.txt: what PyTorch computes for a tiny GPT and 20 steps of AdamW.

    apt-get install python3-torch        # 1.13 on Debian 12
    /usr/bin/python3 tests/data/make_pytorch_gpt.py

Weights and tokens come from formulas, which tests/reference/gpt_test.cpp repeats. Everything is
computed in float64 and again in float32, one thread. Lines: name, number of values, values.
"""

import os

import torch
import torch.nn.functional as F

V, T, B, C, H, L = 7, 5, 2, 8, 2, 2
STEPS, LEARNING_RATE, BETAS, DECAY, CLIP = 20, 0.01, (0.9, 0.99), 0.1, 1.0


def formula(i, k):
    return ((31 * i * i + 7919 * i + 104729 * k + 17) % 2003 - 1001) / 1000.0


def parameters(dtype):
    shapes = {"transformer.wte.weight": (V, C), "transformer.wpe.weight": (T, C)}
    for layer in range(L):
        block = f"transformer.h.{layer}."
        shapes |= {block + "ln_1.weight": (C,), block + "ln_1.bias": (C,),
                   block + "attn.c_attn.weight": (3 * C, C), block + "attn.c_attn.bias": (3 * C,),
                   block + "attn.c_proj.weight": (C, C), block + "attn.c_proj.bias": (C,),
                   block + "ln_2.weight": (C,), block + "ln_2.bias": (C,),
                   block + "mlp.c_fc.weight": (4 * C, C), block + "mlp.c_fc.bias": (4 * C,),
                   block + "mlp.c_proj.weight": (C, 4 * C), block + "mlp.c_proj.bias": (C,)}
    shapes |= {"transformer.ln_f.weight": (C,), "transformer.ln_f.bias": (C,)}
    result = {}
    for k, (name, shape) in enumerate(shapes.items()):
        count = torch.Size(shape).numel()
        center = 1.0 if ".ln_" in name and name.endswith("weight") else 0.0
        values = [center + 0.3 * formula(i, k) for i in range(count)]
        tensor = torch.tensor(values, dtype=torch.float64).reshape(shape).to(dtype)
        result[name] = tensor.requires_grad_()
    return result


def batch(step):
    ids = [(3 * i * i + 5 * i + 7 * step + 1) % V for i in range(B * T)]
    targets = [-1 if i == 3 else (2 * i * i + i + 3 * step) % V for i in range(B * T)]
    return torch.tensor(ids).reshape(B, T), torch.tensor(targets)


def logits_of(p, ids):
    def linear(x, name):
        return F.linear(x, p[name + ".weight"], p[name + ".bias"])

    def norm(x, name):
        return F.layer_norm(x, (C,), p[name + ".weight"], p[name + ".bias"], 1e-5)

    future = torch.ones(T, T, dtype=torch.bool).triu(1)
    x = F.embedding(ids, p["transformer.wte.weight"]) + p["transformer.wpe.weight"]
    for layer in range(L):
        block = f"transformer.h.{layer}."
        qkv = linear(norm(x, block + "ln_1"), block + "attn.c_attn")
        q, k, v = (part.reshape(B, T, H, C // H).transpose(1, 2) for part in qkv.split(C, dim=2))
        scores = (q @ k.transpose(2, 3)) / (C // H) ** 0.5
        weights = torch.softmax(scores.masked_fill(future, float("-inf")), dim=-1)
        heads = (weights @ v).transpose(1, 2).reshape(B, T, C)
        x = x + linear(heads, block + "attn.c_proj")
        hidden = F.gelu(linear(norm(x, block + "ln_2"), block + "mlp.c_fc"))
        x = x + linear(hidden, block + "mlp.c_proj")
    return F.linear(norm(x, "transformer.ln_f"), p["transformer.wte.weight"])


def run(dtype, write):
    p = parameters(dtype)
    optimizer = torch.optim.AdamW(
        [{"params": [t for t in p.values() if t.dim() >= 2], "weight_decay": DECAY},
         {"params": [t for t in p.values() if t.dim() < 2], "weight_decay": 0.0}],
        lr=LEARNING_RATE, betas=BETAS, eps=1e-8)
    losses = []
    for step in range(STEPS):
        ids, targets = batch(step)
        logits = logits_of(p, ids)
        loss = F.cross_entropy(logits.reshape(B * T, V), targets, ignore_index=-1)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        if step == 0:
            write("logits", logits)
            for name, tensor in p.items():
                write("gradient " + name, tensor.grad)
        losses.append(loss.detach())
        torch.nn.utils.clip_grad_norm_(p.values(), CLIP)
        optimizer.step()
    write("losses", torch.stack(losses))
    for name, tensor in p.items():
        write("trained " + name, tensor)


torch.set_num_threads(1)
with open(os.path.join(os.path.dirname(__file__), "pytorch_gpt.txt"), "w") as file:
    for dtype, title in (torch.float64, "float64"), (torch.float32, "float32"):
        def write(name, tensor):
            values = tensor.detach().numpy().ravel()
            name = name.replace(" ", ".")
            file.write(f"{title}.{name} {len(values)} {' '.join(str(v) for v in values)}\n")
        run(dtype, write)
