#!/usr/bin/env python3
"""What gradus claims, as a list, and the test that has the answer to each claim from a second source.

    tests/claims/collect.py PROGRAM           the claims, a line each: KIND NAME
    tests/claims/collect.py PROGRAM --check   (make lint) only what is wrong; exits with 1 if anything is

A claim is whatever leaves the program and could be wrong: a flag and its default, a word of another program
that is understood, a line that is printed, a column, key or tensor that is written, a sentence of a message or
of README.md. The program itself lists them: it is run on a small text here, and what it prints and writes is
taken apart; sentences are the literals of the sources.

sources.txt has a row for each claim, or for many by a pattern: CLAIM | SOURCE | TEST. SOURCE is how the test
knows the answer:

    anew     computed again by other code, in the test, from the record, the text, the weights
    other    another program's value, kept as data with the script that made it
    table    each entry of a table is tried, and each limit met exactly, one below and one above
    system   the system's own: the date, the CPUs of a mask, the memory of a group, a clock
    shown    a sentence without a number: it is compared whole where it is caused
    text     promises nothing of the program; its test is -
    rare     needs another machine, gigabytes or an error of the system: its test is not in make test, or -

A message needs no row if a test has its words. Wrong is a claim without a source, a row without a claim, and a
test that is not there.
"""
import collections
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COMMANDS = "train sample chat eval info report export".split()
FAMILIES = {"gpt2": "--arch gpt2 --optimizer adamw --activation gelu_tanh --bias true",
            "llama": "--arch llama --n_kv_head 1", "qwen3": "--arch qwen3"}
SMALL = "--n_layer 3 --n_head 2 --n_embd 12 --block_size 8 --batch_size 2 --max_iters 4 --log_interval 1 --dtype float32".split()
# Their sentences are help and words, claims of their own; or Windows', which is not here.
TABLES = {"train/cli/settings.cpp", "train/loop/plan.h", "model/gpt/config.h", "train/cli/command_list.cpp",
          "train/cli/foreign_words.cpp", "train/cli/help.cpp", "model/base/system_windows.cpp"}


def plain(line):
    """With N for each number and one word for what a run is called."""
    line = re.sub(r"\d[\d,]*(\.\d+)?(e[-+]\d+)?", "N", line)
    return re.sub(r"\s+", " ", line).strip()


def keys_of(value, path=""):
    """Each key of JSON once, those of all elements of a list under one name."""
    if isinstance(value, dict):
        for key, inner in value.items():
            name = f"{path}.{re.sub(r'[0-9]+', 'N', key)}".lstrip(".")
            yield name
            yield from keys_of(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_of(inner, path + "[]")


def safetensors(path):
    data = path.read_bytes()
    header = json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])
    for key in header.pop("__metadata__", {}):
        yield "key " + re.sub(r"\d+", "N", key)
    for name in header:
        yield "tensor " + re.sub(r"\d+", "N", name)


def gguf(path):
    data, at = path.read_bytes(), 24
    tensors, keys = struct.unpack_from("<QQ", data, 8)

    def take(form):
        nonlocal at
        value = struct.unpack_from("<" + form, data, at)
        at += struct.calcsize("<" + form)
        return value[0]

    def text():
        nonlocal at
        size = take("Q")
        at += size
        return data[at - size:at].decode("utf-8", "replace")

    def skip(kind):
        if kind == 8:
            text()
        elif kind == 9:
            inner, count = take("I"), take("Q")
            for _ in range(count):
                skip(inner)
        else:
            take("BbHhIif?"[kind] if kind < 8 else "Qqd"[kind - 10])

    for _ in range(keys):
        yield "key " + text()
        skip(take("I"))
    for _ in range(tensors):
        yield "tensor " + re.sub(r"\d+", "N", text())
        for _ in range(take("I")):
            take("Q")
        take("I"), take("Q")


def flags(run):
    for command in COMMANDS:
        row = ""
        for line in run(command, "--help").stdout.splitlines() + ["  --"]:
            if line.startswith("  --"):
                if row:
                    name = row.split()[0]
                    yield f"flag {command} {name}"
                    if "(default: " in row:
                        yield f"default {command} {name}"
                row = line
            elif line.startswith("      "):
                row += " " + line.strip()
    for names in re.findall(r'^    \{("[^;]*?), (?:in_|every|writing|of_model|a_command)',
                            (ROOT / "train/cli/foreign_words.cpp").read_text(), re.M):
        for name in "".join(re.findall(r'"([^"]*)"', names)).split():
            yield f"word {name}"


def written(run, here):
    """What a run writes and prints, and reports and exports of it."""
    text = (ROOT / "data/fables.txt").read_bytes()[:9000]
    (here / "tale.txt").write_bytes(text)

    def lines(name, result):
        for stream in ("stdout", "stderr"):
            for line in getattr(result, stream).splitlines():
                if plain(line):
                    yield f"line {name} {stream}: {plain(line)}"

    for family, words in FAMILIES.items():
        done = run("train", "tale.txt", "--out_dir", family, "--seed", "1", *SMALL, *words.split())
        yield from lines("train", done)
        yield from lines("info", run("info", family))
        for name in safetensors(here / family / "checkpoint.safetensors"):
            yield f"checkpoint {name}"
        for name in safetensors(here / family / "model.safetensors"):
            yield f"model {name}"
        run("export", family, "hf", family + "-hf")
        run("export", family, "gguf", family + ".gguf")
        for file in sorted((here / (family + "-hf")).iterdir()):
            if file.suffix == ".json":
                value = json.loads(file.read_text())
                if file.name == "vocab.json":
                    value = {}
                value.get("model", {}).pop("vocab", None)
                for key in keys_of(value):
                    yield f"hf {family} {file.name} {key}"
            elif file.suffix == ".safetensors":
                for name in safetensors(file):
                    yield f"hf {family} {name}"
        for name in gguf(here / (family + ".gguf")):
            yield f"gguf {family} {name}"
    for file in ("log.csv", "times.csv"):
        for column in (here / "gpt2" / file).read_text().splitlines()[0].split(","):
            yield f"column {file} {column}"
    for key in json.loads((here / "gpt2/sessions.jsonl").read_text().splitlines()[0]):
        yield f"column sessions.jsonl {key}"
    yield from lines("eval", run("eval", "gpt2", "tale.txt", "--train_text", "tale.txt"))
    yield from lines("report", run("report", "gpt2", "llama", "--output", "two.html"))
    run("report", "gpt2")
    for page in ("gpt2/report.html", "two.html"):
        data = re.search(r'<script type="application/json" id="data">(.*?)</script>', (here / page).read_text(), re.S)
        for key in keys_of(json.loads(data[1])):
            yield f"page {key}"


