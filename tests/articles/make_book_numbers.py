"""Writes book_numbers.h: what torch 1.13 (CPU, without MKL) computes with the modules of Raschka's
book, which soloshun_part7.cpp and book.cpp build in this engine.

    python3 tests/articles/make_book_numbers.py | clang-format > tests/articles/book_numbers.h
"""

import torch
from torch import nn

torch.set_num_threads(1)


def emit(name, x):
    values = ", ".join(f"{v:.9g}" for v in x.detach().flatten().tolist())
    print(f"inline const Numbers {name} = {{{{{', '.join(map(str, x.shape))}}}, {{{values}}}}};")


inputs = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                       [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]])


def attend(q, k, v, causal=False, drop=None):
    scores = q @ k.transpose(-2, -1)
    if causal:
        n = scores.shape[-1]
        scores = scores.masked_fill(torch.triu(torch.ones(n, n), diagonal=1).bool(), -torch.inf)
    weights = torch.softmax(scores / k.shape[-1]**0.5, dim=-1)
    if drop is not None:
        weights = drop(weights)
    return weights @ v


class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query, self.W_key, self.W_value = (nn.Parameter(torch.rand(d_in, d_out))
                                                  for _ in range(3))

    def forward(self, x):
        return attend(x @ self.W_query, x @ self.W_key, x @ self.W_value)


class Projections(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)


class SelfAttentionV2(Projections):
    def forward(self, x):
        return attend(self.W_query(x), self.W_key(x), self.W_value(x))


class CausalAttention(Projections):
    def __init__(self, d_in, d_out, dropout, qkv_bias=False):
        super().__init__(d_in, d_out, qkv_bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return attend(self.W_query(x), self.W_key(x), self.W_value(x), True, self.dropout)


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_in, d_out, dropout, num_heads):
        super().__init__()
        self.heads = nn.ModuleList([CausalAttention(d_in, d_out, dropout) for _ in range(num_heads)])

    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], dim=-1)


class MultiHeadAttention(Projections):
    def __init__(self, d_in, d_out, dropout, num_heads, qkv_bias=False):
        super().__init__(d_in, d_out, qkv_bias)
        self.num_heads, self.head_dim = num_heads, d_out // num_heads
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        b, n, _ = x.shape

        def split(y):
            return y.view(b, n, self.num_heads, self.head_dim).transpose(1, 2)

        context = attend(split(self.W_query(x)), split(self.W_key(x)), split(self.W_value(x)),
                         True, self.dropout)
        return self.out_proj(context.transpose(1, 2).reshape(b, n, -1))


class LayerNorm(nn.Module):
    def __init__(self, emb_dim):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(emb_dim))
        self.shift = nn.Parameter(torch.zeros(emb_dim))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        var = x.var(dim=-1, keepdim=True, unbiased=False)
        return self.scale * (x - mean) / torch.sqrt(var + 1e-5) + self.shift


class GELU(nn.Module):
    def forward(self, x):
        return 0.5 * x * (1 + torch.tanh((2 / torch.pi)**0.5 * (x + 0.044715 * x**3)))


class FeedForward(nn.Module):
    def __init__(self, emb_dim):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(emb_dim, 4 * emb_dim), GELU(),
                                    nn.Linear(4 * emb_dim, emb_dim))

    def forward(self, x):
        return self.layers(x)


