"""hf.py FOLDER: PyTorch loads FOLDER/hf; its logits and its greedy continuation are gradus's."""

import json
import os
import sys

import torch

import files
import hub_model
import report
import safetensors_file

folder = sys.argv[1]
who = "PyTorch " + torch.__version__.split("+")[0] + ", " + os.path.basename(folder)
hf = os.path.join(folder, "hf")
config = json.load(open(os.path.join(hf, "config.json")))
tensors = safetensors_file.load(hf)
prompt = files.ids(os.path.join(folder, "prompt.ids"))

logits = hub_model.logits(config, tensors, prompt)
report.close(who, f"{logits.numel():,} logits", logits.flatten().tolist(),
             files.floats(os.path.join(folder, "logits.f32")), 1e-4)

if config.get("activation_function") == "gelu_new":  # for llama.mjs
    with open(os.path.join(folder, "float32_ggml.f32"), "wb") as file:
        file.write(hub_model.logits(config | {"activation_function": "ggml"}, tensors, prompt).numpy().tobytes())

expected = files.ids(os.path.join(folder, "greedy.ids"))
ids = prompt[:16]
for _ in expected:
    ids.append(int(hub_model.logits(config, tensors, ids)[-1].argmax()))
report.same(who, "greedy tokens", ids[16:], expected)

try:
    from safetensors.torch import load_file
except ImportError:
    print("interop: skipped: the safetensors library is not installed (apt-get install python3-safetensors)")
else:
    library = load_file(os.path.join(hf, "model.safetensors"))
    equal = library.keys() == tensors.keys() and all(torch.equal(library[k], tensors[k]) for k in library)
    report.check(who, f"the safetensors library reads the same {len(library)} tensors", equal)
report.finish()
