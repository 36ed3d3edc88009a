#!/usr/bin/env python3
"""make mutants: breaks the program on purpose, one place at a time, and sees that a test notices.

tests/mutants.txt lists the places and how to break them. The edits are made to a copy of the
sources, .build/mutants/src, in such a way that the environment variable MUTANT says which of them
is in force: `a + b` broken to `a - b` by mutant 17 becomes (mutant == 17 ? (a - b) : (a + b)). So
all mutants are in one build (of gradus-tests in float, gradcheck and reference-tests in double), and the
shipped code has no part in it.

A mutant is caught if the tests named for it fail or take ten times as long as they should; if
they pass, all tests get their chance. Exit status 1 if a mutant survives.

    tests/mutants.py [TEXT...]    only mutants with a TEXT as their number or in their line
    tests/mutants.py --check      only that every place and every test of the list exists (fast)
"""

import fnmatch
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

LIST = Path("tests/mutants.txt")
SOURCES = Path(".build/mutants/src")
TESTS = SOURCES / ".build/float/gradus-tests"  # run in the project's root, for their data
GRADUS = SOURCES / ".build/float/gradus"
GRADCHECK = SOURCES / ".build/double/gradcheck"
REFERENCE = SOURCES / ".build/double/reference-tests"
TRIED_AT_ONCE = 2

HEADER = """#pragma once
#include <cstdlib>
inline const int mutant = std::getenv("MUTANT") ? std::atoi(std::getenv("MUTANT")) : 0;
"""


# --- the list ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Killer:
    """Tests that should notice: all of gradcheck or of reference-tests, or tests of gradus-tests by
    Catch2's pattern."""

    program: str
    pattern: str = "*"

    def command(self):
        return {"gradcheck": [GRADCHECK, "/dev/null"], "reference": [REFERENCE]}.get(
            self.program, [TESTS, self.pattern])


ALL_TESTS = (Killer("gradcheck"), Killer("reference"), Killer("tests"))


@dataclass
class Mutant:
    number: int
    file: str
    line: int  # of the file
    kind: str
    old: str
    new: str
    killers: tuple

    def __str__(self):
        return f"{self.number}  {self.file}:{self.line}  {self.old}  ->  {self.new}"


@dataclass
class Place:
    """A piece of a file and the mutants that replace it."""

    begin: int
    end: int
    form: str  # expression, statement, constant
    mutants: list = field(default_factory=list)


@dataclass
class File:
    name: str
    text: str
    places: dict = field(default_factory=dict)  # by (begin, end)


class ListError(Exception):
    pass


def find_place(text, where, original):
    """Where `original` stands after the texts of `where`, found one after the other."""
    at = 0
    for anchor in [part.strip() for part in where.split(">>")] + [original]:
        found = text.find(anchor, at)
        if found < 0 or not anchor:
            raise ListError(f'no "{anchor}"')
        at = found + len(anchor)
    begin = at - len(original)
    if "//" in text[text.rfind("\n", 0, begin) + 1:begin]:
        raise ListError(f'"{original}" is found in a comment')
    return begin, at


def check_patterns(killers, test_names):
    """Every one of Catch2's patterns must still name a test."""
    for killer in killers:
        for pattern in killer.pattern.split(",") if killer.program == "tests" else []:
            if not fnmatch.filter([name.lower() for name in test_names], pattern.strip().lower()):
                raise ListError(f'no test is called "{pattern}"')


def broken_forms(how, original, rest):
    """The kinds of damage that a line of the list stands for: (kind, form, new text)."""
    if how == "sum":
        slot, value = re.fullmatch(r"(\w+)\.accumulate\((.*)\)", original, re.S).groups()
        return [
            ("zeroed", "expression", f"{slot}.accumulate(({value}) * engine::real(0))"),
            ("sign flipped", "expression", f"{slot}.accumulate(-({value}))"),
            ("times 1.001", "expression", f"{slot}.accumulate(({value}) * engine::real(1.001))"),
            ("assigned", "expression", f"{slot}.clear(), {original}"),
        ]
    if how == "value":
        return [
            ("zeroed", "expression", f"({original}) * engine::real(0)"),
            ("sign flipped", "expression", f"-({original})"),
            ("times 1.001", "expression", f"({original}) * engine::real(1.001)"),
        ]
    if how == "slot":
        slot = original.split(".")[0]
        return [("assigned", "expression", f"{slot}.clear(), {original}")]
    if how in ("new", "do", "constant") and rest:
        form = {"new": "expression", "do": "statement", "constant": "constant"}[how]
        return [("replaced", form, rest)]
    raise ListError(f'"{how}" is no way to break code, or nothing is given to replace it')


