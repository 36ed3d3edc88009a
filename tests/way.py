#!/usr/bin/env python3
"""The book in numbers: `make way`. And what tests/book/make.py knows of C++ and of a chapter's lines.

Prints for each chapter of tests/book/ its lines of prose and of code, the minutes of reading it with a pencil, those of
its folds, and those of its exercises; with --check nothing, but exits with 1 if the whole, with its folds and without
the appendix, takes more than 9 hours to read (tests/book/make.py --check tells what the chapters name and is not there,
and which numbers the source has not).
"""
import pathlib
import re
import sys

CHAPTERS = pathlib.Path("tests/book")
WORDS_FIRST = CHAPTERS / "words_first.md"  # a page before the chapters
BY_HAND = "tests/book/by_hand/"
MOST_HOURS, MOST_PROSE, MOST_COLUMNS = 9, 200, 110  # of the book, of a chapter, of a line
# Reading with a pencil, as readers took it: words a minute, and a quarter more for looking back; minutes for a line of a
# listing, for a displayed formula, for a live figure.
WORDS_A_MINUTE, LOOKING_BACK, OF_LINE, OF_FORMULA, OF_LIVE = 215, 1.25, 0.2, 1, 4
# Minutes of each exercise, as readers took them.
MINUTES = {1: 10, 2: 30, 3: 30, 4: 30, 5: 45, 6: 70, 7: 45, 8: 30, 9: 15, 10: 45, 11: 30, 12: 35, 13: 110, 14: 25, 15: 15, 16: 20,
           17: 50, 18: 30, 19: 35, 20: 35}

# --- declarations of a C++ file, as clang-format lays them out ---

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![\w\'])\'(?:\\.|[^\'\\\n])+\'', re.S)
NAME = r"(?:\w+(?:<[^()<>]*>)?::)*(?:operator\s*(?:\(\)|\[\]|\"\"\s*\w+|[^\s\w(]+|[\w: ]+[*&]?)|~?\w+)"


def blanked(text):
    """The text with comments, strings and preprocessor lines as spaces, each character in its place."""
    text = TOKEN.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.M)


def closing(text, at):
    """The index of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if depth == 0:
            return i
    return len(text) - 1


def flat(text):
    """The text with spaces for what is inside brackets."""
    depth, out = 0, []
    for c in text:
        depth -= c in ")]}"
        out.append(" " if depth > 0 and c != "\n" else c)
        depth += c in "([{"
    return "".join(out)


def without_template(head):
    """A declaration's head without template <...>, requires, attributes and access specifiers."""
    head = re.sub(r"\[\[.*?\]\]|alignas\s*\([^)]*\)|__attribute__\s*\(\(.*?\)\)\)?", " ", head, flags=re.S)
    head = re.sub(r"^\s*(?:(?:public|private|protected)\s*:\s*)+", "", head)
    while found := re.match(r"\s*template\s*<", head):
        depth, i = 1, found.end()
        while depth and i < len(head):
            depth += (head[i] == "<") - (head[i] == ">" and head[i - 1] != "-")
            i += 1
        head = head[i:]
        head = re.sub(r"^\s*requires\s*(?:\(.*?\)\s*(?=\w)|[\w:]+(?:<[^;{]*?>)?\s*(?:(?:&&|\|\|)\s*[\w:]+<[^;{]*?>\s*)*)",
                      "", head, flags=re.S)
    return head.strip()


