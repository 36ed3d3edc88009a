#!/usr/bin/env python3
"""`make book`: out/book/index.html from the chapters of tests/book/, in one file that needs no network.

Every listing is taken from the source by file and name, and each name of ours in it shows its declaration when it is
pointed at. tests/book/README.md has the syntax of a chapter. With --check neither pandoc nor libclang is needed: what
the chapters name and is not there is printed, and the exit status is 1 (make lint). --names FILE writes what each name
was resolved to, a line each. --pages: the site's, out/site/book/, a page for each chapter, with live figures that move.
"""
import functools
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import way  # noqa: E402

# By the chapter that they begin with.
PARTS = {"1": "Part 1: from one number to an operation of your own", "8": "Part 2: from attention to a training step",
         "15": "Part 3: a run, from text to text", "A": "Appendix"}
MOST_BYTES, MOST_BYTES_OF_PAGE = 3_000_000, 150_000
MOST_LINES_IN_BOX = 16
MOST_INDENT_NARROW = 10
MOST_COLUMNS_PRINTED = 100  # longer lines of what a program prints are continued below

FRONT = """<header>
<h1>The book of gradus</h1>
<p>A reverse-mode autograd engine in C++20, told in order: from one number to a language model that learns,
is killed, and goes on. Every listing is the engine's own source.</p>
</header>
"""
BOX = '<div id="box" role="tooltip" hidden></div>\n'  # shows what a name is
# The site's pages, by their folders, and their names in its header.
SITE = {"": "gradus", "train/": "Train", "book/": "Book", "reference/": "Reference"}


def header(here):
    """The site's header, in a page of the folder `here`."""
    up, current, repository = "../" if here else "./", ' aria-current="page"', os.environ.get("REPOSITORY")
    links = [f'<a href="{up}{to}"{current if to == here else ""}>{name}</a>' for to, name in SITE.items()]
    links += [f'<a href="{html.escape(repository)}">Source</a>'] if repository else []
    return f'<nav class="site" aria-label="Site">{"".join(links)}</nav>'


def page(title, body, scripts, here=None, contents="", style=""):
    """A page of the site's folder `here`, or of the book in one file, with a style of its own."""
    if contents:
        contents = f'<nav id="contents" aria-label="Contents">\n<details open>\n<summary>Contents</summary>\n{contents}\n</details>\n</nav>'
    style = f"<style>\n{style}</style>" if style else f'<link rel="stylesheet" href="{"../" if here else ""}style.css">'
    made = source("page.html")
    for mark, text in {"TITLE": title, "STYLE": style, "HEADER": "" if here is None else header(here), "CONTENTS": contents, "BODY": body, "SCRIPTS": scripts}.items():
        made = made.replace(f"@{mark}@", text.rstrip("\n"), 1)
    return made


# --- C++ in colors ---

LEXER = re.compile(r"""(?P<c>//[^\n]*|/\*.*?\*/)|(?P<s>R"(?P<raw>\w*)\(.*?\)(?P=raw)"|"(?:\\.|[^"\\\n])*"|(?<![\w'])'(?:\\.|[^'\\\n])+')
|(?P<p>^[ \t]*\#[ \t]*\w+)|(?P<n>(?<![\w.])\.?\d(?:[\w.]|'(?=\w)|(?<=[eE])[-+])*)|(?P<w>[A-Za-z_]\w*)""", re.X | re.S | re.M)


def lexed(file, cache={}):
    """For each line of a file: [(column, end, class, text)]."""
    if file not in cache:
        lines = way.read_lines(file)
        pieces = [[] for _ in lines]
        if file.endswith((".h", ".cpp", ".md")):
            is_page = file.endswith(".md")  # with a program, indented by four
            text = "\n".join(" " * len(line) if is_page and not line.startswith("    ") else line for line in lines)
            starts = [0]
            for line in lines:
                starts.append(starts[-1] + len(line) + 1)
            row = 0
            for found in LEXER.finditer(text):
                at = found.start()
                while starts[row + 1] <= at:
                    row += 1
                for n, piece in enumerate(found.group().split("\n")):
                    column = at - starts[row] if n == 0 else 0
                    pieces[row + n].append((column, column + len(piece), found.lastgroup if found.lastgroup != "raw" else "s"))
        cache[file] = pieces
    return cache[file]


