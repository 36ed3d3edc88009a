#!/usr/bin/env python3
"""nanogpt.py RUN DIR: converts a run of `gradus train --arch gpt2` for nanoGPT: DIR/ckpt.pt, meta.pkl and data/NAME.
nanogpt.py --from ckpt.pt DIR: converts nanoGPT's model for gradus: DIR/model.safetensors.

Needs PyTorch, as nanoGPT does. RUN: a run's directory (its last checkpoint is read) or a model.safetensors.
A ckpt.pt needs the meta.pkl of its data beside it or, if it was trained on GPT-2's tokens, GPT-2's
merges.txt."""

import json
import os
import pickle
import subprocess
import sys

try:
    import torch
except ModuleNotFoundError:
    sys.exit("nanogpt.py: needs PyTorch, as nanoGPT does: pip install torch")

# What nanoGPT's model.py computes, as gradus's settings; a size of 0 is the default.
GPT2 = {"activation": "gelu", "position": "learned", "norm": "layernorm", "qk_norm": "false", "n_kv_head": "0",
        "tie_weights": "true", "head_dim": "0", "n_inner": "0", "norm_eps": "1e-05", "rope_theta": "10000",
        "attention_scale": "sqrt", "causal": "true"}
MODEL_ARGS = ["n_layer", "n_head", "n_embd", "block_size", "bias", "vocab_size", "dropout"]
TRAINING = ["eval_interval", "eval_iters", "batch_size", "gradient_accumulation_steps", "learning_rate", "max_iters",
            "weight_decay", "beta1", "beta2", "grad_clip", "decay_lr", "warmup_iters", "lr_decay_iters", "min_lr"]
TYPES = {"F32": torch.float32, "F64": torch.float64}
HEAD, TOKENS = "lm_head.weight", "transformer.wte.weight"  # one tensor


def fail(message):
    sys.exit("nanogpt.py: " + " ".join(str(message).split()))  # one line


def parameter_names(args):
    """In nanoGPT's order."""
    parts = ["ln_1", "attn.c_attn", "attn.c_proj", "ln_2", "mlp.c_fc", "mlp.c_proj"]
    layers = [f"transformer.h.{i}.{part}" for i in range(args["n_layer"]) for part in parts] + ["transformer.ln_f"]
    kinds = ["weight", "bias"] if args["bias"] else ["weight"]
    return [TOKENS, "transformer.wpe.weight"] + [f"{layer}.{kind}" for layer in layers for kind in kinds]


# A safetensors file is 8 bytes with the length of its header, the header in JSON, and the numbers.

def read_safetensors(path):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    metadata, tensors = header.pop("__metadata__"), {}
    for name, entry in header.items():
        values = torch.frombuffer(data, dtype=TYPES[entry["dtype"]], offset=start + entry["data_offsets"][0],
                                  count=torch.Size(entry["shape"]).numel())
        tensors[name] = values.reshape(entry["shape"]).float()
    return metadata, tensors


def write_safetensors(path, metadata, tensors):
    header, end = {"__metadata__": metadata}, 0
    for name, tensor in tensors.items():
        begin, end = end, end + 4 * tensor.numel()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [begin, end]}
    head = json.dumps(header, ensure_ascii=False).encode()
    head += b" " * (-len(head) % 8)
    with open(path, "wb") as file:
        file.write(len(head).to_bytes(8, "little") + head)
        file.writelines(tensor.contiguous().numpy().tobytes() for tensor in tensors.values())


def optimizer_state(metadata, weights, tensors):
    """AdamW's, which numbers its parameters group by group: first those with two axes, which decay."""
    usual = {"weight_decay": 0.1, "learning_rate": 1e-3, "beta1": 0.9, "beta2": 0.99, "step": 0}
    option = {name: float(metadata.get(name, value)) for name, value in usual.items()}
    weights = {name: torch.nn.Parameter(weight) for name, weight in weights.items()}
    groups = [[weight for weight in weights.values() if (weight.dim() >= 2) == decays] for decays in (True, False)]
    optimizer = torch.optim.AdamW([{"params": groups[0], "weight_decay": option["weight_decay"]},
                                   {"params": groups[1], "weight_decay": 0.0}],
                                  lr=option["learning_rate"], betas=(option["beta1"], option["beta2"]))
    for name, weight in weights.items():
        moments = {moment: tensors.get(f"{moment}.{name}") for moment in ("exp_avg", "exp_avg_sq")}
        if metadata.get("optimizer") == "adamw" and moments["exp_avg"] is not None:
            optimizer.state[weight] = {"step": torch.tensor(option["step"]), **moments}
    return optimizer.state_dict()


def meta_of(vocab_size, tokenizer):
    """meta.pkl: stoi and itos, with which sample.py writes, of characters; of others what --from needs."""
    stored = json.loads(tokenizer)
    if stored["kind"] != "char" or "broken_bytes" in stored:
        return {"vocab_size": vocab_size, "gradus_tokenizer": tokenizer}
    itos = dict(enumerate(stored["characters"]))
    return {"vocab_size": vocab_size, "itos": itos, "stoi": {text: i for i, text in itos.items()}}