def names_of(head, ends_with_body):
    """(kind, names) of what a statement declares, "" if nothing."""
    head = without_template(head)
    if not head or re.match(r"(friend\s+(class|struct)|using\s+namespace|static_assert|return|extern\s+template)\b", head):
        return "", []
    if found := re.match(r"using\s+(\w+)\s*=", head):
        return "alias", [found[1]]
    if found := re.match(r"concept\s+(\w+)", head):
        return "alias", [found[1]]
    if re.match(r"using\b", head):
        return "", []
    if head.startswith("typedef"):
        found = re.findall(r"\w+", re.sub(r"__attribute__.*", "", head))
        return "alias", found[-1:]
    if found := re.match(r"enum\s+(?:class\s+|struct\s+)?(\w+)", head):
        return "enum", [found[1]]
    if (found := re.match(r"(?:friend\s+)?(?:class|struct|union)\s+([\w:]+)", head)) and "(" not in head:
        return ("class" if ends_with_body else "forward"), [found[1]]
    plain = re.sub(r"operator\s*\(\)", "operator@@", head)
    if found := re.match(r"[^()=]*\(\s*\*\s*(?:const\s+)?(\w+)\s*\)\s*\(", plain):
        return "variable", [found[1]]  # a pointer to a function
    plain = flat(re.sub(r"\bdecltype\s*\([^()]*\)|\bexplicit\s*\([^()]*\)", "auto", plain))
    call = re.search(r"(?<![\w:~])(" + NAME.replace(r"\(\)", "@@") + r")\s*\(", plain)
    equal = re.search(r"(?<![=!<>+*/&|^%-])=(?!=)", re.sub(r"operator\s*[^\s\w(]+", lambda m: "~" * len(m[0]), plain))
    if call and (not equal or call.start() < equal.start()):
        return "function", [re.sub(r"\s+", " ", call[1].replace("@@", "()"))]
    names, depth, start, value = [], 0, 0, False
    for i, c in enumerate(plain + ","):
        depth += (c in "([{" or c == "<" and not value) - (c in ")]}" or c == ">" and not value and plain[i - 1] != "-")
        value |= c == "=" and depth == 0
        if c == "," and depth == 0:
            names += re.findall(r"([\w:]+)\s*(?:\[[^\]]*\]\s*)*$", re.split(r"=|\{|(?<!:):(?!:)", plain[start:i])[0].rstrip())
            start, value = i + 1, False
    return ("variable", names) if names and re.search(r"\w[\s*&>]+[\w:]+", plain) else ("", [])


class Declaration:
    def __init__(self, name, kind, first, last, body):
        self.name, self.kind, self.first, self.last, self.body = name, kind, first, last, body  # lines from 0


def declarations(text):
    """Every declaration at the scope of a namespace, class or enumeration, outer ones first."""
    plain, found = blanked(text), []

    def line(at):
        return text.count("\n", 0, at)

    def scope(i, end, prefix, enumeration=False):
        while i < end:
            while i < end and (plain[i].isspace() or plain[i] in ";},"):
                i += 1
            specifier = re.compile(r"(public|private|protected)\s*:(?!:)").match(plain, i)
            if specifier:
                i = specifier.end()
                continue
            start = i
            if enumeration:
                word = re.compile(r"\w+").match(plain, i)
                if not word:
                    return
                while i < end and plain[i] != ",":
                    i = closing(plain, i) + 1 if plain[i] in "([{" else i + 1
                found.append(Declaration(prefix + word[0], "enumerator", line(start), line(i - 1), False))
                continue
            while i < end and plain[i] not in ";{":
                i = closing(plain, i) + 1 if plain[i] in "([" else i + 1
            if i >= end:
                return
            head = plain[start:i]
            if plain[i] == ";":
                kind, names = names_of(head, False)
                found.extend(Declaration(prefix + n, kind, line(start), line(i), kind in ("alias", "variable") and
                                         not re.match(r"\s*extern\b", head)) for n in names)
                i += 1
                continue
            close = closing(plain, i)
            space = re.match(r"\s*(?:inline\s+)?namespace\b\s*([\w:]*)", head)
            if space or re.match(r"\s*extern\s*$", head):
                inner = space[1] if space else ""
                scope(i + 1, close, prefix + (inner + "::" if inner else ""))
                i = close + 1
                continue
            kind, names = names_of(head, True)
            if kind in ("class", "enum"):
                stop = plain.find(";", close)
                found.append(Declaration(prefix + names[0], kind, line(start), line(stop), True))
                scope(i + 1, close, prefix + names[0] + "::", kind == "enum")
                i = stop + 1
                continue
            # A body, an initializer, or members initialized with braces before the body.
            while True:
                after = re.compile(r"\s*").match(plain, close + 1).end()
                if after < end and plain[after] == "{":
                    close = closing(plain, after)
                elif after < end and plain[after] in ",)" and kind == "function":
                    brace = plain.find("{", after)
                    close = closing(plain, brace)
                else:
                    break
            if kind == "variable" or kind == "":
                stop = plain.find(";", close)
                i = close = stop if stop >= 0 else close
                kind, names = names_of(plain[start:close], False)
            found.extend(Declaration(prefix + n, kind, line(start), line(close), True) for n in names)
            i = close + 1

    scope(0, len(plain), "")
    return found


