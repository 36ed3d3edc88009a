"""load(FOLDER): the tensors of a folder's safetensors files, read as the format's page describes."""

import json
import os

import torch

TYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "U8": torch.uint8}


def read(path):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        values = data[start + begin:start + end]
        tensors[name] = torch.frombuffer(values, dtype=TYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors


def load(folder):
    index = os.path.join(folder, "model.safetensors.index.json")
    names = set(json.load(open(index))["weight_map"].values()) if os.path.exists(index) else {"model.safetensors"}
    return {name: tensor for file in names for name, tensor in read(os.path.join(folder, file)).items()}
