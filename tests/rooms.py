#!/usr/bin/env python3
"""The rooms of the house and the includes between them.

A room is a folder of the sources. Rooms are listed in the order in which they may be used: a file
includes files of its own room and of rooms above it in the list, never of one below. Prints each
room with its files and the rooms it uses; with --check prints only includes that point the wrong
way, and exits with 1 if there is one (make lint).
"""
import collections
import pathlib
import re
import sys

ROOMS = [
    "engine/base",      # real, check, text, shapes, memory, threads
    "engine/kernels",   # loops over plain memory, engine/kernels/gemm among them
    "engine/random",
    "engine",           # tensor, tape
    "engine/ops",       # engine/ops.h declares what is in it
    "nn",
    "model/base",       # files, UTF-8, text for people
    "model/gpt",
    "model/format",
    "model/tokenizer",  # model/tokenizer/bpe among them
    "model/generate",
    "model/baseline",   # n-grams
    "model/exchange",   # other programs' models, as bytes
    "model",            # the model file
    "train/system",
    "train/loop",
    "train/record",
    "train/text",       # files of text, their kind, tokens of them
    "train/run",
    "train/report",
    "train/page",       # gradus in a browser
    "train/exchange",   # other programs' models, on disk
    "train/cli",        # tables of commands and flags, arguments, config files, help
    "train/program",
    "train",            # main
    "tests",
]


def room_of(path):
    if path == "engine/ops.h":
        return "engine/ops"
    folder = path.rsplit("/", 1)[0]
    while folder not in ROOMS:
        folder = folder.rsplit("/", 1)[0]
    return folder


def main():
    files, uses, wrong = collections.Counter(), collections.defaultdict(collections.Counter), []
    for top in ("engine", "nn", "model", "train"):
        for path in sorted(pathlib.Path(top).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            room = room_of(str(path))
            files[room] += 1
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                match = re.match(r'#include "([^"]+)"', line)
                if not match:
                    continue
                other = room_of(match.group(1))
                if other != room:
                    uses[room][other] += 1
                if ROOMS.index(other) > ROOMS.index(room):
                    wrong.append(f"{path}:{number}: {room} may not include {match.group(1)}")
    if "--check" not in sys.argv:
        for room in ROOMS:
            if room in files:
                used = ", ".join(f"{other} {count}" for other, count in sorted(uses[room].items()))
                print(f"{room:16} {files[room]:3} files   uses {used or 'nothing'}")
        arrows = sum(len(others) for others in uses.values())
        print(f"{len(files)} rooms, {arrows} arrows, {len(wrong)} includes that point back")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


sys.exit(main())