def with_comment(lines, first):
    """The line at which the comment above a declaration begins."""
    while first > 0 and re.match(r"\s*//(?! ---)", lines[first - 1]):
        first -= 1
    return first


def extents(lines, name):
    """[begin, end) of every definition of a function, class or variable, with the comment above it; if there is none,
    of its declarations; and of a declaration that has the comment which its definitions lack."""
    matches = [d for d in declarations("\n".join(lines)) if ("::" + d.name).endswith("::" + name)]
    wanted = name.count("::")
    depth = min((d.name.count("::") for d in matches if d.kind != "forward"), default=wanted)
    chosen = [d for d in matches if d.body] or [d for d in matches if d.kind != "forward"]
    classes = [d.name for d in chosen if d.kind in ("class", "enum")]
    # Not a constructor of the class, nor a member, if something outside a class has the name.
    chosen = [d for d in chosen if not any(d.name.startswith(c + "::") for c in classes)]
    if any(d.name.count("::") == depth for d in chosen):
        outside = [d for d in chosen if d.name.count("::") == depth]
        chosen = outside if len({d.name for d in chosen}) > 1 and wanted == 0 else chosen
    spans = [(with_comment(lines, d.first), d.last + 1) for d in chosen]
    if chosen and not any(begin < d.first for (begin, _), d in zip(spans, chosen)):
        told = [d for d in matches if d.kind == "function" and not d.body and with_comment(lines, d.first) < d.first
                and d.name in {c.name for c in chosen}]
        spans += [(with_comment(lines, d.first), d.last + 1) for d in told]
    joined = []
    for begin, end in sorted(set(spans)):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((begin, end))
    return joined


def opening(lines):
    """The comment that a file opens with."""
    end = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
    return [(0, end)] if end else []


# --- a chapter ---


class Block:
    """Prose (`lines`), a listing (`file`, `spans`: (name, begin, end), which lines of it), an exercise, a figure."""

    def __init__(self, kind, line, **of_kind):
        self.kind, self.line, self.lines, self.spans = kind, line, [], []
        self.__dict__.update(of_kind)


def read_lines(file, cache={}):
    if file not in cache:
        cache[file] = pathlib.Path(file).read_text(encoding="utf-8").splitlines()
    return cache[file]


def part(lines, spans, words):
    """The part of the spans from the line with the first words to the next one with the last words, or a problem."""
    first, dots, last = (w.strip() for w in re.fullmatch(r"(.*?)(?:(?:^|(?<= ))(\.\.)(?= |$)(.*))?", words).groups(default=""))
    rows = [i for _, begin, end in spans for i in range(begin, end)]
    begin = next((n for n, i in enumerate(rows) if first in lines[i]), None)
    if begin is None:
        return f"no line with \"{first}\""
    end = len(rows) - 1 if dots and not last else begin
    if last:
        end = next((n for n in range(begin + 1, len(rows)) if last in lines[rows[n]]), None)
        if end is None:
            return f"no line with \"{last}\" after \"{first}\""
    return [(spans[0][0], rows[begin], rows[end] + 1)]


def listing(block, names, words):
    """Sets block.spans; returns problems."""
    if not pathlib.Path(block.file).is_file():
        return [f"there is no {block.file}"]
    lines, problems = read_lines(block.file), []
    block.names = [name.strip() for name in names.split(",")] if names else []
    for name in block.names:
        places = opening(lines) if name == "opening" else extents(lines, name)
        if not places:
            problems.append(f"{block.file}: no {name}")
        block.spans += [(name, *place) for place in places]
    if not block.names:
        block.spans = [("", 0, len(lines))]
    if words and block.spans:
        found = part(lines, block.spans, words)
        if isinstance(found, str):
            problems.append(f"{block.file}: {found}")
        else:
            block.spans = found
    return problems


def label(path):
    """"8" of 08_attention.md, "A" of A_adding_to_gradus.md."""
    return path.stem.split("_")[0].lstrip("0")


def folded(text):
    """The text in one line, without the marks of comments that go on."""
    return re.sub(r"\s+", " ", re.sub(r"\n\s*//", "\n", text))


WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()


