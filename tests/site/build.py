#!/usr/bin/env python3
"""`make site`: out/site/, of files that any static server hands out. Argument: the folder of the module engine.js,
engine.wasm that Emscripten made; without one, pages to look at, in which nothing moves. REPOSITORY in the environment:
where links to sources lead.

    index.html        arriving: arrive.html, with what README.md and the book say
    book/             tests/book/, a page for each chapter, with live figures that move
    train/index.html  train/page/
    reference/index.html  what headers declare (reference.py)
    engine.js, engine.wasm, live.js, style.css, fables.txt: used by all of them
"""
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "book")]
import make as book  # noqa: E402
import reference  # noqa: E402
import way  # noqa: E402

SITE = pathlib.Path("out/site")
LIVE = pathlib.Path("tests/book/live")
FINISHED = "train/page/finished.json"  # a run that ./gradus has made, as site.mjs checks
MOST_BYTES, MOST_ARRIVING = 4_000_000, 1_800_000


def read(path):
    return pathlib.Path(path).read_text(encoding="utf-8")


def write(name, text):
    (SITE / name).parent.mkdir(parents=True, exist_ok=True)
    (SITE / name).write_text(text, encoding="utf-8")


def shared(modules):
    """The engine in its worker, and what draws."""
    for module in map(pathlib.Path, modules):
        write("engine.js", "\n".join(read(file) for file in [module / "engine.js", "train/page/worker.js", LIVE / "worker.js"]))
        shutil.copy(module / "engine.wasm", SITE / "engine.wasm")
    shutil.copy("data/fables.txt", SITE / "fables.txt")
    write("live.js", "\n".join([read("train/report/chart.js"), read(LIVE / "live.js"),
                               "const engine = new Engine(new URL(document.currentScript.dataset.engine, location.href));\n"]))
    write("style.css", "".join(map(read, ["train/report/chart.css", "tests/book/page.css", LIVE / "live.css", HERE / "site.css"])))


def train():
    """The page that trains, with the shared engine, style and header."""
    made = read("train/page/page.html")
    for mark, file in {"CHART": "train/report/chart.js", "PAGE": "train/page/page.js", "FABLES": "data/fables.txt", "FINISHED": FINISHED}.items():
        made = made.replace(f"@{mark}@\n", read(file))
    made = made.replace("<style>\n@STYLE@\n", '<link rel="icon" href="data:,">\n<link rel="stylesheet" href="../style.css">\n<style>\n')
    made = made.replace("<body>", f"<body>\n{book.header('train/')}").replace("@REPOSITORY@", "@REPOSITORY@/blob/main")
    made = made.replace("@MODULE@\n", "").replace("@WORKER@\n", "").replace('id="module"', 'id="module" data-worker="../engine.js"')
    write("train/index.html", linked(made))


def linked(page):
    """Links to sources, or none where nobody said where they are."""
    repository = os.environ.get("REPOSITORY", "").rstrip("/")
    if repository:
        return page.replace("@REPOSITORY@", html.escape(repository))
    page = re.sub(r' \(<a href="@REPOSITORY@[^)]*\)', "", page)  # as make page
    return re.sub(r'<a href="@REPOSITORY@[^>]*>([^<]*)</a>', r"\1", page)


# --- arriving ---


def section(lines, heading):
    """The lines of README.md below a heading."""
    begin = lines.index(heading) + 1
    return begin, next((i for i in range(begin, len(lines)) if lines[i].startswith("## ")), len(lines))


def indented(lines, begin):
    """[begin, end) of the first block of code from a line on."""
    first = next(i for i in range(begin, len(lines)) if lines[i].startswith("    "))
    last = next(i for i in range(first, len(lines)) if lines[i].strip() and not lines[i].startswith("    "))
    while not lines[last - 1].strip():
        last -= 1
    return first, last


def program(lines):
    """README's first program and what it prints; a test holds it to both."""
    first, end = indented(lines, lines.index("    #include <iostream>") - 1)
    printed = indented(lines, lines.index("prints", end))
    said = html.escape("\n".join(line[4:] for line in lines[slice(*printed)]))
    return f"<pre><code>{book.colored('README.md', first, end)}</code></pre>\n<p>prints</p>\n<pre>{said}</pre>"


def milliseconds(text):
    number, unit = re.match(r"([\d.,]+) (ms|s)\b", text).groups()
    return float(number.replace(",", "")) * (1000 if unit == "s" else 1)


