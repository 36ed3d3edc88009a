"""The forward pass of GPT-2, Llama and Qwen3 from config.json and tensors of the hub's names, written
from the models' papers: logits(config, tensors, ids) is (T, V)."""

import torch
import torch.nn.functional as F

GELU = {"gelu": F.gelu, "gelu_new": lambda x: F.gelu(x, approximate="tanh"),
        # ggml's: a table by float16 of float16, for x between -10 and 10.
        "ggml": lambda x: torch.where(x.abs() < 10, GELU["gelu_new"](x.half().float()).half().float(), F.relu(x))}


def attention(q, k, v):
    """(T, H, D), (T, K, D), (T, K, D) -> (T, H D), causal; K divides H."""
    T, H, D = q.shape
    k, v = (x.repeat_interleave(H // x.shape[1], dim=1) for x in (k, v))
    scores = torch.einsum("thd,shd->hts", q, k) / D ** 0.5
    scores = scores.masked_fill(torch.ones(T, T, dtype=torch.bool).triu(1), float("-inf"))
    return torch.einsum("hts,shd->thd", torch.softmax(scores, -1), v).reshape(T, H * D)


def gpt2(c, w, ids):
    w = {name.removeprefix("transformer."): tensor for name, tensor in w.items()}
    C, H, T = c["n_embd"], c["n_head"], len(ids)
    gelu = GELU[c["activation_function"]]

    def norm(x, name):
        return F.layer_norm(x, (C,), w[name + ".weight"], w[name + ".bias"], c["layer_norm_epsilon"])

    def conv1d(x, name):  # the weight is (in, out)
        return x @ w[name + ".weight"] + w[name + ".bias"]

    x = w["wte.weight"][ids] + w["wpe.weight"][:T]
    for i in range(c["n_layer"]):
        p = f"h.{i}."
        qkv = conv1d(norm(x, p + "ln_1"), p + "attn.c_attn").split(C, dim=-1)
        x = x + conv1d(attention(*(y.reshape(T, H, C // H) for y in qkv)), p + "attn.c_proj")
        hidden = gelu(conv1d(norm(x, p + "ln_2"), p + "mlp.c_fc"))
        x = x + conv1d(hidden, p + "mlp.c_proj")
    return norm(x, "ln_f") @ (w["wte.weight"] if c["tie_word_embeddings"] else w["lm_head.weight"]).T


def rotated(x, theta):
    """(T, H, D): features j and j + D / 2 of a head turn by pos theta^(-2 j / D)."""
    T, _, D = x.shape
    angles = torch.outer(torch.arange(T).float(), theta ** (-torch.arange(0, D, 2).float() / D))[:, None]
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], -1)


def llama(c, w, ids):
    H, K, D, T = c["num_attention_heads"], c["num_key_value_heads"], c["head_dim"], len(ids)

    def norm(x, name):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + c["rms_norm_eps"]) * w[name + ".weight"]

    def heads(x, name):
        x = (x @ w[name + "_proj.weight"].T).reshape(T, -1, D)
        return norm(x, name + "_norm") if name + "_norm.weight" in w else x

    x = w["model.embed_tokens.weight"][ids]
    for i in range(c["num_hidden_layers"]):
        p = f"model.layers.{i}."
        y = norm(x, p + "input_layernorm")
        q, k, v = (heads(y, p + "self_attn." + name) for name in "qkv")
        assert q.shape[1] == H and k.shape[1] == K
        y = attention(rotated(q, c["rope_theta"]), rotated(k, c["rope_theta"]), v)
        x = x + y @ w[p + "self_attn.o_proj.weight"].T
        y = norm(x, p + "post_attention_layernorm")
        gate, up = (y @ w[p + f"mlp.{name}_proj.weight"].T for name in ("gate", "up"))
        x = x + (F.silu(gate) * up) @ w[p + "mlp.down_proj.weight"].T
    head = "model.embed_tokens.weight" if c["tie_word_embeddings"] else "lm_head.weight"
    return norm(x, "model.norm") @ w[head].T


def logits(config, tensors, ids):
    tensors = {name: tensor.float() for name, tensor in tensors.items()}
    forward = {"gpt2": gpt2, "llama": llama, "qwen3": llama}[config["model_type"]]
    assert ("q_norm" in " ".join(tensors)) == (config["model_type"] == "qwen3")
    with torch.no_grad():
        return forward(config, tensors, torch.tensor(ids))
