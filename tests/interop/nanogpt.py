"""nanogpt.py load|sample|train FOLDER NANOGPT [PROCESSES]: nanoGPT's own model.py, sample.py and train.py
with FOLDER/nanogpt. They run in a copy of NANOGPT, unchanged but for train.py with PROCESSES, which
gets the two lines of DDP_ON_CPU."""

import contextlib
import csv
import os
import pickle
import shutil
import subprocess
import sys

import torch

import files
import report
import safetensors_file

# train.py's branch for several processes is for GPUs only.
DDP_ON_CPU = [
    ("    torch.cuda.set_device(device)\n", "    device = 'cpu'\n"),
    ("    model = DDP(model, device_ids=[ddp_local_rank])\n", "    model = DDP(model)\n"),
]
STEPS = 20

command, folder, nanogpt = sys.argv[1:4]
who = "nanoGPT on PyTorch " + torch.__version__.split("+")[0] + ", " + os.path.basename(folder)
export, here = os.path.join(folder, "nanogpt"), os.path.join(folder, "nanogpt_copy")
torch.set_num_threads(1)


def copy_of_nanogpt():
    """Beside nanoGPT's programs the export's data, as nanoGPT wants it."""
    shutil.rmtree(here, ignore_errors=True)
    os.makedirs(here)
    for name in "model.py", "sample.py", "train.py", "configurator.py":
        shutil.copy(os.path.join(nanogpt, name), here)
    shutil.copytree(os.path.join(export, "data"), os.path.join(here, "data"))
    os.makedirs(os.path.join(here, "out"))
    shutil.copy(os.path.join(export, "ckpt.pt"), os.path.join(here, "out"))
    add_masks(os.path.join(here, "out", "ckpt.pt"))


def has_masks():
    return not hasattr(torch.nn.functional, "scaled_dot_product_attention")


def add_masks(path):
    """Before PyTorch 2 nanoGPT registers attention's mask as a buffer and misses it in a checkpoint."""
    if not has_masks():
        return
    checkpoint = torch.load(path)
    args = checkpoint["model_args"]
    mask = torch.tril(torch.ones(args["block_size"], args["block_size"]))[None, None]
    for i in range(args["n_layer"]):
        checkpoint["model"][f"transformer.h.{i}.attn.bias"] = mask
    torch.save(checkpoint, path)
    print(f"interop: {who}: added the {args['n_layer']} mask buffers that nanoGPT registers before PyTorch 2")


def load(path):
    sys.path.insert(0, nanogpt)
    from model import GPT, GPTConfig
    checkpoint = torch.load(path)
    with contextlib.redirect_stdout(None):
        model = GPT(GPTConfig(**checkpoint["model_args"]))
    model.load_state_dict({k.removeprefix("_orig_mod."): v for k, v in checkpoint["model"].items()})
    return checkpoint, model.eval()


def logits(model, ids):
    ids = torch.tensor(ids)[None]
    with torch.no_grad():
        return model(ids, ids)[0][0]


def loss(model, ids):
    """The mean over consecutive windows, the last one shorter, in which each id but the first is predicted."""
    block, total, ids = model.config.block_size, 0.0, torch.tensor(ids)
    with torch.no_grad():
        for begin in range(0, len(ids) - 1, block):
            x = ids[begin:begin + block + 1]
            total += float(model(x[None, :-1], x[None, 1:])[1]) * (len(x) - 1)
    return total / (len(ids) - 1)


def data(split):
    path = os.path.join(export, "data", dataset(), split + ".bin")
    raw = open(path, "rb").read()
    return [raw[i] + 256 * raw[i + 1] for i in range(0, len(raw), 2)]


def dataset():
    (name,) = os.listdir(os.path.join(export, "data"))
    return name


def write(name, values):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(torch.tensor(values).float().numpy().tobytes())


def check_load():
    copy_of_nanogpt()
    checkpoint, model = load(os.path.join(here, "out", "ckpt.pt"))
    report.check(who, "config['dataset'] is the folder in data", checkpoint["config"]["dataset"] == dataset())
    prompt = files.ids(os.path.join(folder, "prompt.ids"))
    report.close(who, "logits", logits(model, prompt).flatten().tolist(),
                 files.floats(os.path.join(folder, "logits.f32")), 1e-4)
    val = data("val")
    report.same(who, "tokens of train.bin and val.bin", data("train") + val,
                files.ids(os.path.join(folder, "text.ids")))
    measured = loss(model, val)
    # Of a run in float32 that kept its last evaluation's model.
    with open(os.path.join(folder, "run", "log.csv"), newline="") as log:
        best = min(float(row["val_loss"]) for row in csv.DictReader(log) if row["val_loss"])
    report.close(who, f"loss of the validation split, {measured:.4f}", [measured], [best], 1e-4)
    report.close(who, "best_val_loss of ckpt.pt", [checkpoint["best_val_loss"]], [best], 1e-4)
    check_optimizer(checkpoint, model)
    meta = pickle.load(open(os.path.join(export, "meta.pkl"), "rb"))
    report.check(who, f"meta.pkl has {meta['vocab_size']} tokens",
                 meta["vocab_size"] == checkpoint["model_args"]["vocab_size"] and
                 ("itos" not in meta or sorted(meta["itos"]) == list(range(meta["vocab_size"]))))


