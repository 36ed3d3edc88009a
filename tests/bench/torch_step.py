"""The contender: a GPT written for PyTorch, trained as `bench-step` trains ours.

    torch_step.py LAYERS HEADS CHANNELS BLOCK BATCH VOCABULARY DROPOUT THREADS CLOCK DTYPE HOW

Same shapes, same work: tied head, no biases, GELU by erf, dropout in the same four places, loss
over all positions, clipping to norm 1, AdamW with decay of the matrices only. CLOCK is `wall`, or
`cpu` for CPU time; DTYPE `float32`, or `bfloat16` for autocast of the forward pass; HOW `eager`, or
`compile` for torch.compile. It answers on standard output: after a first line `ready PyTorch VERSION`, a
line `N` on standard input asks for N steps and gets the seconds they took together; `memory` gets the
most memory that was resident, in bytes.
"""
import math
import resource
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

layers, heads, channels, block, batch, vocabulary = map(int, sys.argv[1:7])
p, threads = float(sys.argv[7]), int(sys.argv[8])
if threads > 0:
    torch.set_num_threads(threads)
clock = time.process_time if sys.argv[9] == "cpu" else time.perf_counter
autocast = torch.autocast("cpu", torch.bfloat16, enabled=sys.argv[10] == "bfloat16")
torch.manual_seed(1337)


def linear(n_in, n_out):
    layer = nn.Linear(n_in, n_out, bias=False)
    nn.init.normal_(layer.weight, 0, 0.02)
    return layer


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))

    def forward(self, x):
        return F.layer_norm(x, (channels,), self.weight, None, 1e-5)


class Block(nn.Module):
    fused = hasattr(F, "scaled_dot_product_attention")  # from PyTorch 2.0 on

    def __init__(self):
        super().__init__()
        self.norm_1, self.norm_2 = Norm(), Norm()
        self.qkv, self.project = linear(channels, 3 * channels), linear(channels, channels)
        self.up, self.down = linear(channels, 4 * channels), linear(4 * channels, channels)
        self.drop = nn.Dropout(p)
        if not self.fused:
            hidden = torch.ones(block, block, dtype=torch.bool).triu(1)
            self.register_buffer("hidden", hidden, persistent=False)

    def attention(self, x):
        B, T, C = x.shape
        q, k, v = (
            part.view(B, T, heads, C // heads).transpose(1, 2)
            for part in self.qkv(x).split(C, dim=2)
        )
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=True)
        else:
            scores = (q @ k.transpose(-2, -1)) * (1 / math.sqrt(C // heads))
            scores = scores.masked_fill(self.hidden[:T, :T], -math.inf)
            y = self.drop(F.softmax(scores, dim=-1)) @ v
        return self.drop(self.project(y.transpose(1, 2).contiguous().view(B, T, C)))

    def forward(self, x):
        x = x + self.attention(self.norm_1(x))
        return x + self.drop(self.down(F.gelu(self.up(self.norm_2(x)))))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, channels)
        self.positions = nn.Embedding(block, channels)
        nn.init.normal_(self.tokens.weight, 0, 0.02)
        nn.init.normal_(self.positions.weight, 0, 0.02)
        self.drop, self.norm = nn.Dropout(p), Norm()
        self.blocks = nn.ModuleList(Block() for _ in range(layers))

    def forward(self, ids, targets):
        x = self.drop(self.tokens(ids) + self.positions(torch.arange(ids.shape[1])))
        for b in self.blocks:
            x = b(x)
        logits = F.linear(self.norm(x), self.tokens.weight)
        return F.cross_entropy(logits.view(-1, vocabulary), targets.view(-1))


gpt = GPT()
matrices = [w for w in gpt.parameters() if w.dim() >= 2]
others = [w for w in gpt.parameters() if w.dim() < 2]
groups = [{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
try:
    optimizer = torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.99), fused=True)
except (TypeError, RuntimeError):  # fused on a CPU: from PyTorch 2.4 on
    optimizer = torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.99))
text = torch.randint(vocabulary, (100_000,))


def step():
    starts = torch.randint(len(text) - block, (batch,))
    ids = torch.stack([text[i : i + block] for i in starts.tolist()])
    targets = torch.stack([text[i + 1 : i + 1 + block] for i in starts.tolist()])
    with autocast:
        loss = gpt(ids, targets)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(gpt.parameters(), 1.0)
    optimizer.step()
    return loss.item()


how = f"PyTorch {torch.__version__}"
if sys.argv[11] == "compile":
    gpt = torch.compile(gpt)
    began = time.perf_counter()
    step()
    step()
    how += f", compiled in {time.perf_counter() - began:.0f} s"
print("ready", how, flush=True)
for line in sys.stdin:
    if line.strip() == "memory":
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, flush=True)
    else:
        start = clock()
        for _ in range(int(line)):
            step()
        print(clock() - start, flush=True)
