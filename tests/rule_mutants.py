#!/usr/bin/env python3
"""make mutants FILE=..., CHANGED=... or SAMPLE=...: breaks the program by rule, one place at a time, and
checks that a test notices.

    tests/rule_mutants.py --file FILE...          every mutant that the rules below make of these files
    tests/rule_mutants.py --changed COMMIT        those of the lines that changed since COMMIT
    tests/rule_mutants.py --sample N [--seed S]   N of the whole program, drawn at random; the same ones for the same S
    --minutes M      stop after M minutes         --of FOLDER   only files of that folder
    --jobs J         J mutants at once (default: two for each CPU)
    --show           print the mutants, try none

A rule changes one token or call of a line:

    < and <=, > and >=, == and !=, + and -, * and /, && and ||, += and -=, true and false
    n -> n + 1, x.y -> x.y * 1.01          a number
    !x -> x                                a negation
    f(a, b) -> f(b, a)                     two neighboring arguments that are names or numbers
    f(...); -> ;                           a call that stands alone

First every test is run once by itself, traced (trace.cpp), so that it is known which lines it reaches;
the map is kept in .build, and tests that reach a file, or stand in it, are traced again after it has
changed. Then the changed file is compiled and the program linked in a copy of the sources, two for each CPU
since some tests wait, and the tests are run that reach its line (of a line of which that is not known,
all): the quick ones of the folder that mirrors the file's, then other quick ones, the gradients and the
references in double if they have the file, and the slower ones, until PATIENCE is spent. Outcomes are
kept too, until a file changes: a round that was stopped goes on where it was.

A mutant that does not compile, makes the same objects, or is listed in equivalent_mutants.txt, counts
as none. A mutant is caught if a test fails, takes ten times as much of the CPU as it should, or does
nothing at all for a minute. Exit status 1 if one survives.
"""

import argparse
import filecmp
import hashlib
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from bisect import bisect_right
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

WORK = Path(".build/rule_mutants")
ROOMS = ("engine", "nn", "model", "train")
EQUIVALENT = Path("tests/equivalent_mutants.txt")
# Seconds of traced tests of other folders that a mutant is worth. The five slowest of a line that all reach
# see no more than quicker ones, and would take half of the time.
PATIENCE = 250
LINKER = next((f" -fuse-ld={name}" for name in ("lld", "gold") if shutil.which(f"ld.{name}")), "")


@dataclass(frozen=True)
class Mutant:
    file: str
    begin: int  # of the file's text
    end: int
    new: str
    where: int  # its line

    def __str__(self):
        text = Path(self.file).read_text()
        first, last = text.rfind("\n", 0, self.begin) + 1, text.find("\n", self.end)
        changed = text[first:self.begin] + self.new + text[self.end:last]
        shown = (" ".join(part.split()) for part in (text[first:last], changed))
        return f"{self.file}:{self.where}  " + "  ->  ".join(shown)


# --- the rules -----------------------------------------------------------------------------------

# clang-format puts spaces around the operators of expressions, and none around a template's brackets
# or a pointer's star.
OPERATORS = {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == ",
             " + ": " - ", " - ": " + ", " * ": " / ", " / ": " * ", " && ": " || ", " || ": " && ",
             " += ": " -= ", " -= ": " += "}
NAME = r"[A-Za-z_][\w.]*(?:->\w+)?"
RULES = (
    ("operator", re.compile("|".join(re.escape(o) for o in OPERATORS)), lambda m: OPERATORS[m.group()]),
    ("negation", re.compile(r"(?<=[( ])!(?=[\w(])"), lambda m: ""),
    ("truth", re.compile(r"\b(true|false)\b"), lambda m: "false" if m.group() == "true" else "true"),
    ("number", re.compile(r"(?<![\w.])\d[\d']*\.?\d*(?:e-?\d+)?f?(?![\w.])"),
     lambda m: f"({m.group()} * {'1.01f' if m.group().endswith('f') else '1.01'})"
     if re.search(r"[.e]", m.group()) else f"({m.group()} + 1)"),
    ("arguments", re.compile(rf"(?<=[(,] )?(?<=[(\s])({NAME}|\d+), ({NAME}|\d+)(?=[,)])"),
     lambda m: f"{m.group(2)}, {m.group(1)}" if m.group(1) != m.group(2) else m.group()),
    ("call", re.compile(rf"(?<=\n)[ ]+(?:{NAME}(?:\(\))?(?:\.|->))*[a-z]\w*\([^;{{}}]*\);(?=\n)"),
     lambda m: ";"),
)
MEMBER = re.compile(r"  (?!return\b)\w[\w:<>, *]* \w+ = .*;")  # `  double decay = 0.1;`, a member and its default
# What only tells, is checked by the compiler, or makes nothing but time.
SKIPPED = re.compile(r"^\s*(#|//|static_assert|using |template|namespace|asm|assert\(|return;|check\(|fail\()"
                     r"|__builtin_prefetch|\breserve\(|\bshrink_to_fit\(")