def numbers_in(text):
    """{value: digits behind its point} of the numbers in a text: 1,024 and 1'024 are 1024, $10^{-5}$ is 1e-5, twelve is 12."""
    text = re.sub(r"(?:([\d.]+) *\\cdot *)?\b10\^\{?(-?\d+)\}?", lambda m: f"{m[1] or 1}e{m[2]}", text)
    found = {float(n): 0 for n, w in enumerate(WORDS) if re.search(rf"\b{w}\b", text.lower())}
    for n in re.findall(r"(?<![\w.])\d+(?:[',]\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?", text):
        found[float(re.sub("[',]", "", n))] = len(n.partition(".")[2]) if "e" not in n else 0
    return found


def says(paragraph, number):
    """Whether a paragraph has the number, or has it rounded to two digits or more behind the point."""
    return any(shown == number or digits >= 2 and abs(shown - number) <= 0.5000001 * 10 ** -digits for shown, digits in paragraph.items())


def quoted(source, paragraph):
    """What is wrong with <!-- from FILE: TEXT -->: FILE has TEXT, and the paragraph before it the numbers in TEXT."""
    file, text = re.fullmatch(r"<!-- from (\S+): (.*?) *-->", source).groups()
    if not pathlib.Path(file).is_file():
        return [f"there is no {file}"]
    there = numbers_in(paragraph)
    return ([] if folded(text) in folded("\n".join(read_lines(file))) else [f"{file} has no \"{text}\""]) + \
           [f"the paragraph before has no {n:g}, which {file} has" for n in sorted(numbers_in(text)) if not says(there, n)]


def links(path, text):
    """(line, words, file, part) of each link of a chapter; code is left out."""
    plain = re.sub(r"^```.*?^```|^    [^\n]*|`[^`\n]+`", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.M | re.S)
    for found in re.finditer(r"\[([^\]]*)\]\(([^)#\s]*)(?:#([^)\s]*))?\)", plain):
        yield plain.count("\n", 0, found.start()) + 1, folded(found[1]), found[2], found[3]