def read_list():
    """Files with their places, mutants, and equivalent mutants as (line of the list, reason)."""
    files, mutants, equivalent, errors = {}, [], [], []
    test_names = [name for path in Path("tests").rglob("*.cpp")
                  for name in re.findall(r'TEST_CASE\(\s*"(.*?)"', path.read_text())]
    test_names += [f"{path.stem}: {title}" for path in Path("tests/program").glob("*.t")
                   for title in re.findall(r"^== (.*)", path.read_text(), re.MULTILINE)]
    file, killers = None, ()
    for number, line in enumerate(LIST.read_text().splitlines(), 1):
        line = line.strip()
        try:
            if not line or line.startswith("#"):
                continue
            if line.startswith("@ "):
                name = line[2:].strip()
                file = files.setdefault(name, File(name, Path(name).read_text()))
            elif line.startswith("? "):
                killers = tuple(Killer(*test.split(maxsplit=1)) for test in line[2:].split(" + "))
                check_patterns(killers, test_names)
            else:
                fields = [part.strip() for part in line.split(" | ", 3)]
                how, where, original = fields[:3]
                place = find_place(file.text, where, original)
                if how == "equivalent":
                    new, reason = fields[3].rsplit(" | ", 1)
                    equivalent.append((f"{file.name}: {original}  ->  {new}", reason))
                    continue
                rest = fields[3] if len(fields) > 3 else ""
                for kind, form, new in broken_forms(how, original, rest):
                    at = file.text.count("\n", 0, place[0]) + 1
                    old = original
                    mutant = Mutant(len(mutants) + 1, file.name, at, kind, old, new, killers)
                    there = file.places.setdefault(place, Place(*place, form))
                    if there.form != form:
                        raise ListError(f"a {there.form} and a {form} in one place")
                    there.mutants.append(mutant)
                    mutants.append(mutant)
        except (ListError, OSError, ValueError, AttributeError) as error:
            errors.append(f"{LIST}:{number}: {error}: {line}")
    if errors:
        sys.exit("\n".join(errors))
    return files, mutants, equivalent


# --- the copy of the sources ---------------------------------------------------------------------


def rendered(file, begin, end, places):
    """The text of [begin, end), each of `places`, which lie within, a choice between mutants."""
    out, at = [], begin
    while places:
        outer = max((p for p in places if p.begin == min(q.begin for q in places)),
                    key=lambda p: p.end)
        inner = [p for p in places if p is not outer and p.begin < outer.end]
        if any(p.end > outer.end for p in inner):
            sys.exit(f"{file.name}: places overlap at {file.text[outer.begin:outer.end]}")
        out.append(file.text[at:outer.begin])
        out.append(choice(file, outer, inner))
        at = outer.end
        places = [p for p in places if p.begin >= outer.end]
    return "".join(out) + file.text[at:end]


def choice(file, place, inner):
    if place.form == "constant":  # constexpr T name = value: a variable that is set at the start
        head, value = file.text[place.begin:place.end].split(" = ", 1)
        head = head.replace("static constexpr", "static inline const").replace("constexpr", "const")
        return f"{head} = " + chosen_expression(place.mutants, value)
    old = rendered(file, place.begin, place.end, inner)
    if place.form == "expression":
        return chosen_expression(place.mutants, old)
    tests = [f"if (::mutant == {m.number}) {{ {m.new} }} else " for m in place.mutants]
    return "{ " + "".join(tests) + f"{{ {old} }} }}"


def chosen_expression(mutants, old):
    return "(" + "".join(f"::mutant == {m.number} ? ({m.new}) : " for m in mutants) + f"({old}))"