def code_of(text):
    """The text with comments and literals of characters blanked, every place where it was."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    return re.sub(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![\w\'])\'(?:\\.|[^\'\\\n])+\'',
                  blank, text, flags=re.S)


def declares(code, at):
    """Whether two names there are no arguments: declared one after the other, between no brackets."""
    begin = max(code.rfind(mark, 0, at) for mark in ";{}") + 1
    return code[max(begin - 1, 0)] != "{" and code.count("(", begin, at) == code.count(")", begin, at)


def mutants_of(file):
    text = Path(file).read_text()
    code = code_of(text)
    lines = text.split("\n")
    found = []
    for rule, pattern, change in RULES:
        for match in pattern.finditer(code):
            if rule == "arguments" and declares(code, match.start()):
                continue
            line = code.count("\n", 0, match.end() - 1)
            new = change(match)
            if not SKIPPED.search(lines[line]) and new != match.group():
                found.append(Mutant(file, match.start(), match.end(), new, line + 1))
    return sorted(found, key=lambda m: (m.begin, m.end, m.new))


def sources():
    listed = subprocess.run(["git", "ls-files", *ROOMS], check=True, capture_output=True, text=True).stdout
    return [f for f in listed.split("\n") if f.endswith((".cpp", ".h")) and Path(f).is_file()]


def equivalent():
    """{(file, line's text -> changed text, or the text alone for all of its mutants)}, from the list."""
    entries = [line for line in EQUIVALENT.read_text().split("\n") if line and line[0] not in "# "]
    return {tuple(entry.split("  ", 1)) for entry in entries}


def is_equivalent(mutant, listed):
    text = str(mutant).split("  ", 1)[1]
    return not listed.isdisjoint({(mutant.file, text), (mutant.file, text.split("  ->  ")[0])})


def changed_lines(commit):
    """The numbers of the lines of each file that are new since the commit."""
    lines, file = {}, None
    diff = subprocess.run(["git", "diff", "-U0", commit, "--", *ROOMS], check=True, capture_output=True,
                          text=True).stdout
    for line in diff.split("\n"):
        if line.startswith("+++ "):
            file = line[6:]
        elif hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))?", line):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            lines.setdefault(file, set()).update(range(first, first + count))
    return lines


# --- trying --------------------------------------------------------------------------------------


# By what it went into: seconds of the CPU, and by the clock.
SPENT, SPENT_LOCK = {"compile": [0, 0], "link": [0, 0], "tests": [0, 0]}, threading.Lock()


