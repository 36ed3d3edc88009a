#!/usr/bin/env python3
"""The reader's way in numbers: `make way`.

Reads the tables of tests/tour/README.md, finds each function they name, and prints where it begins and
how many lines it has with its comment, and for each part what it comes to in hours: 120 lines of new
code an hour, 300 of text. With --check prints only what is not found, and exits with 1 if there is
something (make lint).
"""
import pathlib
import re
import sys

PAGE = pathlib.Path("tests/tour/README.md")
CODE, PROSE = 120, 300  # lines an hour


def block_end(lines, first):
    """The line that closes the definition which begins at `first`, or None if it is no definition."""
    depth = 0
    for i in range(first, min(first + 12, len(lines))):
        for c in re.sub(r'"(\\.|[^"\\])*"|//.*', "", lines[i]):
            depth += c == "("
            depth -= c == ")"
            if c == ";" and depth == 0:
                return None
            if c == "{" and depth == 0:
                if lines[i].rstrip().endswith(("}", "};")):
                    return i
                indent = re.match(r" *", lines[first]).group()
                return next(j for j in range(i + 1, len(lines)) if lines[j].startswith(indent + "}"))
    return None


def extents(lines, name):
    """[begin, end) of every definition of a function or class, with the comment above it."""
    found = []
    for i, line in enumerate(lines):
        at = re.search(r"(?<![\w:])(?<!: )" + re.escape(name) + r"(?=\(| \{| : |$)", line)
        if not at or re.match(r"\s*(//|(return|if|for|while|else)\b)", line):
            continue
        if re.search("[={]", line[: at.start()]) or len(line) - len(line.lstrip()) > 2:
            continue
        end = block_end(lines, i)
        if end is None:
            continue
        begin = i
        while begin > 0 and re.match(r"\s*(//(?! ---)|template)", lines[begin - 1]):
            begin -= 1
        if not any(b <= begin < e for b, e in found):  # a constructor, within its class
            found.append((begin, end + 1))
    return found


def opening(lines):
    """The comment that a file opens with."""
    end = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
    return [(0, end)] if end else []


def prose_of(path):
    return sum(bool(line.strip()) for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines())


def parts():
    """(title, rows, exercises) of the page's parts that have rows: (file, what to read, what to learn)."""
    for part in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        cells = [[c.strip() for c in line.split("|")[1:-1]] for line in part.splitlines()]
        rows = [row for row in cells if len(row) == 3 and re.fullmatch(r"`[\w/.]+\.(cpp|h|md)`", row[0])]
        first, last = map(int, (re.findall(r"Exercises (\d+) to (\d+)", part) or [(1, 0)])[0])
        exercises = [next(pathlib.Path("tests/exercises").glob(f"{n}_*.cpp"), None)
                     for n in range(first, last + 1)]
        if rows:
            yield part.splitlines()[0], rows, exercises


def spans_of(file, names, problems):
    """(name, begin, end) of what a row names."""
    lines = pathlib.Path(file).read_text(encoding="utf-8").splitlines()
    if names == "all of it":
        return [("all of it", 0, len(lines))]
    spans = [("its opening comment", *e) for e in opening(lines)] if "opening" in names else []
    for name in re.findall(r"`([^`]+)`", names):
        places = extents(lines, name)
        if not places:
            problems.append(f"{PAGE}: {file} has no definition of {name}")
        spans += [(name, *place) for place in places]
    return spans


def main():
    problems, report = [], []
    for title, rows, exercises in parts():
        code = prose = 0
        report.append(f"{title}\n")
        for file, names, what in rows:
            file = file.strip("`")
            if not pathlib.Path(file).exists():
                problems.append(f"{PAGE}: there is no {file}")
                continue
            lines = pathlib.Path(file).read_text(encoding="utf-8").splitlines()
            report.append(f"  {file}: {what}")
            for name, begin, end in spans_of(file, names, problems):
                report.append(f"      line {begin + 1:4}, {end - begin:3} lines  {name}")
                taken = [line.strip() for line in lines[begin:end] if line.strip()]
                text = len(taken) if file.endswith(".md") else sum(t.startswith("//") for t in taken)
                code, prose = code + len(taken) - text, prose + text
            page = pathlib.Path(file).with_suffix(".txt")
            prose += prose_of(page) if page.exists() else 0
        if None in exercises:
            problems.append(f"{PAGE}: an exercise is missing")
        prose += sum(prose_of(e) for e in exercises if e)
        report.append(f"\n  {code} lines of code, {prose} of text with {len(exercises)} exercises: about "
                      f"{code / CODE + prose / PROSE:.1f} hours of reading\n")
    print("\n".join(problems if "--check" in sys.argv else report))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