def messages():
    for path in sorted([*ROOT.glob("train/**/*.cpp"), *ROOT.glob("train/**/*.h"), *ROOT.glob("model/**/*.cpp"), *ROOT.glob("model/**/*.h")]):
        name = str(path.relative_to(ROOT))
        if name in TABLES or name.startswith("train/page/"):
            continue
        code = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.M)
        code = re.sub(r'"\s*\n\s*"', "", re.sub(r"'\\?\"'", "", code))  # '"' is no beginning
        literals = re.findall(r'(?<![R\w])"((?:[^"\\\n]|\\.)*)"', code)
        for line in "\\n".join(literals).replace('\\"', '"').split("\\n"):
            words = re.sub(r"\s+", " ", line).strip(" ,;:()\"")
            if len(re.findall(r"[A-Za-z]+(?= |$)", words)) >= 3 and not re.search(r"[<{+]|\\\\|tr -d", words):
                yield f"message {name}: {words}"


def sentences():
    text = re.sub(r"^(    .*|\|.*|#.*)$", "", (ROOT / "README.md").read_text(), flags=re.M)
    for part in re.split(r"\n\s*\n", text):
        for sentence in re.split(r"(?<=[.:])\s+(?=[A-Z`])", re.sub(r"\s+", " ", part).strip()):
            if len(sentence.split()) > 3:
                yield f"readme {' '.join(sentence.split()[:9])}"


def claims(program):
    with tempfile.TemporaryDirectory() as directory:
        here = pathlib.Path(directory)

        def run(*words):
            return subprocess.run(["gradus", *words], cwd=here, capture_output=True, text=True, check=True,
                                  env={**os.environ, "PATH": f"{here}/bin:{os.environ['PATH']}"})

        (here / "bin").mkdir()
        (here / "bin/gradus").symlink_to(program)

        found = [*flags(run), *written(run, here), *messages(), *sentences()]
    return list(dict.fromkeys(found))


def tests_there():
    """Titles of tests, and all that tests say, with spaces folded."""
    titles, texts = set(), []
    for path in [*ROOT.glob("tests/**/*.cpp"), *ROOT.glob("tests/**/*.t")]:
        text = path.read_text(errors="replace")
        if path.suffix == ".t":
            titles |= {f"{path.stem}: {title.split(' [')[0]}" for title in re.findall(r"^== (.*)$", text, re.M)}
            texts.append(text)
        else:
            text = re.sub(r'"\s*\n\s*"', "", text)
            titles |= set(re.findall(r'TEST_CASE\(\s*"((?:[^"\\]|\\.)*)"', text))
            texts.append(text.replace('\\"', '"'))
    titles |= {str(path.relative_to(ROOT / "tests")) for path in ROOT.glob("tests/**/*")} | {"-", "make"}
    return titles, re.sub(r"\s+", " ", "\n".join(texts))


def main():
    found = claims(os.path.abspath(sys.argv[1]))
    if "--check" not in sys.argv:
        print("\n".join(found))
        return 0
    titles, texts = tests_there()
    rows, wrong = [], []
    for line in (ROOT / "tests/claims/sources.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            claim, source, test = (part.strip() for part in line.split(" | "))
            rows.append((claim, source))
            if not any(title.startswith(test) for title in titles):
                wrong.append(f"sources.txt: there is no test '{test}'")
            if source not in ("anew", "other", "table", "system", "shown", "text", "rare"):
                wrong.append(f"sources.txt: '{source}' is no source")
    used, kinds, without, sources = set(), collections.Counter(), collections.Counter(), collections.Counter()
    for claim in found:
        kind = claim.split()[0]
        kinds[kind] += 1
        matching = [row for row in rows if re.fullmatch(".*".join(map(re.escape, row[0].split("*"))), claim)]
        used.update(matching)
        is_shown = kind == "message" and re.sub(r"\s+", " ", claim.partition(": ")[2]) in texts
        sources["shown" if is_shown or not matching else matching[-1][1]] += 1  # the last row says most
        if not matching and not is_shown:
            without[kind] += 1
            wrong.append(f"no source: {claim}")
    wrong += [f"sources.txt: nothing is claimed as '{row[0]}'" for row in rows if row not in used]
    if "--count" in sys.argv:
        for kind, count in kinds.items():
            print(f"{kind:10} {count:5} claims, {count - without[kind]:5} with a source")
        print(f"{'in all':10} {kinds.total():5} claims, {kinds.total() - without.total():5} with a source")
        print(", ".join(f"{count} by {source}" for source, count in sorted(sources.items())))
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
