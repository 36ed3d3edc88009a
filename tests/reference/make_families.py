#!/usr/bin/python3
"""Writes families.txt: what PyTorch computes for small models of the Llama and Qwen3 families, in float64.

    apt-get install python3-torch        # 1.13 on Debian 12
    /usr/bin/python3 tests/reference/make_families.py

The forward passes are written from the papers (RMSNorm: Zhang and Sennrich, 2019; rotary positions: Su et
al., 2021; SwiGLU: Shazeer, 2020; grouped queries: Ainslie et al., 2023; norms of queries and keys: Qwen3's
report, 2025) and from the keys and tensor names that such a model's config.json and .safetensors have. They
know nothing of gradus: weights have transformers' names and shapes. Their values are a formula's, far from
any initial value (norms that are all 1 would hide on which side of a rotation they stand).

Lines: model.name, number of values, values. families_test.cpp reads them.
"""

import math
import os

import torch
import torch.nn.functional as F

MODELS = {
    # grouped queries, a head of its own
    "llama_grouped": dict(vocab_size=11, hidden_size=16, intermediate_size=24, num_hidden_layers=2,
                          num_attention_heads=4, num_key_value_heads=2, head_dim=4, rms_norm_eps=1e-5,
                          rope_theta=10000.0, tie_word_embeddings=False, qk_norm=False, B=2, T=7),
    # heads wider than hidden_size / num_attention_heads, tied, the large base
    "llama_wide": dict(vocab_size=9, hidden_size=12, intermediate_size=20, num_hidden_layers=3,
                       num_attention_heads=3, num_key_value_heads=3, head_dim=6, rms_norm_eps=1e-6,
                       rope_theta=1000000.0, tie_word_embeddings=True, qk_norm=False, B=2, T=9),
    "qwen3_grouped": dict(vocab_size=10, hidden_size=12, intermediate_size=16, num_hidden_layers=2,
                          num_attention_heads=4, num_key_value_heads=1, head_dim=8, rms_norm_eps=1e-6,
                          rope_theta=1000000.0, tie_word_embeddings=True, qk_norm=True, B=2, T=8),
    # more positions than a strip of 64 queries, twice
    "qwen3_long": dict(vocab_size=7, hidden_size=8, intermediate_size=12, num_hidden_layers=2,
                       num_attention_heads=2, num_key_value_heads=1, head_dim=6, rms_norm_eps=1e-5,
                       rope_theta=10000.0, tie_word_embeddings=False, qk_norm=True, B=1, T=133),
}


def formula(i, k):
    return ((31 * i * i + 7919 * i + 104729 * k + 17) % 2003 - 1001) / 1000.0


def weights(c):
    """Every tensor under its name in a model.safetensors of transformers, in the order of this list."""
    C, D, H, K = c["hidden_size"], c["head_dim"], c["num_attention_heads"], c["num_key_value_heads"]
    shapes = {"model.embed_tokens.weight": (c["vocab_size"], C)}
    for layer in range(c["num_hidden_layers"]):
        p = f"model.layers.{layer}."
        shapes |= {p + "input_layernorm.weight": (C,),
                   p + "self_attn.q_proj.weight": (H * D, C), p + "self_attn.k_proj.weight": (K * D, C),
                   p + "self_attn.v_proj.weight": (K * D, C), p + "self_attn.o_proj.weight": (C, H * D)}
        if c["qk_norm"]:
            shapes |= {p + "self_attn.q_norm.weight": (D,), p + "self_attn.k_norm.weight": (D,)}
        shapes |= {p + "post_attention_layernorm.weight": (C,),
                   p + "mlp.gate_proj.weight": (c["intermediate_size"], C),
                   p + "mlp.up_proj.weight": (c["intermediate_size"], C),
                   p + "mlp.down_proj.weight": (C, c["intermediate_size"])}
    shapes["model.norm.weight"] = (C,)
    if not c["tie_word_embeddings"]:
        shapes["lm_head.weight"] = (c["vocab_size"], C)
    result = {}
    for k, (name, shape) in enumerate(shapes.items()):
        center, scale = (1.0, 0.4) if "norm" in name else (0.0, 0.5)
        count = math.prod(shape)
        values = [center + scale * formula(i, k) for i in range(count)]
        result[name] = torch.tensor(values, dtype=torch.float64).reshape(shape).requires_grad_()
    return result