class Copy:
    """A copy of the sources with its programs, in which one mutant at a time is tried."""

    def __init__(self, number):
        self.path = (WORK / str(number)).resolve()
        self.made_of = {}
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], check=True,
                                capture_output=True, text=True).stdout.split("\n")
        names = {name for name in listed if name and Path(name).is_file()}
        for name in names:  # what is unchanged keeps its date, so that make does not compile it again
            there = self.path / name
            there.parent.mkdir(parents=True, exist_ok=True)
            if not there.exists() or there.read_bytes() != Path(name).read_bytes():
                shutil.copy(name, there)
        for room in ROOMS + ("tests",):
            for path in (self.path / room).rglob("*"):
                if path.is_file() and str(path.relative_to(self.path)) not in names:
                    path.unlink()

    def make(self, real, *targets, jobs=1, extra="-w", flags=""):
        """make's (status, output), of files in .build/REAL."""
        plain = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "V")}
        return self.run(
            ["make", f"-j{jobs}", f"B=.build/{real}", f"REAL={real}", "OPT=-O1", f"EXTRA={extra}",
             f"LDFLAGS={flags}", "LINK=$(CXX) $(FLAGS) $^ -o $@ $(LDFLAGS)" + LINKER, "UNITS=",
             f"CXX={os.environ.get('CXX', 'g++')}", *(f".build/{real}/{target}" for target in targets)],
            1e9, environment=plain, part="compile" if targets[0].endswith(".o") else "link")

    def build(self):
        for real, programs in ("float", ("gradus", "gradus-tests")), ("double", ("gradcheck", "reference-tests")):
            for program in programs:
                (self.path / f".build/{real}/{program}").unlink(missing_ok=True)
            status, output = self.make(real, *programs, jobs=os.cpu_count())
            if status != 0:
                sys.exit(f"the copy does not compile:\n{output[-3000:]}")

    def objects_of(self, real, file):
        """The objects, in .build/REAL, that are made of the file."""
        if real not in self.made_of:
            made_of = self.made_of[real] = {}
            room = self.path / ".build" / real
            for listed in room.rglob("*.d"):
                made, _, of = listed.read_text().replace("\\\n", " ").split("\n")[0].partition(":")
                for name in of.split() if made.endswith(".o") else ():
                    made_of.setdefault(name, []).append(made.removeprefix(f".build/{real}/"))
        return self.made_of[real].get(file, [])

    def run(self, command, limit, environment=None, part="tests"):
        """(status, output); the status is None if it was ended: for more seconds of the CPU than `limit`, or
        none in a minute. (By the clock, a machine with other work would catch everything.)"""
        begin, used = time.monotonic(), 0
        with tempfile.TemporaryFile() as out:
            process = subprocess.Popen(command, cwd=self.path, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=subprocess.STDOUT, start_new_session=True)
            pause, looked, moved, status = 0.002, begin, (begin, 0), ...
            while True:
                ended, how, usage = os.wait4(process.pid, os.WNOHANG)
                if ended:
                    process.returncode = os.waitstatus_to_exitcode(how)
                    break
                time.sleep(pause)
                now, pause = time.monotonic(), min(0.1, pause * 1.3)
                if now - looked > 2 and status is ...:
                    looked, used = now, seconds_of_session(process.pid)
                    moved = (now, used) if used > moved[1] + 0.2 else moved
                    if used > limit or now - moved[0] > 60:
                        kill_session(process.pid)
                        status = None
            kill_session(process.pid)
            with SPENT_LOCK:
                SPENT[part] = [a + b for a, b in zip(SPENT[part], (usage.ru_utime + usage.ru_stime,
                                                                   time.monotonic() - begin))]
            out.seek(0)
            return (process.returncode if status is ... else None), out.read().decode(errors="replace")

    def test(self, command, limit, **more):
        return self.run(command, limit, dict(os.environ, GRADUS=str(self.path / ".build/float/gradus"), **more))

    def chosen(self, mutant, reach):
        """Tests that may notice, in groups, the likeliest and quickest first; None stands for those in double."""
        room = Path("tests/unit") / Path(mutant.file).parent
        while not (self.path / room).is_dir():
            room = room.parent
        near = {name for path in (self.path / room).glob("*_test.cpp") for name in test_names(path)}
        seconds = reach.seconds
        reaching = sorted(reach.tests_of(mutant) or seconds, key=seconds.get)
        near, far = ([n for n in reaching if (n in near) == so] for so in (True, False))
        spent = list(itertools.accumulate(map(seconds.get, far)))
        far = far[:bisect_right(spent, PATIENCE)]
        groups = [[n for n in near if seconds[n] < 1],
                  [n for n in far if seconds[n] < 0.05],
                  [n for n in near if seconds[n] >= 1],
                  [n for n in far if 0.05 <= seconds[n] < 0.5],
                  [n for n in far if seconds[n] >= 0.5]]
        groups.insert(4 if mutant.file.endswith(".h") else 2, None)  # a header is compiled in many objects
        return groups

    def outcome(self, command, limit):
        """None if these tests pass."""
        status, output = self.test(command, limit)
        if status is None:
            return "time"
        if status == 0:
            return None
        failed = re.search(r"^FAILED  (.*)", output, re.M) or re.search(r"^-{79}\n(.+)\n", output, re.M)
        return failed.group(1) if failed else output[-200:].strip().replace("\n", " ") or f"status {status}"

    def attempt(self, mutant, reach):
        """What caught it; None if nothing did; "" if it is no mutant."""
        there = self.path / mutant.file
        before, date = there.read_text(), there.stat().st_mtime_ns
        kept = {}  # by object, a copy of what the unchanged file made

        def compile(real):
            objects = self.objects_of(real, mutant.file)
            for name in objects:
                kept[real, name] = self.path / f".build/kept/{real}/{name}"
                kept[real, name].parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(self.path / f".build/{real}/{name}", kept[real, name])
            return objects, not objects or self.make(real, *objects)[0] == 0

        try:
            there.write_text(before[:mutant.begin] + mutant.new + before[mutant.end:])
            objects, done = compile("float")
            if not done or all(filecmp.cmp(self.path / f".build/float/{name}", kept["float", name], False)
                               for name in objects):
                return ""
            if self.make("float", "gradus-tests")[0] != 0:
                return ""
            with_gradus = False
            for names in self.chosen(mutant, reach):
                if names is None:
                    objects, done = compile("double")
                    if not done:
                        return "does not compile in double"
                    if objects and self.make("double", "gradcheck", "reference-tests")[0] != 0:
                        return "does not link in double"
                    how = objects and (self.outcome([".build/double/reference-tests", "-a"], 60) or
                                       self.outcome([".build/double/gradcheck", "/dev/null"], 60))
                elif not names:
                    continue
                else:
                    if not with_gradus and not reach.of_program.isdisjoint(names):
                        with_gradus = True
                        if self.make("float", "gradus")[0] != 0:
                            return ""
                    chosen = self.path / ".build/names"
                    chosen.write_text("".join(escaped(name) + "\n" for name in names))
                    how = self.outcome([".build/float/gradus-tests", "-a", "-f", str(chosen)],
                                       max(20, 10 * sum(reach.seconds[name] for name in names)))
                if how:
                    return how
            return None
        finally:  # as it was, and of the same date: nothing is compiled again. The source last: while it differs,
            # a run that was killed here is known to have left objects of it.
            for (real, name), copy in kept.items():
                shutil.copy2(copy, self.path / f".build/{real}/{name}")
            there.write_text(before)
            os.utime(there, ns=(date, date))