class TransformerBlock(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.att = MultiHeadAttention(cfg["emb_dim"], cfg["emb_dim"], cfg["drop_rate"],
                                      cfg["n_heads"], cfg["qkv_bias"])
        self.ff = FeedForward(cfg["emb_dim"])
        self.norm1, self.norm2 = LayerNorm(cfg["emb_dim"]), LayerNorm(cfg["emb_dim"])
        self.drop_shortcut = nn.Dropout(cfg["drop_rate"])

    def forward(self, x):
        x = x + self.drop_shortcut(self.att(self.norm1(x)))
        return x + self.drop_shortcut(self.ff(self.norm2(x)))


class GPTModel(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok_emb = nn.Embedding(cfg["vocab_size"], cfg["emb_dim"])
        self.pos_emb = nn.Embedding(cfg["context_length"], cfg["emb_dim"])
        self.drop_emb = nn.Dropout(cfg["drop_rate"])
        self.trf_blocks = nn.Sequential(*[TransformerBlock(cfg) for _ in range(cfg["n_layers"])])
        self.final_norm = LayerNorm(cfg["emb_dim"])
        self.out_head = nn.Linear(cfg["emb_dim"], cfg["vocab_size"], bias=False)

    def forward(self, ids):
        x = self.tok_emb(ids) + self.pos_emb(torch.arange(ids.shape[1]))
        return self.out_head(self.final_norm(self.trf_blocks(self.drop_emb(x))))


class DeepNetwork(nn.Module):
    def __init__(self, sizes, use_shortcut):
        super().__init__()
        self.use_shortcut = use_shortcut
        self.layers = nn.ModuleList([nn.Sequential(nn.Linear(a, b), GELU())
                                     for a, b in zip(sizes, sizes[1:])])

    def forward(self, x):
        for layer in self.layers:
            y = layer(x)
            x = x + y if self.use_shortcut and x.shape == y.shape else y
        return x


def generate(model, ids, count, context_length):
    for _ in range(count):
        with torch.no_grad():
            logits = model(ids[:, -context_length:])[:, -1, :]
        ids = torch.cat((ids, logits.argmax(dim=-1, keepdim=True)), dim=1)
    return ids


print("// Made by make_book_numbers.py with torch 1.13.\n#pragma once\n\n"
      "#include \"tests/articles/walkthrough.h\"\n\nnamespace articles::book {\n")

torch.manual_seed(123)
emit("embedding_weight", nn.Embedding(6, 3).weight)

scores = inputs @ inputs.T
emit("toy_scores", scores)
emit("toy_weights", torch.softmax(scores, dim=-1))
emit("toy_contexts", torch.softmax(scores, dim=-1) @ inputs)

torch.manual_seed(123)
W_query, W_key, W_value = (torch.rand(3, 2) for _ in range(3))
query_2, keys, values = inputs[1] @ W_query, inputs @ W_key, inputs @ W_value
emit("query_2", query_2)
emit("attn_score_22", query_2.dot(keys[1]))
emit("attn_scores_2", query_2 @ keys.T)
emit("attn_weights_2", torch.softmax(query_2 @ keys.T / 2**0.5, dim=-1))
emit("context_vec_2", torch.softmax(query_2 @ keys.T / 2**0.5, dim=-1) @ values)

torch.manual_seed(123)
emit("sa_v1", SelfAttentionV1(3, 2)(inputs))
torch.manual_seed(789)
sa_v2 = SelfAttentionV2(3, 2)
emit("sa_v2", sa_v2(inputs))
torch.manual_seed(789)
emit("sa_v2_bias", SelfAttentionV2(3, 2, qkv_bias=True)(inputs))

weights = torch.softmax(sa_v2.W_query(inputs) @ sa_v2.W_key(inputs).T / 2**0.5, dim=-1)
simple = weights * torch.tril(torch.ones(6, 6))
emit("masked_simple_norm", simple / simple.sum(dim=-1, keepdim=True))
dropout = nn.Dropout(0.5)
torch.manual_seed(123)
emit("dropped_ones", dropout(torch.ones(6, 6)))
torch.manual_seed(123)
emit("dropped_weights", dropout(simple / simple.sum(dim=-1, keepdim=True)))

batch = torch.stack((inputs, inputs), dim=0)
torch.manual_seed(123)
emit("causal", CausalAttention(3, 2, 0.0)(batch))
torch.manual_seed(123)
emit("causal_dropout", CausalAttention(3, 2, 0.5)(batch))
torch.manual_seed(123)
emit("wrapper", MultiHeadAttentionWrapper(3, 2, 0.0, 2)(batch))
torch.manual_seed(123)
emit("multi_head", MultiHeadAttention(3, 2, 0.0, 2)(batch))
torch.manual_seed(123)
emit("multi_head_dropout", MultiHeadAttention(3, 4, 0.5, 2, qkv_bias=True)(batch))

torch.manual_seed(123)
batch_example = torch.randn(2, 5)
out = nn.Sequential(nn.Linear(5, 6), nn.ReLU())(batch_example)
emit("layer_out", out)
emit("layer_out_mean", out.mean(dim=-1, keepdim=True))
emit("layer_out_var", out.var(dim=-1, keepdim=True))
emit("layer_norm", LayerNorm(5)(batch_example))
emit("gelu", GELU()(torch.linspace(-3, 3, 13)))
torch.manual_seed(123)
ff = FeedForward(8)
emit("feed_forward", ff(torch.rand(2, 3, 8)))

sample = torch.tensor([[1.0, 0.0, -1.0]])
for use_shortcut in (False, True):
    torch.manual_seed(123)
    model = DeepNetwork([3, 3, 3, 3, 3, 1], use_shortcut)
    nn.MSELoss()(model(sample), torch.tensor([[0.0]])).backward()
    gradients = [p.grad.abs().mean() for name, p in model.named_parameters() if "weight" in name]
    emit("gradients_with_shortcut" if use_shortcut else "gradients", torch.stack(gradients))

cfg = {"vocab_size": 50, "context_length": 8, "emb_dim": 12, "n_heads": 3, "n_layers": 2,
       "drop_rate": 0.1, "qkv_bias": False}
torch.manual_seed(123)
x = torch.rand(2, 4, 12)
block = TransformerBlock(cfg)
emit("block", block(x))

torch.manual_seed(123)
model = GPTModel(cfg)
ids = torch.tensor([[6, 3, 45, 10], [6, 1, 22, 49]])
emit("gpt_training", model(ids))
model.eval()
emit("gpt", model(ids))
emit("gpt_loss", nn.functional.cross_entropy(model(ids).flatten(0, 1), torch.roll(ids, -1, 1).flatten()))
emit("generated", generate(model, ids[:1], 10, cfg["context_length"]))

cfg = {"vocab_size": 50257, "context_length": 1024, "emb_dim": 768, "n_heads": 12, "n_layers": 12,
       "drop_rate": 0.1, "qkv_bias": False}
torch.manual_seed(123)
model = GPTModel(cfg)
ids = torch.tensor([[6109, 3626, 6100, 345], [6109, 1110, 6622, 257]])
edges = [0, 1, 2, -3, -2, -1]
emit("gpt_124m_training", model(ids)[:, :, edges])
model.eval()
emit("gpt_124m", model(ids)[:, :, edges])
hello = torch.tensor([[15496, 11, 314, 716]])
emit("gpt_124m_generated", generate(model, hello, 6, cfg["context_length"]))

print("\n}  // namespace articles::book")