def to_nanogpt(run, path):
    files = [run + "/checkpoint.safetensors", run + "/model.safetensors"] if os.path.isdir(run) else [run]
    metadata, tensors = read_safetensors(files[0] if os.path.exists(files[0]) else files[-1])
    for key, value in GPT2.items():
        if metadata.get(key, value) != value:
            fail(f"{run}: {key} is {metadata[key]}, nanoGPT's is {value}; it needs a run of gradus train --arch gpt2")
    values = {key: json.loads(metadata[key]) for key in MODEL_ARGS + TRAINING if key in metadata}
    args = {key: values[key] for key in MODEL_ARGS}
    model = {key: tensors[key] for key in parameter_names(args)}
    name = os.path.basename(os.path.abspath(run)).removesuffix(".safetensors")
    checkpoint = {"model": {**model, HEAD: model[TOKENS]}, "optimizer": optimizer_state(metadata, model, tensors),
                  "model_args": args, "iter_num": int(metadata.get("step", 0)),
                  "best_val_loss": float(metadata.get("best_val_loss", 1e9)),
                  "config": {"out_dir": "out", "dataset": name, "init_from": "resume", **values}}
    meta, data = meta_of(args["vocab_size"], metadata["tokenizer"]), f"{path}/data/{name}"
    os.makedirs(path)
    os.mkdir(path + "/data")
    torch.save(checkpoint, path + "/ckpt.pt")
    built = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../gradus")
    gradus = os.environ.get("GRADUS") or (built if os.path.exists(built) else "gradus")
    if subprocess.run([gradus, "export", run, "bin", data]).returncode:  # it says itself what is wrong
        print("no train.bin and val.bin, which train.py needs to continue")
        os.makedirs(data, exist_ok=True)
    for folder in path, data:
        with open(folder + "/meta.pkl", "wb") as file:
            pickle.dump(meta, file)
    if not checkpoint["optimizer"]["state"]:
        print("AdamW, nanoGPT's optimizer, starts without moments: the run has none")
    if "itos" not in meta:
        print("nanoGPT's sample.py writes with a model of characters only; train.py continues with any")
    print(f"wrote {path}; copy {data} into nanoGPT's data; there, python sample.py --out_dir={os.path.abspath(path)} "
          f"writes with the model, and train.py --init_from=resume with the same --out_dir, --dataset={name} and "
          f"--block_size={args['block_size']} continues the run")


class Plain(pickle.Unpickler):
    def find_class(self, module, name):  # so no code is run
        raise pickle.UnpicklingError(f"meta.pkl has {module}.{name}, expected texts and numbers")


def tokenizer_beside(ckpt):
    """The tokenizer of the data, as gradus stores it."""
    folder, end = os.path.dirname(os.path.abspath(ckpt)), "<|endoftext|>"
    if os.path.exists(folder + "/meta.pkl"):
        with open(folder + "/meta.pkl", "rb") as file:
            meta = Plain(file).load()
        if "gradus_tokenizer" in meta:
            return meta["gradus_tokenizer"]
        itos = [meta["itos"][i] for i in range(len(meta["itos"]))]
        if sorted(set(itos)) != itos or any(len(text) != 1 for text in itos):
            fail(f"{folder}/meta.pkl: itos is not a list of characters in the order of Unicode")
        return json.dumps({"kind": "char", "characters": "".join(itos)})
    if not os.path.exists(folder + "/merges.txt"):
        fail(f"{ckpt}: meta.pkl is not beside it; copy it there from nanoGPT's data/<dataset>, or GPT-2's merges.txt "
             "if the model was trained on GPT-2's tokens")
    with open(folder + "/merges.txt", encoding="utf-8") as file:
        merges = [line.split() for line in file if not line.startswith("#version")]
    # A letter for each byte: visible ones are themselves, the 68 others those from U+0100 on.
    letters = [chr(i) for i in range(256 + 68) if 0x20 < i < 0x7F or 0xA0 < i != 0xAD]
    id_of = {token: i for i, token in enumerate(letters + [left + right for left, right in merges] + [end])}
    bpe = {"kind": "bpe", "tokens": list(id_of), "merges": [id_of[side] for merge in merges for side in merge]}
    return json.dumps({"kind": "documents", "separator": end, "ends_texts": False, "of": bpe})


def from_nanogpt(ckpt, path):
    try:
        checkpoint = torch.load(ckpt, map_location="cpu", weights_only=True)
    except (EOFError, RuntimeError, pickle.UnpicklingError):
        fail(f"{ckpt}: is damaged or not a checkpoint of nanoGPT: torch.load does not open it as plain data")
    args = checkpoint["model_args"]
    for key in args:
        if key not in MODEL_ARGS:
            fail(f"{ckpt}: model_args has {key}: {args[key]}, which nanoGPT does not have")
    model = {name.replace("_orig_mod.", "").removeprefix("module."): tensor.float()
             for name, tensor in checkpoint["model"].items() if not name.endswith(".attn.bias")}  # PyTorch 1's mask
    names = parameter_names(args)
    for name in names + list(model):
        if name not in model or name not in names + [HEAD]:
            fail(f"{ckpt}: tensor {name} is " + ("not one of nanoGPT's" if name in model else "missing"))
    if HEAD in model and not torch.equal(model[HEAD], model[TOKENS]):
        fail(f"{ckpt}: {HEAD} is not {TOKENS}, which it is in nanoGPT")
    metadata = {**GPT2, **{key: json.dumps(args[key]) for key in MODEL_ARGS}, "tokenizer": tokenizer_beside(ckpt)}
    os.makedirs(path)
    write_safetensors(path + "/model.safetensors", metadata, {name: model[name] for name in names})
    print(f"wrote {path}; gradus sample {path} writes with the model")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if len(arguments) != (3 if arguments[:1] == ["--from"] else 2):
        sys.exit(__doc__)
    try:
        to_nanogpt(*arguments) if len(arguments) == 2 else from_nanogpt(*arguments[1:])
    except (OSError, EOFError, ValueError, KeyError, pickle.UnpicklingError) as error:
        fail(f"{arguments[-2]}: {type(error).__name__}: {error}")