def colored(file, begin, end, link=lambda line, column, word: None):
    """Lines of a file as HTML without their common indent; link returns a name's opening tag. Each line is an element that
    knows how far its continuation is indented on a narrow screen, and the gap before a comment at its end is one, too."""
    lines = way.read_lines(file)
    indent = min((len(s) - len(s.lstrip()) for s in lines[begin:end] if s.strip()), default=0)
    out = []
    for i in range(begin, end):
        line, at, parts = lines[i], indent, []
        for column, stop, kind in lexed(file)[i]:
            if stop <= at:
                continue
            before = html.escape(line[at:column], quote=False)
            if kind == "c" and line[:column].strip():
                code = before.rstrip()
                before = f'{code}<span class="gap">{before[len(code):]}</span>'
            parts.append(before)
            word = html.escape(line[max(column, at):stop], quote=False)
            if kind == "w":
                import names
                tag = None if word in names.KEYWORDS else link(i, column, word)
                parts.append(f"<b>{word}</b>" if word in names.KEYWORDS else f"{tag}{word}</a>" if tag else word)
            else:
                parts.append(f'<span class="{kind}">{word}</span>')
            at = stop
        out.append(line_html("".join(parts) + html.escape(line[at:], quote=False), line[indent:]))
    return "".join(out)


def line_html(made, line):
    """A line of code: continued under its first word, behind the marks of a comment, or four columns further. What is
    indented far, under a bracket, is not on a narrow screen."""
    far = max(len(line) - len(line.lstrip()) - MOST_INDENT_NARROW, 0) if line.strip() else 0
    if far:
        made = f'<span class="far">{made[:far]}</span>{made[far:]}'
    hang = re.match(r"\s*(?://\s*|(?=.))", line).end() - far + (0 if line.lstrip().startswith("//") else 4) if line.strip() else 0
    return f'<span class="l" style="--i:{hang}">{made or "<br>"}</span>'


def lines_html(text):
    """Plain text, line by line."""
    return "".join(line_html(html.escape(line, quote=False), line) for line in text.split("\n"))


# --- what a name shows ---


class Names:
    """The declarations that the page's names lead to, each stored once."""

    def __init__(self, repository, targets, by_spelling, listings):
        self.by_spelling = by_spelling
        self.repository, self.targets, self.listings, self.keys, self.stored, self.log = repository, targets, listings, {}, [], []

    def declaration(self, d):
        """The lines [begin, end) that the box shows, and whether more follow."""
        lines = way.read_lines(d.file)
        begin = way.with_comment(lines, d.first)
        if begin == d.first and d.kind in ("function", "variable", "alias", "local"):
            # The comment of a group of declarations stands above its first.
            above = d.first
            while above > 0 and d.first - above < 6 and re.search(r";(\s*//.*)?$|^\s*//(?! ---)", lines[above - 1]):
                above -= 1
                if re.match(r"\s*//", lines[above]):
                    begin = way.with_comment(lines, above + 1)
                    break
        end = d.last + 1
        if d.kind == "function" and d.body and d.last - d.first > 3:  # the head is enough
            head = next((i for i in range(d.first, end) if re.search(r"\{\s*(//.*)?$", lines[i])), d.last)
            end = head + 1
        if d.kind in ("variable", "enumerator", "local", "function") and not d.body or d.kind in ("variable", "enumerator", "local"):
            while end < len(lines) and re.match(r"\s{30,}//", lines[end]):  # a comment at its right goes on
                end += 1
        shown = max(d.first + 2, begin + MOST_LINES_IN_BOX)
        return begin, min(end, shown), end > shown or end <= d.last

    def head_of_file(self, d):
        """What the file's opening comment says of a class that has no comment of its own: one paragraph."""
        name, lines = d.name.split("::")[-1], way.read_lines(d.file)
        for begin, end in way.opening(lines):
            first = next((i for i in range(begin, end) if lines[i].startswith(f"// {name}: ")), None)
            if first is not None:
                return first, next((i for i in range(first, end) if lines[i].strip() == "//"), end)
        return None

    def listing_of(self, d, chapter):
        """The listing that shows a definition (or declaration) from its first line; of the same chapter if there is one."""
        own = [n for n, item in enumerate(self.listings) for name, begin, end in item.spans
               if item.file == d.file and begin <= d.first < end]
        exact = [n for n in own if d.name.split("::")[-1] in [name.split("::")[-1] for name in self.listings[n].names]]
        best = exact or (own if d.kind != "function" or d.body else [])
        return min(best, key=lambda n: (self.listings[n].chapter != chapter, n), default=None)

    def key(self, d, chapter):
        """(index into the stored ones, the listing or None)."""
        definitions = self.repository.definitions(d)
        shown = next((n for n in (self.listing_of(b, chapter) for b in definitions or [d]) if n is not None), None)
        where = (d.file, d.first, d.name)
        if where not in self.keys:
            begin, end, more = self.declaration(d)
            text = colored(d.file, begin, end) + (line_html("…", "…") if more else "")
            if d.kind == "class" and begin == d.first and (head := self.head_of_file(d)):
                text = colored(d.file, *head) + text
            self.keys[where] = len(self.stored)
            self.stored.append([f"{d.file}: {d.first + 1}", text, []])
        stored = self.stored[self.keys[where]]
        if shown is None and not stored[2]:
            stored[2] = [[f"{b.file}: {b.first + 1}", colored(b.file, way.with_comment(way.read_lines(b.file), b.first), b.last + 1)]
                         for b in definitions[:4] or [d]]
        return self.keys[where], shown

    def linker(self, item):
        def link(line, column, word):
            d = self.targets.get((item.file, line, column))
            if d is None or d.file == item.file and d.first <= line <= d.first + 1 and d.kind != "class" and \
                    way.with_comment(way.read_lines(d.file), d.first) < d.first:
                return None  # declared right here, with its comment
            index, shown = self.key(d, item.chapter)
            means = " (by spelling)" if (item.file, line, column) in self.by_spelling else ""
            self.log.append(f"{item.file}:{line + 1}:{column + 1} {word} -> {d.file}:{d.first + 1} {d.name}{means}"
                            + (f" [listing {shown}]" if shown is not None else ""))
            to = f' href="#l{shown}"' if shown is not None else ""
            return f'<a class="n"{to} data-k="{index}">'
        return link