def write_if_new(path, content):
    """An unchanged file keeps its date, so that make does not compile it again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)


def copy_sources(files):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], check=True,
                            capture_output=True, text=True).stdout.split("\n")
    names = {name for name in listed if name and Path(name).is_file()}
    for name in names - set(files):
        write_if_new(SOURCES / name, Path(name).read_bytes())
        shutil.copymode(name, SOURCES / name)
    for name, file in files.items():
        text = rendered(file, 0, len(file.text), list(file.places.values()))
        text = f'#include "tests/mutant.h"\n#line 1 "{name}"\n{text}'
        write_if_new(SOURCES / name, text.encode())
    write_if_new(SOURCES / "tests/mutant.h", HEADER.encode())
    for path in [path for path in SOURCES.rglob("*") if path.is_file()]:
        name = str(path.relative_to(SOURCES))
        if name not in names and name != "tests/mutant.h" and not name.startswith(".build/"):
            path.unlink()


def build():
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
    programs = {"float": ("gradus", "gradus-tests"), "double": ("gradcheck", "reference-tests")}
    for real, names in programs.items():
        out = f".build/{real}"
        command = ["make", "-k", f"-j{os.cpu_count()}", f"B={out}", f"REAL={real}", "OPT=-O1", "EXTRA=-w", "UNITS="]
        command += [f"CXX={os.environ.get('CXX', 'g++')}", *(f"{out}/{name}" for name in names)]
        if subprocess.run(command, cwd=SOURCES, env=environment).returncode != 0:
            sys.exit(f"the mutants do not compile: {' '.join(command)}")


# --- trying --------------------------------------------------------------------------------------


@dataclass
class Result:
    status: int  # of exit; None if time was up
    output: str
    seconds: float

    @property
    def failed(self):
        return self.status != 0


def run(killer, mutant, limit):
    environment = dict(os.environ, MUTANT=str(mutant), GRADUS=str(GRADUS))
    begin = time.monotonic()
    process = subprocess.Popen(killer.command(), env=environment, text=True, errors="replace",
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=limit)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)  # its own group: this process and what it started
        output, _ = process.communicate()
        status = None
    return Result(status, output, time.monotonic() - begin)


def time_limits(killers):
    """Without a mutant every test passes; a mutant gets ten times as long, and 10 s at least."""
    limits = {}
    for killer in killers:
        result = run(killer, 0, 300)
        ran = re.search(r"all correct|All tests passed \((?!0)", result.output)
        if result.failed or not ran:
            print(result.output[-2000:])
            sys.exit(f"without a mutant, {killer.program} {killer.pattern} fails")
        limits[killer] = max(10, 10 * result.seconds)
    return limits


def first_failure(output):
    """The first test that failed, as gradcheck or Catch2 tells it."""
    found = re.search(r"^FAILED  (.*)", output, re.M) or re.search(r"^-{79}\n(.+)\n", output, re.M)
    return found.group(1) if found else output[-200:].strip().replace("\n", " ")


def attempt(mutant, limits):
    """(how it was caught, by what); how is "named", "others", "time" or, uncaught, None."""
    for how, killers in (("named", mutant.killers), ("others", ALL_TESTS)):
        for killer in killers:
            result = run(killer, mutant.number, limits[killer])
            if result.status is None:
                return "time", f"{killer.program} {killer.pattern}"
            if result.failed:
                return how, first_failure(result.output)
    return None, ""


def main():
    files, mutants, equivalent = read_list()
    if sys.argv[1:] == ["--check"]:
        for file in files.values():
            rendered(file, 0, len(file.text), list(file.places.values()))
        print(f"{len(mutants)} mutants in {len(files)} files: every place and every test exists")
        return 0
    begin = time.monotonic()
    copy_sources(files)
    build()
    built = time.monotonic()
    wanted = sys.argv[1:]
    if wanted:
        mutants = [m for m in mutants if str(m.number) in wanted or
                   any(not w.isdigit() and w in str(m) for w in wanted)]
    killers = {killer: None for m in mutants for killer in m.killers + ALL_TESTS}
    limits = time_limits(killers)

    def attempt_and_tell(mutant):
        how, what = attempt(mutant, limits)
        if how == "others":
            print(f"not by the tests named for it: {mutant}\n    but by {what}", flush=True)
        if how == "time":
            print(f"out of time: {mutant}\n    in {what}", flush=True)
        if how is None:
            print(f"NOT CAUGHT: {mutant}", flush=True)
        return how

    with ThreadPoolExecutor(TRIED_AT_ONCE) as pool:
        results = list(pool.map(attempt_and_tell, mutants))
    outcome = Counter(results)
    by_folder = Counter("/".join(m.file.split("/")[:-1]) for m in mutants)
    for folder, count in sorted(by_folder.items()):
        print(f"{count:5}  {folder}")
    caught = len(mutants) - outcome[None]
    print(f"mutants: {len(mutants)} made, {caught} caught ({outcome['named']} by the tests named, "
          f"{outcome['others']} by others, {outcome['time']} out of time), "
          f"{len(equivalent)} equivalent and not counted; "
          f"{built - begin:.0f} s to build, {time.monotonic() - built:.0f} s to try")
    for mutant, how in zip(mutants, results):
        if how is None:
            print(f"NOT CAUGHT  {mutant}")
    return 1 if outcome[None] else 0


if __name__ == "__main__":
    os.chdir(Path(__file__).resolve().parent.parent)
    sys.exit(main())