def rms_norm(x, weight, eps):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps) * weight


def rotated(x, theta):
    """x (B, heads, T, D): features i and i + D/2 turn by t theta^(-2i/D)."""
    T, D = x.shape[-2:]
    frequency = torch.tensor([theta ** (-2.0 * i / D) for i in range(D // 2)], dtype=torch.float64)
    angle = torch.arange(T, dtype=torch.float64)[:, None] * frequency[None, :]
    first, second = x[..., : D // 2], x[..., D // 2:]
    return torch.cat([first * angle.cos() - second * angle.sin(),
                      second * angle.cos() + first * angle.sin()], dim=-1)


def logits_of(c, w, ids):
    B, T = ids.shape
    D, H, K, eps = c["head_dim"], c["num_attention_heads"], c["num_key_value_heads"], c["rms_norm_eps"]
    future = torch.ones(T, T, dtype=torch.bool).triu(1)
    x = w["model.embed_tokens.weight"][ids]
    for layer in range(c["num_hidden_layers"]):
        p = f"model.layers.{layer}."
        y = rms_norm(x, w[p + "input_layernorm.weight"], eps)

        def heads(name, count):
            return (y @ w[p + f"self_attn.{name}_proj.weight"].T).reshape(B, T, count, D)

        q, k, v = heads("q", H), heads("k", K), heads("v", K)
        if c["qk_norm"]:
            q = rms_norm(q, w[p + "self_attn.q_norm.weight"], eps)
            k = rms_norm(k, w[p + "self_attn.k_norm.weight"], eps)
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        q, k = rotated(q, c["rope_theta"]), rotated(k, c["rope_theta"])
        # Query head h reads key and value head h // (H / K).
        k, v = (t.repeat_interleave(H // K, dim=1) for t in (k, v))
        scores = (q @ k.transpose(2, 3)) / math.sqrt(D)
        attention = torch.softmax(scores.masked_fill(future, float("-inf")), dim=-1) @ v
        x = x + attention.transpose(1, 2).reshape(B, T, H * D) @ w[p + "self_attn.o_proj.weight"].T
        y = rms_norm(x, w[p + "post_attention_layernorm.weight"], eps)
        gate, up = y @ w[p + "mlp.gate_proj.weight"].T, y @ w[p + "mlp.up_proj.weight"].T
        x = x + (F.silu(gate) * up) @ w[p + "mlp.down_proj.weight"].T
    head = w["model.embed_tokens.weight" if c["tie_word_embeddings"] else "lm_head.weight"]
    return rms_norm(x, w["model.norm.weight"], eps) @ head.T


def batch(c):
    count = c["B"] * c["T"]
    ids = [(3 * i * i + 5 * i + 1) % c["vocab_size"] for i in range(count)]
    targets = [-1 if i == 3 else (2 * i * i + i) % c["vocab_size"] for i in range(count)]
    return torch.tensor(ids).reshape(c["B"], c["T"]), torch.tensor(targets)


if __name__ == "__main__":
    torch.set_num_threads(1)
    with open(os.path.join(os.path.dirname(__file__), "families.txt"), "w") as file:
        def write(name, values):
            values = values.detach().numpy().ravel()
            file.write(f"{name} {len(values)} {' '.join('%.15g' % v for v in values)}\n")

        for name, c in MODELS.items():
            w = weights(c)
            ids, targets = batch(c)
            logits = logits_of(c, w, ids)
            loss = F.cross_entropy(logits.reshape(-1, c["vocab_size"]), targets, ignore_index=-1)
            loss.backward()
            write(f"{name}.logits", logits)
            write(f"{name}.loss", loss)
            for tensor, value in w.items():
                write(f"{name}.gradient.{tensor}", value.grad)