# --- the index of ideas ---


def ideas(chapters):
    """[(term, [(number in chapters, words)])] of ideas.txt, and what is wrong with them."""
    topics = {path.stem.partition("_")[2]: n for n, (path, _) in enumerate(chapters)}
    prose = [plain("\n".join(line for block in blocks for line in (block.lines if block.kind == "prose" else
                                                                  [block.caption] if block.kind in ("figure", "live") else [])))
             for _, blocks in chapters]
    found, problems = [], []
    for row, line in enumerate((HERE / "ideas.txt").read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#"):
            continue
        term, _, places = line.partition(": ")
        found.append((term, []))
        for topic, words in re.findall(r'(\w+)(?: "([^"]+)")?(?:, |$)', places):
            words = words or term
            if topic not in topics:
                problems.append(f"tests/book/ideas.txt:{row}: no chapter {topic}")
            elif plain(words) not in prose[topics[topic]]:
                problems.append(f'tests/book/ideas.txt:{row}: chapter {topic} has no "{words}"')
            else:
                found[-1][1].append((topics[topic], words))
    return sorted(found, key=lambda idea: idea[0].lower()), problems


def unmarked(markdown):
    """Words without marks, as the page shows them, in one line."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
    return re.sub(r"\s+", " ", re.sub(r"[*`$]", "", text))


def plain(markdown):
    return unmarked(markdown).lower().replace("’", "'")


def anchored(made, wanted):
    """(the chapter with an id at each paragraph that has wanted words, {words: id}); wanted are words and new ids."""
    shown, at = [], []  # the text, and where each of its characters is in made
    for piece in re.finditer(r"<annotation.*?</annotation>|<[^>]*>|&\w+;|&#\d+;|\s+|.", made, re.S):
        text = "" if piece[0].startswith("<") else " " if piece[0].isspace() else html.unescape(piece[0])
        if text and not (text == " " and shown[-1:] == [" "]):
            shown.append(text.lower().replace("’", "'"))
            at += [piece.start()] * len(text)
    text, paragraphs, ids, new = "".join(shown), list(re.finditer(r"<(?:p|li|h4|td|th)\b([^>]*)>(?!PIECE|CAPTION)", made)), {}, {}
    for words, anchor in wanted:
        start = text.find(plain(words))
        before = [m for m in paragraphs if m.start() <= at[start]] if start >= 0 else []
        if before:
            there = re.search(r'\bid="([^"]+)"', before[-1][1])
            ids[words] = there[1] if there else new.setdefault(before[-1].end() - 1, anchor)
    for place in sorted(new, reverse=True):
        made = f'{made[:place]} id="{new[place]}"{made[place:]}'
    return made, ids


# --- the parts of a chapter ---


def figure_html(block, caption):
    svg = pathlib.Path(block.file).read_text(encoding="utf-8")
    svg = re.sub(r"<\?xml.*?\?>|<!--.*?-->| role=\"img\"", "", svg, flags=re.S).strip()
    width, anchor = re.search(r'viewBox="[-\d.]+ [-\d.]+ ([\d.]+)', svg), f"figure-{block.name}"
    svg = re.sub(r"\b(id=\"|url\(#|href=\"#)([\w-]+)", rf"\1{anchor}-\2", svg)
    svg = svg.replace("<title>", f'<title id="{anchor}-title">', 1)
    style = f' style="max-width:{float(width[1]) * 1.15:.0f}px"' if width else ""
    drawn = svg.replace("<svg", f'<svg role="img" aria-labelledby="{anchor}-title"{style}', 1)
    return f'<figure class="drawing" id="{anchor}">{drawn}<figcaption><b>Figure {block.number}</b> {caption}</figcaption></figure>'


def live_html(block, caption):
    """What the engine says of the printed choices; in the site a script puts the moving figure in its place."""
    still = printed_html("\n".join(way.read_lines(block.file)))
    return (f'<figure class="printed live" id="figure-{block.name}" data-live="{pathlib.Path(block.file).stem}">{still}'
            f'<figcaption><b>Figure {block.number}</b> {caption}</figcaption></figure>')


def comment_html(lines):
    """A comment of plain text as paragraphs; what is indented stays as it is."""
    out, group, code = [], [], False

    def close():
        while group and not group[-1].strip():
            group.pop()
        if group:
            text = textwrap.dedent("\n".join(group))
            out.append(f"<pre>{lines_html(text)}</pre>" if code else
                       "<p>" + re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False)) + "</p>")
        group.clear()

    for line in lines:
        line = re.sub(r"^// ?", "", line)
        indented = line.startswith("  ")
        if not line.strip() and not code or line.strip() and indented != code:
            close()
            code = indented
        if line.strip() or code:
            group.append(line)
    close()
    return "\n".join(out)


def exercise_html(block):
    lines = way.read_lines(block.file)
    (begin, end), = way.opening(lines)
    title = re.match(r"// (?:Exercise \d+: )?(.*?)\.?$", lines[begin])[1]
    return (f'<section class="exercise" id="exercise-{block.number}" aria-label="Exercise {block.number}"><p class="title"><strong>Exercise {block.number}: {html.escape(title)}</strong> '
            f'<span>(about {way.MINUTES[block.number]} minutes)</span></p>\n{comment_html(lines[begin + 1:end])}\n'
            f"<pre>make exercise N={block.number}</pre></section>")


def caption(item):
    ranges = [f"{begin + 1}" + (f"–{end}" if end > begin + 1 else "") for _, begin, end in item.spans]
    if item.file.startswith("tests/book/by_hand/"):
        return f"<code>{item.file}</code>, computed by the engine"
    if item.file.endswith(".txt"):
        return f"<code>{item.file}</code>, what the program prints"
    plural = "s" if len(ranges) > 1 or "–" in ranges[0] else ""
    return f"<code>{item.file}</code>, line{plural} {', '.join(ranges)}"


def printed_html(text):
    """What a program prints: tables and pictures are made to fit a narrow screen, and sentences are continued below."""
    lines = text.split("\n")
    if max(map(len, lines)) > MOST_COLUMNS_PRINTED:
        return f'<pre class="wrapped">{lines_html(text)}</pre>'
    sentences = [len(re.findall(r"[A-Za-z]{2,}", line)) > 4 and "   " not in line.strip() for line in lines]
    columns = max((len(line) for line, is_sentence in zip(lines, sentences) if not is_sentence), default=40)
    made = [line_html(html.escape(line, quote=False), line) for line in lines]
    return f'<pre style="--w:{columns}">' + "".join(
        line.replace('class="l"', 'class="l words"', 1) if is_sentence else line for line, is_sentence in zip(made, sentences)) + "</pre>"


def listing_html(item, n, names):
    if item.file.endswith(".txt"):
        inside = [textwrap.dedent("\n".join(way.read_lines(item.file)[b:e])) for _, b, e in item.spans]
        return f'<figure class="printed" id="l{n}"><figcaption>{caption(item)}</figcaption>{"".join(map(printed_html, inside))}</figure>'
    link = names.linker(item)
    inside = "".join(f"<pre>{colored(item.file, b, e, link)}</pre>" for _, b, e in item.spans)
    return f'<figure class="listing" id="l{n}"><figcaption>{caption(item)}</figcaption>{inside}</figure>'


def words_in_formula(found):
    """A word in a formula, such as loss, is one name and no product of letters."""
    text = found[0]
    tex = re.search(r"<annotation[^>]*>(.*?)</annotation>", text, re.S)
    for word in sorted(set(re.findall(r"(?<![\\A-Za-z])[A-Za-z]{3,}", tex[1] if tex else "")), key=lambda w: (-len(w), w)):
        text = text.replace("".join(f"<mi>{c}</mi>" for c in word), f'<mi class="word">{word}</mi>')
    text = re.sub(r' display="inline"| xmlns="[^"]*"', "", text)
    return re.sub(r"<mi>([A-Za-z])</mi>", r'<mi class="word">\1</mi>', text)


def formulas_in_flow(text):
    """Formulas of one line with \\qquad between them become a paragraph, which puts them below each other on a narrow screen."""
    def flow(found):
        parts = [part.strip() for part in re.split(r"\\qquad", found[1])]
        return found[0] if len(parts) == 1 or "\\begin" in found[1] else "\n\nFORMULAS " + " ".join(f"${part}$" for part in parts) + "\n\n"
    return re.sub(r"^\$\$((?:(?!\$\$).)+)\$\$$", flow, text, flags=re.M | re.S)


def pandoc(text, prefix):
    done = subprocess.run(["pandoc", "--from", "markdown-implicit_figures-raw_html", "--to", "html5", "--mathml", "--wrap=preserve",
                           "--no-highlight", "--shift-heading-level-by=2", f"--id-prefix={prefix}-"], input=text, capture_output=True, text=True, check=False)
    if done.returncode or done.stderr:
        print(done.stderr, file=sys.stderr, end="")
    return done.stdout


def with_places(blocks, names):
    """A chapter's text, with a place for each block that is no prose, and what stands in it: functions of a caption."""
    text, pieces = [], []

    def place(piece, caption=""):
        text.extend(["", f"PIECE{len(pieces)}X", "", *([f"CAPTION {caption}", ""] if caption else [])])
        pieces.append(piece if callable(piece) else lambda _: piece)

    for block in blocks:
        if block.kind == "prose":
            for line in block.lines:
                if re.fullmatch(r"<details><summary>[^<]*</summary>|</details>", line):
                    place(line)
                else:
                    text.append(line)
        elif block.kind == "exercise":
            place(exercise_html(block))
        elif block.kind == "live":
            place(functools.partial(live_html, block), block.caption)
        elif block.kind == "figure":
            place(functools.partial(figure_html, block), block.caption)
        else:
            place(listing_html(block, block.index, names) if block.spans else "")
    return "\n".join(text), pieces


class Book:
    """The chapters as HTML, which refer to each other, to figures, listings by name, words, and the paragraphs of ideas."""

    def __init__(self, chapters, listings, names):
        self.chapters, self.names = chapters, names
        self.labels = {path.stem: way.label(path) for path, _ in chapters}
        self.ids = {stem: "words" if label == "words" else f"chapter-{label}" for stem, label in self.labels.items()}
        self.figures = {block.name: block.number for _, blocks in chapters for block in blocks if block.kind in ("figure", "live")}
        self.words = way.words()
        self.terms, self.anchors = ideas(chapters)[0], {}
        self.by_name = {}  # listings, for code in the prose
        for item in listings:
            for name in item.names:
                if name != "opening":
                    self.by_name.setdefault(name, []).append(item)
        self.made = [self.chapter(n) for n in range(len(chapters))]

    def chapter(self, n):
        """(label, title, id, HTML) of a chapter."""
        path, blocks = self.chapters[n]
        label, anchor = self.labels[path.stem], self.ids[path.stem]
        text, pieces = with_places(blocks, self.names)
        made = pandoc(formulas_in_flow(text), f"c{label}").replace("<p>FORMULAS", '<p class="formulas">')
        here = [(term, place) for term, places in self.terms for place in places if place[0] == n]
        made, found = anchored(made, [(words, f"i{label}-{i}") for i, (_, (_, words)) in enumerate(here)])
        self.anchors.update((idea, found.get(idea[1][1], anchor)) for idea in here)
        made = re.sub(r"<p>PIECE(\d+)X</p>(?:\s*<p>CAPTION ?(.*?)</p>)?", lambda m: pieces[int(m[1])](m[2]), made, flags=re.S)
        made = re.sub(r"<math.*?</math>", words_in_formula, made, flags=re.S)
        title = re.search(r"<h3[^>]*>(.*?)</h3>", made, re.S)
        number = "" if label == "words" else f'<span class="number">{label if label.isdigit() else f"Appendix {label}"}</span> '
        made = made.replace(title[0], f"<h3>{number}{title[1]}</h3>", 1)
        if label == "words":
            made = re.sub(r"<tr[^>]*>\s*<td(?=[^>]*>(.*?)</td>)", lambda m: f'{m[0]} id="word-{way.slug(bare(m[1]))}"', made)
        made = self.with_references(made)
        # Not in a link, a heading or a listing: those have no bare <code> of a whole name.
        made = re.sub(r"(?<!<figcaption>)<code>([^<]+)</code>(?!</a>)", lambda m: self.code(m, n), made)
        made = made.replace("<th></th>", "<td></td>")
        made = re.sub(r"<colgroup>.*?</colgroup>|(?<=<table) style=\"[^\"]*\"", "", made, flags=re.S)
        made = re.sub(r"<blockquote>\s*<p><strong>Why not", '<blockquote class="rejected"><p><strong>Why not', made)
        return label, re.sub(r"<[^>]+>", "", title[1]), anchor, made

    def with_references(self, made):
        return re.sub(r'<a\s+href="([^"]*)"[^>]*>(.*?)</a>', self.reference, made, flags=re.S)

    def reference(self, found):
        """A link to a chapter or a figure of the page; others keep their words, or lead elsewhere."""
        target, words = found[1], found[2]
        if (figure := re.search(r"#(?:c\w+-)?figure-([\w-]+)$", target)) and figure[1] in self.figures:
            return f'<a href="#figure-{figure[1]}">Figure {self.figures[figure[1]]}</a>'
        file = re.fullmatch(r"(\w+)\.md(?:#(.*))?", target)
        if file and file[1] == way.WORDS_FIRST.stem and file[2] in self.words:
            return f'<a class="word" href="#word-{file[2]}" title="{html.escape(unmarked(self.words[file[2]].split(" | ")[1].rstrip(" |")))}">{words}</a>'
        if file and file[1] in self.ids:
            return f'<a href="#{f"c{self.labels[file[1]]}-{file[2]}" if file[2] else self.ids[file[1]]}">{words}</a>'
        return found[0] if re.match(r"https?:|#", target) else words

    def code(self, found, n):
        """A name in the prose of chapter n leads to its listing."""
        name = html.unescape(found[1]).removesuffix("()").removeprefix("engine::").removeprefix("kernels::")
        items = self.by_name.get(name, [])
        here = [item for item in items if item.chapter == n] or (items if len({item.file for item in items}) == 1 else [])
        return f'<a class="code" href="#l{here[0].index}">{found[0]}</a>' if here else found[0]

    def contents(self, here=None):
        """The chapters; with here, a chapter's number in them, its sections, too. They are folded where the screen is small,
        before it is drawn: what follows stays in its place."""
        fold = "<script>document.currentScript.parentElement.open = matchMedia('(min-width: 68rem)').matches</script>"
        out = [fold, "<ol>"]
        for n, (label, title, anchor, text) in enumerate(self.made):
            if label in PARTS:
                out.append(f'</ol><p><a href="#part-{label}">{PARTS[label]}</a></p><ol type="{"1" if label.isdigit() else "A"}">')
            inside = "".join(f'<li><a href="#{at}">{words}</a></li>' for at, words in SECTION.findall(text)) if n == here else ""
            value = f' value="{label if label.isdigit() else ord(label) - ord("A") + 1}"' if label != "words" else ' class="plain"'
            out.append(f'<li{value}><a href="#{anchor}">{title} <span>{way.minutes_of(self.chapters[n][0])} min</span></a>{inside and f"<ul>{inside}</ul>"}</li>')
        return "\n".join([*out, '</ol><p><a href="#ideas">Index of ideas</a></p>'])

    def name(self, n):
        label, title, *_ = self.made[n]
        return title if label == "words" else f"{label} {title}"

    def article(self, n, more=""):
        """A chapter with the heading of the part that it begins; at its end what is before and after it, more between these."""
        label, title, anchor, text = self.made[n]
        kind = title if label == "words" else f"Chapter {label}" if label.isdigit() else f"Appendix {label}"
        part = f'<h2 id="part-{label}">{PARTS[label]}</h2>\n' if label in PARTS else ""

        def near(i, rel, arrows):
            return f'<a href="#{self.made[i][2]}" rel="{rel}">{arrows.format(self.name(i))}</a>' if 0 <= i < len(self.made) else ""

        return f'{part}<article id="{anchor}" aria-label="{kind}">\n{text}\n' \
               f'<nav class="near" aria-label="After {kind[0].lower()}{kind[1:]}">{near(n - 1, "prev", "← {}")} {more} {near(n + 1, "next", "{} →")}</nav></article>'

    def index(self):
        listed = []
        for term, places in self.terms:
            to = [f'<a href="#{self.anchors[term, place]}">{self.labels[self.chapters[place[0]][0].stem]}</a>' for place in places]
            listed.append(f"<li>{html.escape(term)} {', '.join(to)}</li>")
        return f'<section id="ideas" aria-label="Index of ideas"><h2>Index of ideas</h2>\n<p class="hint">The numbers are those of chapters; ' \
               f'each leads to the paragraph.</p><ul>{chr(10).join(listed)}</ul></section>'

    def front(self):
        return f'{FRONT}<section id="how" aria-label="How to read this">\n{self.with_references(how_to_read(self.chapters))}\n</section>'

    def one_file(self):
        body = "\n".join([self.front(), *(self.article(n) for n in range(len(self.made))), self.index()])
        scripts = f'{BOX}<script type="application/json" id="names">{as_json(self.names.stored)}</script>\n<script>\n{source("page.js")}</script>'
        return page("The book of gradus", body, scripts, contents=self.contents(), style=source("../../train/report/chart.css") + source("page.css"))

    def pages(self):
        """{file: its text} of the site's book: a page for each chapter, its style and scripts, and what is searched."""
        files = ["index.html", *(f"{path.stem if label == 'words' else path.stem.partition('_')[2]}.html"
                                 for (path, _), (label, *_) in zip(self.chapters, self.made))]
        bodies = [self.front() + self.index(), *(self.article(n, '<a href="./">Contents</a>') for n in range(len(self.made)))]
        ids = {file: re.findall(r'\sid="([^"]+)"', body) for file, body in zip(files, bodies)}
        page_of = {i: file for file, of_file in ids.items() for i in of_file}

        def where(at, here=""):
            there = page_of.get(at, here)
            return f"#{at}" if there == here else there if at in self.ids.values() else f"{there}#{at}"

        def across(text, here):
            """Links to what is on another page lead there."""
            return re.sub(r'\bhref="#([^"]+)"', lambda m: f'href="{where(m[1], here)}"', text)

        out = {name.split("/")[-1]: source(name) for name in ("page.js", "../site/search.js")}
        for n, (file, body) in enumerate(zip(files, bodies), -1):
            title = f"{self.made[n][1]} · gradus" if n >= 0 else "The book of gradus"
            scripts = BOX + '<script src="page.js"></script>\n<script type="module" src="search.js"></script>'
            if n < 0:
                scripts = f'<script type="application/json" id="places">{as_json(ids)}</script>\n' + scripts
            else:  # a chapter's headings begin with its title
                body = re.sub(r"<h2( id=.*?)</h2>", r'<p class="part"\1</p>', body)
                body = re.sub(r"(</?h)([3-6])", lambda m: m[1] + str(int(m[2]) - 2), body)
            if figures := re.findall(r'data-live="(\w+)"', body):
                scripts += '\n<script src="../live.js" data-engine="../engine.js"></script>\n<script>\n' + \
                           "".join(source(f"live/{name}.js") for name in figures) + "startFigures(engine);\n</script>"
            out[file] = page(title, across(body, file), scripts, "book/", across(self.contents(n), file))
        return out | {"search.json": as_json([[where(at), *words] for at, *words in self.sections()]), "names.json": as_json(self.names.stored)}

    def sections(self):
        """(id, chapter, heading, text) of each section and each idea."""
        for n, (_, _, anchor, text) in enumerate(self.made):
            for piece in re.split(r"(?=<h4 )", text):
                head = SECTION.match(piece)
                yield head[1] if head else anchor, self.name(n), bare(head[2]) if head else "", bare(piece[head.end():] if head else piece.partition("</h3>")[2])
        for term, places in self.terms:
            for place in places:
                yield self.anchors[term, place], self.name(place[0]), term, ""


SECTION = re.compile(r'<h4 id="([^"]+)">(.*?)</h4>', re.S)


def bare(made):
    """The text of HTML, in one line; tags inside of a line leave no gap."""
    made = re.sub(r'<annotation.*?</annotation>|</?(?:a|b|code|em|m\w+|semantics|span(?! class="l")|strong)\b[^>]*>', "", made, flags=re.S)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", made))).strip()


def as_json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def source(name):
    return (HERE / name).read_text(encoding="utf-8")


def book(chapters):
    """(Book, what names were found by, names that were not, listings)"""
    import names as resolver
    listings, ranges = [], {}
    for n, (_, blocks) in enumerate(chapters):
        for block in blocks:
            block.chapter = n
            if block.kind == "listing" and block.spans:
                block.index = len(listings)
                listings.append(block)
                if block.file.endswith((".h", ".cpp")):
                    ranges.setdefault(block.file, []).extend((b, e) for _, b, e in block.spans)
    repository = resolver.Repository()
    targets, by_spelling, counts, problems = resolver.resolve(repository, ranges)
    return Book(chapters, listings, Names(repository, targets, by_spelling, listings)), counts, problems, listings


def how_to_read(chapters):
    """how_to_read.md, with the minutes of its ways."""
    def minutes(found):
        chosen = [path for path, _ in chapters if (way.is_counted(path) if found[1] == "*" else way.label(path) in found[1].split())]
        return hours(sum(way.minutes_of(path) for path in chosen))

    text = (HERE / "how_to_read.md").read_text(encoding="utf-8")
    text = re.sub(r"@minutes\(([^)]*)\)@", minutes, text).replace("@exercises@", hours(sum(way.MINUTES.values())))
    return pandoc(text, "how").replace("<colgroup>", "<colgroup hidden>").replace("h3", "h2")


def hours(minutes):
    return f"{minutes / 60:.0f} hours" if minutes >= 90 else f"{minutes} minutes"


def main():
    chapters, problems = way.book()
    problems += ideas(chapters)[1]
    if "--check" in sys.argv:
        print("\n".join(problems), end="\n" if problems else "")
        return bool(problems)
    made, counts, unresolved, listings = book([(way.WORDS_FIRST, way.chapter(way.WORDS_FIRST)[0]), *chapters])
    if "--names" in sys.argv:
        pathlib.Path(sys.argv[sys.argv.index("--names") + 1]).write_text("\n".join(made.names.log + unresolved) + "\n", encoding="utf-8")
    in_pages = "--pages" in sys.argv
    to, files = (pathlib.Path("out/site/book"), made.pages()) if in_pages else (pathlib.Path("out/book"), {"index.html": made.one_file()})
    to.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        new = to / f"{name}.new"
        new.write_text(text, encoding="utf-8")
        new.replace(to / name)
    sizes = {name: len(text.encode()) for name, text in files.items()}
    print(f"made {to}/index.html: {len(chapters)} chapters, {len(listings)} listings, {len(made.names.log)} names that show one of "
          f"{len(made.names.stored)} declarations, {sum(sizes.values()) / 1e6:.2f} MB: open it in a browser")
    print(f"  resolved: {counts['libclang']} by libclang, {counts['spelling']} by spelling; {counts['left']} not (names of templates' parameters)")
    most = MOST_BYTES_OF_PAGE if in_pages else MOST_BYTES
    problems += [f"{to}/{name} has {size} bytes, more than {most}" for name, size in sizes.items() if size > most and name.endswith(".html")]
    print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