def processes_of_session(number):
    """The number of each, and the ticks of the CPU that it and those that it has waited for have used."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[3]) == number:
            yield int(path.parent.name), sum(map(int, fields[11:15]))


def seconds_of_session(number):
    return sum(ticks for _, ticks in processes_of_session(number)) / os.sysconf("SC_CLK_TCK")


def kill_session(number):
    """All that a test has started, in groups of their own too: a mutant may run for ever."""
    for process, _ in processes_of_session(number):
        try:
            os.kill(process, 9)
        except ProcessLookupError:
            pass


def test_names(path):
    """Of a file of tests, or of transcripts; a name may be in several literals."""
    if path.suffix == ".t":
        return [f"{path.stem}: {title}" for title in re.findall(r"^== (.*?)(?: \[.*)?$", path.read_text(), re.MULTILINE)]
    literal = r'"(?:\\.|[^"\\])*"'
    return ["".join(part[1:-1] for part in re.findall(literal, names))
            for names in re.findall(rf'TEST_CASE\(\s*((?:{literal}\s*)+)', path.read_text())]


def escaped(name):
    return re.sub(r"([,\[\]\\])", r"\\\1", name)


class Reach:
    """Which tests reach which lines, and how long each takes."""

    KEPT = WORK / "reach.json"
    TRIED = WORK / "tried.txt"  # outcomes, while sources and tests are the same: a round may be in parts

    def __init__(self):
        listed = sources() + [str(p) for p in Path("tests").rglob("*") if p.suffix in (".cpp", ".h", ".t")]
        now = {name: hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in sorted(listed)}
        kept = json.loads(self.KEPT.read_text()) if self.KEPT.exists() else {"of": {}, "seconds": {}, "lines": {}}
        if kept["of"] != now:
            changed = {name for name in {*now, *kept["of"]} if now.get(name) != kept["of"].get(name)}
            kept = {"of": now, **self.traced(changed, kept["seconds"], kept["lines"])}
            self.KEPT.write_text(json.dumps(kept))
            self.TRIED.unlink(missing_ok=True)
        self.seconds = kept["seconds"]
        self.names = list(self.seconds)
        self.lines = {file: sorted((int(line), tests) for line, tests in lines.items())
                      for file, lines in kept["lines"].items()}
        self.of_program = {self.names[n] for _, tests in self.lines["train/main.cpp"] for n in tests}  # gradus'

    def tried(self):
        """{mutant, as it is printed: how it was caught}, of earlier rounds with these sources and tests."""
        lines = self.TRIED.read_text().split("\n") if self.TRIED.exists() else []
        return {mutant: {"NOT CAUGHT": None}.get(how, how)
                for how, _, mutant in (line.partition("\t") for line in lines) if mutant}

    def remember(self, mutant, how):
        with self.TRIED.open("a") as file:
            file.write(f"{'NOT CAUGHT' if how is None else how.strip()}\t{mutant}\n")

    def traced(self, changed, seconds, lines):
        """{"seconds": {test: seconds}, "lines": {file: {line: the numbers of tests}}}: made of those before
        the change, but for tests of a changed file, and tests that reached one. All if a header has changed."""
        old = list(seconds)
        again = {old[n] for name in changed for tests in lines.get(name, {}).values() for n in tests}
        for name in changed:
            if name.startswith("tests/") and name.endswith((".cpp", ".t")) and Path(name).is_file():
                again.update(test_names(Path(name)))
            elif not name.endswith(".cpp"):
                again.update(old)
        copy = Copy("traced")
        shutil.rmtree(copy.path / "traces", ignore_errors=True)
        (copy.path / "traces").mkdir()
        subprocess.run(["g++", "-O2", "-c", "tests/trace.cpp", "-o", "trace.o"], cwd=copy.path, check=True)
        # What is inlined has no block of its own, so its lines would be reached by nobody.
        status, output = copy.make("float", "gradus", "gradus-tests", jobs=os.cpu_count(),
                                   extra="-w -g1 -fno-inline -fsanitize-coverage=trace-pc",
                                   flags=str(copy.path / "trace.o"))
        if status != 0:
            sys.exit(f"the traced copy does not compile:\n{output[-3000:]}")
        _, listed = copy.test([".build/float/gradus-tests", "--list-test-names-only"], 60)
        names = [name for name in listed.split("\n") if name]
        again.update(name for name in names if name not in seconds)
        place_of = {name: number for number, name in enumerate(names)}

        def run(number):
            if names[number] not in again:
                return seconds[names[number]]
            begin = time.monotonic()
            status, _ = copy.test([".build/float/gradus-tests", escaped(names[number])], 600,
                                  TRACE=str(copy.path / f"traces/{number}"))
            if status != 0:
                print(f"fails without any mutant: {names[number]}", flush=True)
            return time.monotonic() - begin

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            new_seconds = list(pool.map(run, range(len(names))))
        new = {file: {line: {place_of[old[n]] for n in tests if old[n] in place_of and old[n] not in again}
                      for line, tests in of.items()} for file, of in lines.items() if file not in changed}
        for program in "gradus", "gradus-tests":
            reached = {}  # by place, the tests
            for trace in (copy.path / "traces").glob(f"*_{program}.*"):
                number = int(trace.name.split("_")[0])
                for place in trace.read_text().split():
                    reached.setdefault(place, set()).add(number)
            places = list(reached)
            told = subprocess.run(["addr2line", "-e", f".build/float/{program}"], cwd=copy.path, check=True,
                                  capture_output=True, text=True, input="\n".join("0x" + p for p in places)).stdout
            for place, where in zip(places, told.split("\n")):
                file, _, line = where.partition(" ")[0].rpartition(":")
                file = os.path.relpath(file, copy.path) if file.startswith("/") else os.path.normpath(file)
                if file.startswith(ROOMS) and line.isdigit():
                    new.setdefault(file, {}).setdefault(line, set()).update(reached[place])
        shutil.rmtree(copy.path / "traces")
        return {"seconds": dict(zip(names, new_seconds)),
                "lines": {file: {line: sorted(tests) for line, tests in of.items() if tests}
                          for file, of in new.items()}}

    def tests_of(self, mutant):
        """Those that reach the line, or else the reached lines just before and after it, of which one may belong
        to another function: no block begins at a declaration. None are known of what is computed by the compiler,
        as tables are, nor of a member's default, which is part of every constructor."""
        lines = self.lines.get(mutant.file, [])
        at = bisect_right(lines, mutant.where, key=lambda entry: entry[0]) - 1
        text = Path(mutant.file).read_text().split("\n")[mutant.where - 1]
        if "constexpr" in text:
            return []
        if at >= 0 and lines[at][0] == mutant.where:
            near = lines[at:at + 1]
        elif mutant.file.endswith(".h") and MEMBER.match(text):
            return []
        else:
            near = [entry for entry in lines[max(at, 0):at + 2] if abs(entry[0] - mutant.where) <= 5]
        return [self.names[number] for number in sorted({n for _, numbers in near for n in numbers})]


