#!/usr/bin/env python3
"""Writes pytorch_random.txt: what PyTorch 1.13's CPU generator returns after manual_seed(seed).

    make_pytorch_random.py rng_vectors.json > pytorch_random.txt

rng_vectors.json was made by calling torch 1.13.0a0 (Debian, no MKL, AVX2) as each vector's "call"
says. One vector a line:

    group seed name type values...        type f: float bits, d: double bits, i: integers

The groups' names: avx2; input: probabilities drawn from; model: a parameter's first four and last
two values, sum: its sum, next: the number drawn by rand(1) after the model's construction; long:
thousands of values as their number and a hash of their bits, made here with torch (the same build).
Needs python3-torch 1.13 with AVX2.
"""
import json
import struct
import sys

import torch


def float_bits(value):
    return struct.pack(">f", value).hex()


def double_bits(value):
    return struct.pack(">d", value).hex()


def lines(data):
    for seed, by_name in data["vectors"].items():
        for name, vector in by_name.items():
            if name.startswith(("bernoulli", "dataloader", "random_int64")) or name.endswith("repl"):
                continue  # no draws of gradus
            if vector["dtype"] == "float64":
                continue
            kind = "f" if vector["dtype"] == "float32" else "i"
            yield "avx2", seed, name, kind, vector["values" if kind == "i" else "bits"]
    yield "input", 0, "p_multinomial", "f", data["p_multinomial"]["bits"]
    for model, content in data["models"].items():
        for seed, result in content["by_seed"].items():
            for parameter in result["params"]:
                name = f"{model}/{parameter['name']}"
                values = parameter["first4"] + parameter["last2"]
                yield "model", seed, name, "f", map(float_bits, values)
                yield "sum", seed, name, "d", [double_bits(parameter["sum_float64"])]
            yield "next", seed, model, "f", [float_bits(result["next_rand"])]


def fnv(values):
    """FNV-1a over the little-endian bytes of the values, as 16 hexadecimal digits."""
    result = 0xCBF29CE484222325
    for byte in values.contiguous().numpy().tobytes():
        result = (result ^ byte) * 0x100000001B3 % 2**64
    return f"{result:016x}"


def long_lines():
    weights = torch.arange(65, dtype=torch.float32) % 7
    calls = {
        "rand": lambda: torch.rand(10007),
        "uniform_-0.05_0.3": lambda: torch.empty(10007).uniform_(-0.05, 0.3),
        "randn": lambda: torch.randn(10007),
        "normal_0_0.02": lambda: torch.empty(10016).normal_(0, 0.02),
        "randn_sizes_1_to_99": lambda: torch.cat([torch.randn(n) for n in range(1, 100)]),
        "normal_strided": lambda: torch.zeros(6006)[::2].normal_(1, 3),
        "exponential": lambda: torch.empty(5003).exponential_(0.7),
        "dropout": lambda: torch.nn.functional.dropout(torch.ones(5003), 0.2),
        "randint_1003790": lambda: torch.randint(1003790, (5003,)),
        "randperm": lambda: torch.randperm(5003),
        "multinomial": lambda: torch.cat([torch.multinomial(weights, 1) for _ in range(500)]),
    }
    for seed in (1337, 3405691582):
        for name, call in calls.items():
            torch.manual_seed(seed)
            values = call()
            yield "long", seed, name, "d", [f"{values.numel():016x}", fnv(values)]


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        data = json.load(file)
    torch.set_num_threads(1)
    for group, seed, name, kind, values in [*lines(data), *long_lines()]:
        print(group, seed, name.replace(" ", "_"), kind, *values)


main()