def check_optimizer(checkpoint, model):
    """nanoGPT's AdamW takes the state; its moments are those of the run, each its own parameter's, or there are
    none, as of a run with Muon."""
    with contextlib.redirect_stdout(None):
        optimizer = model.configure_optimizers(0.1, 1e-3, (0.9, 0.99), "cpu")
    optimizer.load_state_dict(checkpoint["optimizer"])
    run = safetensors_file.read(os.path.join(folder, "run", "checkpoint.safetensors"))
    of_adamw = "exp_avg_sq.transformer.h.0.attn.c_attn.weight" in run  # of Muon there is no square
    equal = [torch.equal(optimizer.state[parameter][moment], run[f"{moment}.{name}"])
             for name, parameter in model.named_parameters() if parameter in optimizer.state
             for moment in ("exp_avg", "exp_avg_sq")]
    report.check(who, f"{len(equal)} tensors of AdamW's moments equal",
                 all(equal) and len(equal) == 2 * of_adamw * len(list(model.parameters())))


def run(program, flags, before=(), environment={}):
    # sample.py imports tiktoken, which it needs only where there is no meta.pkl.
    environment = dict(os.environ, OMP_NUM_THREADS="1", **environment)
    try:
        import tiktoken  # noqa: F401
    except ImportError:
        open(os.path.join(here, "tiktoken.py"), "w").close()
    arguments = [sys.executable, *before, program, *flags]
    result = subprocess.run(arguments, cwd=here, env=environment, capture_output=True, text=True)
    if result.returncode:
        report.check(who, f"{program} ended with {result.returncode}:\n{result.stderr[-2000:]}", False)
        report.finish()
    return result.stdout


def check_sample():
    copy_of_nanogpt()
    out = run("sample.py", ["--out_dir=out", "--device=cpu", "--dtype=float32", "--num_samples=1",
                            "--temperature=1.0", "--top_k=1", "--max_new_tokens=200"])
    text = out.partition("meta.pkl...\n")[2].removesuffix("---------------\n")
    report.same(who, "characters of sample.py's greedy text", text, open(os.path.join(folder, "greedy.txt")).read())


def check_train(processes):
    if processes > 1 and sys.version_info >= (3, 11) and torch.__version__ < "2":
        print("interop: skipped: two processes, since torchrun of PyTorch 1 does not run on Python 3.11")
        return
    copy_of_nanogpt()
    checkpoint, model = load(os.path.join(here, "out", "ckpt.pt"))
    old = loss(model, data("val"))
    first, args = checkpoint["iter_num"], checkpoint["model_args"]
    before, environment = [], {}
    if processes > 1:
        path = os.path.join(here, "train.py")
        source = open(path).read()
        for line, instead in DDP_ON_CPU:
            assert source.count(line) == 1, "train.py is another one: " + line
            source = source.replace(line, instead)
        open(path, "w").write(source)
        # Debian builds PyTorch without libuv, which torchrun needs to meet at a TCP port.
        before = ["-m", "torch.distributed.run", f"--nproc_per_node={processes}", "--rdzv_backend=c10d",
                  "--rdzv_conf=store_type=file", "--rdzv_endpoint=meeting", "--local_addr=127.0.0.1"]
        environment = {"USE_LIBUV": "0", "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1", "GLOO_SOCKET_IFNAME": "lo"}
    # Evaluates, and saves, after STEPS updates; the loop makes one more.
    out = run("train.py", ["--init_from=resume", "--out_dir=out", "--dataset=" + dataset(), "--device=cpu",
                           "--dtype=float32", "--compile=False", "--backend=gloo", "--batch_size=4",
                           f"--block_size={args['block_size']}", "--gradient_accumulation_steps=2",
                           "--eval_iters=10", f"--eval_interval={first + STEPS}", f"--max_iters={first + STEPS}",
                           "--learning_rate=1e-3", "--decay_lr=False", "--log_interval=5"], before, environment)
    checkpoint, model = load(os.path.join(here, "out", "ckpt.pt"))
    report.check(who, f"train.py, processes: {processes}: resumed at {first}, saved at "
                 f"{checkpoint['iter_num']}", checkpoint["iter_num"] == first + STEPS and "Resuming" in out)
    new = loss(model, data("val"))
    report.check(who, f"loss of the validation split before and after: {old:.4f}, {new:.4f}", new < old + 0.1)
    # For gradus, which reads what train.py wrote.
    trained = os.path.join(folder, f"trained{processes}")
    shutil.rmtree(trained, ignore_errors=True)
    os.makedirs(trained)
    shutil.copy(os.path.join(here, "out", "ckpt.pt"), trained)
    shutil.copy(os.path.join(export, "meta.pkl"), trained)
    prompt = files.ids(os.path.join(folder, "prompt.ids"))
    write(f"trained{processes}.f32", logits(model, prompt).flatten().tolist())


{"load": check_load, "sample": check_sample, "train": lambda: check_train(int(sys.argv[4]))}[command]()
report.finish()