def room_of(file):
    return "/".join(file.split("/")[:2]) if file.count("/") > 1 else file.split("/")[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", nargs="+")
    parser.add_argument("--changed")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--of", default="")
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1))  # some tests wait, and use no CPU
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()

    listed = equivalent()
    if arguments.file:
        mutants = [m for file in arguments.file for m in mutants_of(file)]
    elif arguments.changed:
        lines = changed_lines(arguments.changed)
        mutants = [m for file in sources() if file in lines for m in mutants_of(file) if m.where in lines[file]]
    elif arguments.sample:
        mutants = [m for file in sources() for m in mutants_of(file)]
    else:
        parser.error("expected --file, --changed or --sample")
    # The page is no part of gradus.
    mutants = [m for m in mutants if m.file.startswith(arguments.of) and not m.file.startswith("train/page/")]
    wanted = arguments.sample or len(mutants)
    if arguments.sample:
        random.Random(arguments.seed).shuffle(mutants)
    mutants = (m for m in mutants if not is_equivalent(m, listed))
    if arguments.show:
        print("\n".join(str(m) for m in itertools.islice(mutants, wanted)))
        return 0

    begin = time.monotonic()
    reach = Reach()
    print(f"traced {len(reach.names)} tests in {time.monotonic() - begin:.0f} s", flush=True)
    begin = time.monotonic()
    copies = [Copy(i) for i in range(arguments.jobs)]
    copies[0].build()
    for copy in copies[1:]:  # make looks at dates, which cp -a keeps
        subprocess.run(["cp", "-a", f"{copies[0].path}/.", copy.path], check=True)
    print(f"built in {time.monotonic() - begin:.0f} s", flush=True)
    lock, results, none, tried = threading.Lock(), [], [0], reach.tried()
    for part in SPENT:
        SPENT[part] = [0, 0]

    def work(copy):
        while time.monotonic() - begin < 60 * arguments.minutes:
            with lock:
                if len(results) >= wanted or (mutant := next(mutants, None)) is None:
                    return
            known = str(mutant) in tried
            how = tried[str(mutant)] if known else copy.attempt(mutant, reach)
            with lock:
                if not known:
                    reach.remember(mutant, how)
                if how == "":
                    none[0] += 1
                elif len(results) < wanted:
                    results.append((mutant, how))
                    if how is None:
                        print(f"NOT CAUGHT  {mutant}", flush=True)
                    if len(results) % 25 == 0:
                        print(f"{len(results)} tried, {time.monotonic() - begin:.0f} s", flush=True)

    threads = [threading.Thread(target=work, args=(copy,)) for copy in copies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    made, lost = (Counter(room_of(m.file) for m, how in results if all_ or how is None) for all_ in (True, False))
    for room in sorted(made):
        print(f"{room:20} {made[room] - lost[room]:4} of {made[room]} caught")
    caught = len(results) - sum(lost.values())
    print(f"mutants: {len(results)} tried, {caught} caught, {sum(lost.values())} not; {none[0]} more did not compile "
          f"or made the same objects; {time.monotonic() - begin:.0f} s")
    print("seconds of the CPU (by the clock): " + ", ".join(
        f"{part} {cpu:.0f} ({clock:.0f})" for part, (cpu, clock) in SPENT.items()) +
        f"; each of {os.cpu_count()} CPUs {sum(cpu for cpu, _ in SPENT.values()) / os.cpu_count():.0f}")
    return 1 if sum(lost.values()) else 0


if __name__ == "__main__":
    os.chdir(Path(__file__).resolve().parent.parent)
    sys.exit(main())
