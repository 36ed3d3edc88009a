#!/usr/bin/env python3
"""The rooms of the house, and the includes between them.

A room is a folder of the sources. Rooms are listed in the order in which they may be used: a file
includes files of its own room and of rooms above it in the list, never of one below. Prints each
room with its files, its lines of code (without blanks and comments) and the rooms it uses. With
--check (make lint) prints only what is wrong, and exits with 1 if anything is:
- an include that points back;
- a file of engine or nn that includes what opens files;
- a README with a "Uses" line that is not what the room includes. --write mends that line.
"""
import collections
import pathlib
import re
import sys

ORDER = [
    "engine/base",  # real, check, text, shapes, memory, threads
    "engine/kernels",  # loops over plain memory, engine/kernels/gemm among them
    "engine/random",
    "engine",  # tensor, tape
    "engine/ops",  # engine/ops.h declares what is in it
    "nn",
    "model/base",  # files, UTF-8, text in messages, settings
    "model/gpt",
    "model/format",
    "model/tokenizer",  # model/tokenizer/bpe among them
    "model/generate",
    "model/baseline",  # n-grams
    "model/exchange",  # other programs' models, as bytes
    "model",  # the model file
    "train/system",  # the process, its terminal, directories
    "train/loop",
    "train/record",
    "train/text",  # files of text, their kind, tokens of them
    "train/run",
    "train/report",
    "train/page",
    "train/exchange",  # other programs' models, on disk
    "train/cli",  # tables of commands and flags, arguments, config files, help
    "train/program",
    "train",  # main
    "tests",
]
# What opens files is for model/base; the limits of control groups are read from files of Linux.
OPENS_FILES = {"fstream", "filesystem", "cstdio", "fcntl.h", "io.h", "sys/stat.h", "sys/file.h"}
MAY_OPEN = {"engine/base/control_groups.cpp"}


def room_of(path):
    if path == "engine/ops.h":
        return "engine/ops"
    folder = path.rsplit("/", 1)[0]
    while folder not in ORDER:
        folder = folder.rsplit("/", 1)[0]
    return folder


def is_code(line, comment):
    return bool(line.strip()) and not line.lstrip().startswith(comment)


def uses_line(room, used):
    """Of another house its name alone: `engine`; of the own one the room."""
    house = room.split("/")[0]
    names = {other if other.startswith(house) else other.split("/")[0] for other in used}
    order = sorted(names, key=lambda name: (name.startswith(house), ORDER.index(name)))
    listed = ", ".join(f"`{name}`" for name in order)
    return f"Uses {listed or 'nothing else of gradus'}.\n"


def main():
    files, lines, wrong = collections.Counter(), collections.Counter(), []
    uses = collections.defaultdict(collections.Counter)
    for top in ("engine", "nn", "model", "train"):
        for path in sorted(pathlib.Path(top).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            room = room_of(str(path))
            files[room] += 1
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                lines[room] += is_code(line, "//")
                match = re.match(r'#include (["<])([^">]+)', line)
                if not match:
                    continue
                if match[1] == "<":
                    if match[2] in OPENS_FILES and top in ("engine", "nn") and str(path) not in MAY_OPEN:
                        wrong.append(f"{path}:{number}: {top} opens no files, <{match[2]}> does")
                    continue
                other = room_of(match[2])
                if other != room:
                    uses[room][other] += 1
                if ORDER.index(other) > ORDER.index(room):
                    wrong.append(f"{path}:{number}: {room} may not include {match[2]}")
    for room in files:
        readme = pathlib.Path(room) / "README.md"
        text, line = readme.read_text(encoding="utf-8"), uses_line(room, uses[room])
        if line not in text.splitlines(keepends=True):
            if "--write" in sys.argv:
                text, count = re.subn(r"(?m)^Uses .*\n", line, text)
                readme.write_text(text if count else f"{text}\n{line}", encoding="utf-8")
            else:
                wrong.append(f"{readme}: expected a line `{line.strip()}`; tests/rooms.py --write makes it")
    if "--check" not in sys.argv:
        for room in ORDER:
            if room in files:
                used = ", ".join(f"{other} {count}" for other, count in sorted(uses[room].items()))
                print(f"{room:16} {files[room]:3} files  {lines[room]:5} lines   uses {used or 'nothing'}")
        arrows = sum(len(others) for others in uses.values())
        print(f"{len(files)} rooms, {lines.total()} lines, {arrows} arrows, {len(wrong)} things wrong")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


sys.exit(main())