def chapter(path):
    """(blocks, problems) of a chapter's file."""
    blocks, problems, fence, formula, paragraph, ended = [], [], False, False, [], True
    text = path.read_text(encoding="utf-8")
    # A figure's caption may take several lines.
    text = re.sub(r"^\{(?:figure|live):[^}]*\}", lambda m: m[0].replace("\n", "\v"), text, flags=re.M)
    number = 0

    def problem(text):
        problems.append(f"{path}:{number}: {text}")

    folds = re.findall(r"^<(/?)details>", text, re.M)
    if folds != ["", "/"] * (len(folds) // 2):
        problem("a fold in a fold, or one that does not end")
    for line in text.rstrip("\n").split("\n"):
        number += 1 + line.count("\v")
        if any(len(part) > MOST_COLUMNS for part in line.split("\v")) and not line.startswith(("<!-- from", "|")):
            problem(f"a line of more than {MOST_COLUMNS} columns")
        if line.startswith("<!-- from ") and not fence:
            for wrong in quoted(line, "\n".join(paragraph)):
                problem(wrong)
            continue
        fence ^= line.startswith("```")
        formula ^= line.count("$$") % 2
        if not line.strip():
            ended = True
        else:
            paragraph = paragraph * (not ended) + [line]
            ended = False
        found = None if fence or formula else re.fullmatch(r"\{(.+)\}\s*", line, re.S)
        if not found:
            if re.match(r"\s+(\d\d+|[A-Za-z])\.(\s|$)", line) and not fence and not formula:
                problem(f"\"{line.split()[0]}\" at the beginning of a line would begin a list")
            if line.startswith("{") and not fence and not formula:
                problem(f"{line} does not end in }}")
            if not blocks or blocks[-1].kind != "prose":
                blocks.append(Block("prose", number))
            blocks[-1].lines.append(line)
            continue
        ended = True
        if exercise := re.fullmatch(r"exercise (\d+)", found[1]):
            files = list(pathlib.Path("tests/exercises").glob(f"{exercise[1]}_*.cpp"))
            blocks.append(Block("exercise", number, number=int(exercise[1]), file=str(files[0]) if files else ""))
            if not files:
                problem(f"no exercise {exercise[1]}")
        elif figure := re.fullmatch(r"figure: *([\w-]+)(?:\s*\|\s*(.*))?", found[1], re.S):
            blocks.append(Block("figure", number, name=figure[1], caption=re.sub(r"\s+", " ", figure[2] or ""),
                                file=str(CHAPTERS / "figures" / (figure[1] + ".svg"))))
            if not pathlib.Path(blocks[-1].file).is_file():
                problem(f"there is no {blocks[-1].file}")
            elif "<title>" not in pathlib.Path(blocks[-1].file).read_text(encoding="utf-8"):
                problem(f"{blocks[-1].file} has no <title>")
        elif live := re.fullmatch(r"live: *(\w+)\s*\|\s*(.*)", found[1], re.S):
            blocks.append(Block("live", number, name=live[1], caption=re.sub(r"\s+", " ", live[2]),
                                file=str(CHAPTERS / "live" / f"{path.stem[:2]}_{live[1]}.txt")))
            if not pathlib.Path(blocks[-1].file).is_file():
                problem(f"there is no {blocks[-1].file}")
        elif named := re.fullmatch(r"([\w./-]+?)(?:: *([^|]+?))?(?: *\| *(.*))?", found[1]):
            blocks.append(Block("listing", number, file=named[1], words=named[3], names=[]))
            for wrong in listing(blocks[-1], named[2], named[3]):
                problem(wrong)
        else:
            problem(f"what is {line.strip()}?")
    return blocks, problems


def slug(text):
    """"block-size" of "block size, context": what links to a word of words_first.md end in."""
    return re.sub(r"\W+", "-", re.sub(r"[*`]|,.*", "", text).strip().lower())


def words():
    """{slug: line} of words_first.md: a row of a table has the word, then what it is."""
    found = {}
    for line in read_lines(WORDS_FIRST):
        if (row := re.match(r"\| *([^|]+?) *\|", line)) and not re.match(r"\| *(-|word\b)", line):
            found[slug(row[1])] = line
    return found


def book():
    """[(path, blocks)] of the chapters, then the appendices, and all problems."""
    chapters, problems, seen, figures, shown = [], [], {}, {}, set()
    paths = sorted(CHAPTERS.glob("[0-9][0-9]_*.md")) + sorted(CHAPTERS.glob("[A-Z]_*.md"))
    for path in paths:
        blocks, found = chapter(path)
        chapters.append((path, blocks))
        prose = sum(counts(block)[1] for block in blocks if block.kind == "prose")
        problems += found + ([f"{path}: {prose} lines of prose, more than {MOST_PROSE}"] if prose > MOST_PROSE else [])
        n = 0
        for block in blocks:
            if block.kind == "exercise":
                if block.number in seen:
                    problems.append(f"{path}:{block.line}: exercise {block.number} is in {seen[block.number]} too")
                elif seen and block.number < max(seen):
                    problems.append(f"{path}:{block.line}: exercise {block.number} stands behind exercise {max(seen)}")
                seen[block.number] = path
            if block.kind == "listing" and block.file.startswith(BY_HAND):
                shown.add((pathlib.Path(block.file).stem, path.stem[:2]))
            if block.kind in ("figure", "live"):
                n += 1
                block.number = f"{label(path)}.{n}"
                if block.name in figures:
                    problems.append(f"{path}:{block.line}: figure {block.name} is Figure {figures[block.name].number} too")
                figures[block.name] = block
                shown.add(block.file)
    problems += [f"{CHAPTERS}: exercise {n} is in no chapter" for n in MINUTES if n not in seen]
    problems += [f"{CHAPTERS}: figure {name} has no caption" for name, block in figures.items() if not block.caption]
    problems += [f"{file}: chapter {file.stem[:2]} does not show it" for file in sorted(pathlib.Path(BY_HAND).glob("*.txt"))
                 if (file.stem, file.stem[:2]) not in shown]
    problems += [f"{file}: chapter {file.stem[:2]} does not show it" for file in sorted(CHAPTERS.glob("live/[0-9]*.txt")) if str(file) not in shown]
    numbered = [path for path in paths if label(path).isdigit()]
    problems += [f"{path}: no {heading}" for path in numbered[:-1] for heading in ("## Two minutes", "## Further reading")
                 if heading not in read_lines(path)]
    referred, linked = set(), set()
    problems += [f"{WORDS_FIRST}: a line of more than {MOST_COLUMNS} columns" for line in read_lines(WORDS_FIRST)
                 if len(line) > MOST_COLUMNS and not line.startswith("|")]
    for path in [WORDS_FIRST, *paths]:
        for line, said, file, place in links(path, path.read_text(encoding="utf-8")):
            def problem(text):
                problems.append(f"{path}:{line}: {text}")
            if file and not re.match(r"\w+:", file) and not (path.parent / file).exists():
                problem(f"no {file}")
            if (found := re.search(r"[Cc]hapter (\d+)", said)) and (path.parent / file) in paths and found[1] != label(path.parent / file):
                problem(f"{file} is not chapter {found[1]}")
            if file == WORDS_FIRST.name and place:
                linked.add(place)
                if place not in words():
                    problem(f"{file} has no {place}")
            if place and place.startswith("figure-"):
                referred.add(place[7:])
                if place[7:] not in figures:
                    problem(f"no {place}")
    problems += [f"{CHAPTERS}: no chapter refers to figure {name}" for name, block in figures.items() if block.kind == "figure" and name not in referred]
    problems += [f"{WORDS_FIRST}: no chapter links to {word}" for word in words() if word not in linked]
    return chapters, problems


def counts(block):
    """(code, prose, minutes) of a block; a listing's comments, what a program prints and figures' lines are prose."""
    if block.kind == "exercise":
        return 0, 0, MINUTES.get(block.number, 0)  # with the time of reading it
    taken = block.lines
    if block.kind == "listing" and block.spans:
        lines = read_lines(block.file)
        taken = [lines[i] for _, begin, end in block.spans for i in range(begin, end)]
    taken = [line.strip() for line in taken if line.strip()]
    is_code = block.kind == "listing" and block.file.endswith((".cpp", ".h", ".md"))
    code = sum(not line.startswith("//") for line in taken) if is_code else 0
    return code, len(taken) - code, 0


def words_in(text):
    return len(re.findall(r"\S*\w\S*", text))


def reading(blocks):
    """(minutes of reading a chapter without its folds, minutes of the folds); exercises are not read."""
    minutes, inside = [0, 0], 0
    for block in blocks:
        if block.kind == "prose":
            fence = False
            for line in block.lines:
                inside += line.startswith("<details>")
                if line.startswith("```"):
                    fence = not fence
                elif fence or line.startswith("    "):
                    minutes[inside] += OF_LINE * bool(line.strip())
                else:
                    minutes[inside] += words_in(line) / WORDS_A_MINUTE * LOOKING_BACK + line.count("$$") / 2 * OF_FORMULA
                inside -= line == "</details>"
        elif block.kind in ("figure", "live"):
            minutes[inside] += words_in(block.caption) / WORDS_A_MINUTE * LOOKING_BACK + OF_LIVE * (block.kind == "live")
        elif block.kind == "listing":
            lines = read_lines(block.file)
            for line in (lines[i].strip() for _, begin, end in block.spans for i in range(begin, end)):
                is_comment = line.startswith("//")
                minutes[inside] += words_in(line) / WORDS_A_MINUTE * LOOKING_BACK if is_comment else OF_LINE * bool(line)
    return tuple(minutes)


def minutes_of(path, folds=False):
    """Minutes of reading a chapter without its folds, or of its folds."""
    return round(reading(chapter(path)[0])[folds])


def is_counted(path):
    return label(path).isdigit()  # an appendix is a list to look up


def main():
    chapters, _ = book()
    hours = sum(sum(reading(blocks)) for path, blocks in chapters if is_counted(path)) / 60
    if "--check" in sys.argv:
        if hours > MOST_HOURS:
            print(f"{CHAPTERS}: {hours:.1f} hours of reading, more than {MOST_HOURS}")
        return hours > MOST_HOURS
    print(f"{'chapter':32}{'prose':>7}{'code':>7}{'reading':>10}{'folds':>10}{'exercises':>12}")
    total = [0, 0, 0, 0, 0]
    for path, blocks in chapters:
        code, prose, minutes = (sum(column) for column in zip((0, 0, 0), *(counts(block) for block in blocks)))
        text, folds = reading(blocks)
        if is_counted(path):
            total = [a + b for a, b in zip(total, (code, prose, text, folds, minutes))]
        print(f"{path.stem:32}{prose:7}{code:7}{text:6.0f} min{f'{folds:.0f} min' if folds else '':>10}{f'{minutes} min' if minutes else '':>12}")
    code, prose, text, folds, minutes = total
    print(f"{'without the appendix':32}{prose:7}{code:7}{text / 60:8.1f} h{folds / 60:8.1f} h{minutes / 60:10.1f} h")
    return 0


if __name__ == "__main__":
    sys.exit(main())
