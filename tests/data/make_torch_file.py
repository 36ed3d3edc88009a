#!/usr/bin/python3
"""Writes torch_1_13.pt, a checkpoint like nanoGPT's, and meta_2.pkl to meta_5.pkl, nanoGPT's
meta.pkl in each of Python's binary protocols.

    apt-get install python3-torch        # 1.13 on Debian 12
    /usr/bin/python3 tests/data/make_torch_file.py

The tests in tests/unit/model/format/ read them. Values come from a formula: element i of the
parameters, counted through all of them, is (i % 17 - 8) / 16.
"""

import os
import pickle

import torch

here = os.path.dirname(os.path.abspath(__file__))
V, C = 5, 2


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = torch.nn.Embedding(V, C)
        self.ln_f = torch.nn.LayerNorm(C)
        self.ln_f.bias = None
        self.lm_head = torch.nn.Linear(C, V, bias=False)
        self.wte.weight = self.lm_head.weight  # tied: one storage

    def forward(self, tokens):
        return self.lm_head(self.ln_f(self.wte(tokens)))


torch.set_num_threads(1)
model = Model()
with torch.no_grad():
    at = 0
    for parameter in model.parameters():
        for i in range(parameter.numel()):
            parameter.view(-1)[i] = ((at + i) % 17 - 8) / 16
        at += parameter.numel()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95))
torch.nn.functional.cross_entropy(model(torch.tensor([0, 3])), torch.tensor([1, 4])).backward()
saved = {key: value.clone() for key, value in model.state_dict().items()}
optimizer.step()
with torch.no_grad():
    for key, value in model.state_dict().items():
        value.copy_(saved[key])

torch.save({"model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "model_args": {"n_layer": 0, "n_head": 1, "n_embd": C, "block_size": 8, "bias": True,
                           "vocab_size": V, "dropout": 0.0},
            "iter_num": 250,
            "best_val_loss": torch.tensor(1.5),
            "config": {"out_dir": "out", "learning_rate": 1e-3, "compile": False, "seed": -1},
            # Not nanoGPT's, but PyTorch's: a parameter, integers, a part of a storage, a transpose.
            "parameter": model.ln_f.weight,
            "integers": torch.arange(3),
            "part": saved["lm_head.weight"][1:3],
            "transposed": torch.ones(2, 3, dtype=torch.float64).t()},
           os.path.join(here, "torch_1_13.pt"))

letters = "\n a\u00e9\U0001f600"
meta = {"vocab_size": len(letters),
        "itos": dict(enumerate(letters)),
        "stoi": {letter: i for i, letter in enumerate(letters)}}
for protocol in range(2, 6):
    with open(os.path.join(here, f"meta_{protocol}.pkl"), "wb") as file:
        pickle.dump(meta, file, protocol)