def speed(lines):
    """README's table of training steps as bars, and the versions that the text above it names."""
    begin = next(i for i, line in enumerate(lines) if re.match(r"\|.*\| gradus \| PyTorch", line))
    head = [cell.strip() for cell in lines[begin].strip("|").split("|")]
    above = " ".join(lines[max(0, begin - 8):begin])
    version = re.search(r"PyTorch\s+(\d+\.\d+)", above)
    measured = '<a href="@REPOSITORY@/blob/main/{0}">{0}</a>'
    rows, out = [], []
    for line in lines[begin + 2:]:
        if not line.startswith("|"):
            break
        rows.append(dict(zip(head, (cell.strip() for cell in line.strip("|").split("|")))))
    for row in rows:
        times = {"gradus": milliseconds(row["gradus"]), "PyTorch": milliseconds(row["PyTorch"])}
        bars = "".join(f'<div class="bar {name.lower()}"><span class="who">{name}</span><span class="track"><span style="width:{100 * time / max(times.values()):.1f}%"></span>'
                       f'</span><span class="time">{html.escape(row[name])}</span></div>' for name, time in times.items())
        what = re.sub(r"(\d+) x (\d+), (\d+), (\d+), \d+", r"\1 tokens x \2 sequences, \3 layers, \4 channels", html.escape(row[head[0]]))
        out.append(f"<li><p>{what}: <strong>{html.escape(row['ratio'])} times as fast</strong></p>{bars}</li>")
    return (f'<ul class="bars">{"".join(out)}</ul>\n<p class="note">One training step in float32; '
            f'PyTorch {version[1] if version else ""} at its best settings. The machine, and how it was measured: '
            f'{measured.format("README.md")}, {measured.format("tests/bench/README.md")}.</p>')


def arriving():
    lines = way.read_lines("README.md")
    install = html.escape("\n".join(line[4:] for line in lines[slice(*indented(lines, section(lines, "## Two commands")[0]))]))
    if os.environ.get("REPOSITORY"):
        install = install.replace("git clone URL", "git clone @REPOSITORY@")
    finished = json.loads(read(FINISHED))
    parts = {"PROGRAM": program(lines), "SPEED": speed(lines),
             "INSTALL": install, "WHERE": "" if os.environ.get("REPOSITORY") else ", where URL is the address of the repository",
             "SAMPLE": html.escape(finished["sample"].strip()), "STEPS": str(finished["run"]["steps"]),
             "FELL": "from {:.2f} to {:.2f}".format(*(finished["evaluations"][i]["val"] for i in (0, -1))),
             "FINISHED": book.as_json(finished)}
    scripts = f'<script src="live.js" data-engine="engine.js"></script>\n<script>\n{read(HERE / "arrive.js")}</script>'
    write("index.html", linked(book.page("gradus: an autograd engine to read, and a GPT that it trains", filled("arrive.html", parts), scripts, "")))


def filled(name, parts):
    made = read(HERE / name)
    for mark, text in parts.items():
        made = made.replace(f"@{mark}@", text.rstrip("\n"), 1)
    return made


def referring():
    contents, body, count, wrong = reference.page()
    scripts = f"<script>\n{read(HERE / 'reference.js')}</script>"
    write("reference/index.html", book.page("Reference · gradus", filled("reference.html", {"COUNT": str(count), "BODY": body}), scripts, "reference/", contents))
    return wrong


def main():
    SITE.mkdir(parents=True, exist_ok=True)
    shared(sys.argv[1:])
    train()
    arriving()
    wrong = referring()
    subprocess.run([sys.executable, "tests/book/make.py", "--pages"], check=True)
    size = {str(path.relative_to(SITE)): path.stat().st_size for path in sorted(SITE.rglob("*")) if path.is_file()}
    print("made out/site/: " + ", ".join(f"{name} {bytes_ / 1e3:.0f} KB" for name, bytes_ in size.items() if "book/" not in name))
    at_arriving = sum(size_ for name, size_ in size.items() if "/" not in name)
    print(f"{sum(size.values()) / 1e6:.2f} MB in all, {at_arriving / 1e6:.2f} MB to arrive and train; to look at it:\n"
          "    python3 -m http.server --directory out/site    # then http://localhost:8000")
    wrong += [f"out/site/ has more than {MOST_BYTES} bytes"] * (sum(size.values()) > MOST_BYTES) + \
            [f"arriving takes more than {MOST_ARRIVING} bytes"] * (at_arriving > MOST_ARRIVING)
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
