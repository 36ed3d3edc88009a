#!/usr/bin/python3
"""Writes trajectory.txt: 20 updates by Muon, and of a small Qwen3 by Muon and AdamW together, in float64.

    /usr/bin/python3 tests/reference/make_trajectory.py        # after apt-get install python3-torch

Muon is the rule at the top of nn/muon.h, Newton and Schulz's iteration written as it is defined, on X; a head's
queries and a head's keys are matrices of their own. The batches are those of train/loop/shuffled_starts.h, drawn by PyTorch's own generator; AdamW is PyTorch's.
trajectory_test.cpp does the same with gradus's optimizers and trainer.
"""

import os

import torch
import torch.nn.functional as F

from make_families import formula, logits_of, weights

SHAPES = {"wide": (6, 10), "tall": (12, 5), "square": (8, 8)}
MUON = dict(rate=0.03, momentum=0.9, decay=0.05)

QWEN3 = dict(vocab_size=13, hidden_size=12, intermediate_size=16, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, head_dim=4, rms_norm_eps=1e-6, rope_theta=10000.0,
             tie_word_embeddings=False, qk_norm=True)
TRAIN = dict(seed=42, tokens=200, T=8, B=3, accumulate=2, updates=20, warmup=4, decay_end=18, rate=0.02,
             min_rate=0.001, momentum=0.95, betas=(0.9, 0.99), decay=0.1, clip=2.0)


QUINTICS = ((8.0934, -23.6204, 17.4462), (3.6366, -2.7219, 0.5365), (2.6613, -1.9772, 0.4526))


def orthogonal(n):
    x = n / (n.norm() + 1e-7)
    tall = n.shape[0] > n.shape[1]
    x = x.T if tall else x
    x = x / ((x @ x.T).norm() + 1e-7).sqrt()
    for a, b, c in QUINTICS:
        gram = x @ x.T
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.T if tall else x


class Muon:
    def __init__(self, parameters, momentum, decay, matrices=None):
        """matrices: how many there are in each parameter, one above the other; None: one in each."""
        self.parameters, self.momentum, self.decay = parameters, momentum, decay
        self.matrices = matrices or [1] * len(parameters)
        self.m = [torch.zeros_like(p) for p in parameters]

    def step(self, rate):
        for p, m, count in zip(self.parameters, self.m, self.matrices):
            m.mul_(self.momentum).add_((1 - self.momentum) * p.grad)
            n = self.momentum * m + (1 - self.momentum) * p.grad
            p.data.mul_(1 - rate * self.decay)
            for rows, part in zip(p.data.chunk(count), n.chunk(count)):
                rows.sub_(rate * 0.2 * max(part.shape) ** 0.5 * orthogonal(part))


def tensor(shape, k, scale):
    return torch.tensor([scale * formula(i, k) for i in range(shape[0] * shape[1])],
                        dtype=torch.float64).reshape(shape)


def muon_alone(write):
    for number, (name, shape) in enumerate(SHAPES.items()):
        p = tensor(shape, number, 0.5)
        muon = Muon([p], MUON["momentum"], MUON["decay"])
        for step in range(20):
            p.grad = tensor(shape, 10 + 20 * number + step, 0.3)
            muon.step(MUON["rate"])
            if step in (0, 19):
                write(f"muon.{name}.{step + 1}", p)


def starts():
    """Where sequences begin, one after another: shuffled again when all have been read."""
    T, n = TRAIN["T"], TRAIN["tokens"]
    count = n // T - 1
    epoch = 0
    while True:
        generator = torch.Generator()
        generator.manual_seed((TRAIN["seed"] ^ 0x73687566) + epoch * 0x9E3779B9)
        first = torch.randint(0, min(T, n - count * T), (1,), generator=generator)
        for place in torch.randperm((n - 1 - int(first)) // T, generator=generator)[:count]:
            yield int(first + place * T)
        epoch += 1


def rate_at(step):
    if step < TRAIN["warmup"]:
        return TRAIN["rate"] * (step + 1) / (TRAIN["warmup"] + 1)
    if step > TRAIN["decay_end"]:
        return TRAIN["min_rate"]
    share = (step - TRAIN["warmup"]) / (TRAIN["decay_end"] - TRAIN["warmup"])
    return TRAIN["min_rate"] + (1 - share) * (TRAIN["rate"] - TRAIN["min_rate"])


def qwen3(write):
    w = weights(QWEN3)
    T, V = TRAIN["T"], QWEN3["vocab_size"]
    text = torch.tensor([(i * i // 7 + 3 * i) % V for i in range(TRAIN["tokens"])])
    matrices = {name: p for name, p in w.items() if "_proj" in name}
    others = [p for name, p in w.items() if "_proj" not in name]
    heads = {"q_proj": QWEN3["num_attention_heads"], "k_proj": QWEN3["num_key_value_heads"]}
    muon = Muon(list(matrices.values()), TRAIN["momentum"], TRAIN["decay"],
                [heads.get(name.split(".")[-2], 1) for name in matrices])
    adamw = torch.optim.AdamW(
        [{"params": [p for p in others if p.dim() == 2], "weight_decay": TRAIN["decay"]},
         {"params": [p for p in others if p.dim() == 1], "weight_decay": 0.0}],
        lr=1.0, betas=TRAIN["betas"], eps=1e-8)
    place = starts()
    losses, norms, rates = [], [], []
    for step in range(TRAIN["updates"]):
        for p in w.values():
            p.grad = None
        losses.append(0.0)
        for _ in range(TRAIN["accumulate"]):
            begins = [next(place) for _ in range(TRAIN["B"])]
            ids = torch.stack([text[b:b + T] for b in begins])
            targets = torch.stack([text[b + 1:b + T + 1] for b in begins])
            loss = F.cross_entropy(logits_of(QWEN3, w, ids).reshape(-1, V), targets.reshape(-1))
            (loss / TRAIN["accumulate"]).backward()
            losses[-1] += loss.item() / TRAIN["accumulate"]
        norms.append(torch.nn.utils.clip_grad_norm_(w.values(), TRAIN["clip"]).item())
        rates.append(rate_at(step))
        for group in adamw.param_groups:
            group["lr"] = rates[-1]
        adamw.step()
        muon.step(rates[-1])
    clipped = sum(norm > TRAIN["clip"] for norm in norms)
    assert 5 <= clipped <= 15, clipped  # clipping matters in some updates, and not in others
    write("qwen3.losses", torch.tensor(losses, dtype=torch.float64))
    write("qwen3.norms", torch.tensor(norms, dtype=torch.float64))
    write("qwen3.rates", torch.tensor(rates, dtype=torch.float64))
    for name, p in w.items():
        write(f"qwen3.trained.{name}", p)


if __name__ == "__main__":
    torch.set_num_threads(1)
    with open(os.path.join(os.path.dirname(__file__), "trajectory.txt"), "w") as file:
        def write(name, values):
            values = values.detach().numpy().ravel()
            file.write(f"{name} {len(values)} {' '.join('%.15g' % v for v in values)}\n")

        muon_alone(write)
        qwen3(write)
