"""The site's reference: what the headers of engine, nn and the model file declare for those who use the library, each
with its comment; with an op's formula and derivative, which stand above its definition; and the errors that the
definition throws itself."""
import collections
import html
import pathlib
import re

import make as book
import names
import way

HEADERS = {"The engine": ["engine/tensor.h", "engine/ops.h", "engine/attention.h", "engine/tape.h", "engine/print.h", "engine/gradient_check.h",
                          "engine/random/generator.h", "engine/base/shape.h", "engine/base/check.h", "engine/base/real.h", "engine/op.h"],
           "Layers and optimizers": ["nn/module.h", "nn/layers.h", "nn/attention.h", "nn/optimizer.h", "nn/sgd.h", "nn/adamw.h", "nn/muon.h"],
           "The model file": ["model/model_file.h", "model/module_file.h"]}
OPS = ("engine/ops.h", "engine/attention.h")
INTERNAL = re.compile(r"(^|::)(detail|kernels)::|::operator=$|::link")


def end_of_public(lines, d):
    """The line at which a class's private or protected part begins, to its end; or the class's last."""
    indent = len(lines[d.first]) - len(lines[d.first].lstrip())
    return next((i for i in range(d.first, d.last) if re.match(rf"\s{{{indent},{indent + 1}}}(private|protected):", lines[i])), d.last)


def end_of_head(lines, d):
    """Of a function with a body, the line behind its head; of others the line behind the last."""
    if d.kind != "function" or not d.body or d.first == d.last:
        return d.last + 1
    return next((i for i in range(d.first, d.last + 1) if re.search(r"\{\s*(//.*)?$", lines[i])), d.last) + 1


class Entry:
    """What is declared under one name in a header: overloads together."""

    def __init__(self, file, d):
        self.file, self.name, self.declared = file, d.name, [d]

    def code(self):
        """Each declaration below its comment."""
        lines, at = way.read_lines(self.file), -1
        shared, out = self.shared_comment(lines), []
        for d in self.declared:
            begin = max(at, way.with_comment(lines, d.first))
            end = end_of_public(lines, d) if d.kind == "class" else end_of_head(lines, d)
            first = next((i for i in range(begin, end) if not lines[i].lstrip().startswith("//")), end)
            out += [prose(lines[slice(*span)]) for span in (shared or (0, 0), (begin, first))]
            shared = None
            if end > first:
                code = book.colored(self.file, first, end) + (book.line_html("};", "};") if d.kind == "class" and end <= d.last else "")
                out.append(f"<pre>{code}</pre>")
            at = end
        return "".join(out).replace("</pre><pre>", "")

    def shared_comment(self, lines):
        """[begin, end) of a group's comment, above the group's first function, if there is none above this one."""
        first = self.declared[0].first
        above = first
        while self.declared[0].kind == "function" and re.search(r"\);(\s*//.*)?$", lines[above - 1]):
            above -= 1
        begin = way.with_comment(lines, above)
        return (begin, above) if begin < above < first else None

    def definitions(self, repository):
        return [b for d in self.declared if d.kind == "function" for b in repository.definitions(d) if b.body and b.file.endswith(".cpp")]


def formula(text):
    """A formula's letters, indices and powers, of escaped HTML."""
    text = re.sub(r"\bsum(?=_|\b)", "∑", text)
    text = re.sub(r"(?<=[\w∑])_(\d|[a-z]{1,2}\b)", r"<sub>\1</sub>", text)
    text = re.sub(r"\^(-?\w\b)", r"<sup>\1</sup>", text).replace(" - ", " − ")
    return re.sub(r"(?<![\w&<=\"/-])(d?[A-Za-z])(?=\b|<su)(?![=\";>-])", r"<i>\1</i>", text)


def prose(lines):
    """A comment as prose; its formulas, which are indented or are lines that end like no sentence, as formulas."""
    text = [re.sub(r"^\s*// ?", "", line) for line in lines]
    for i, line in enumerate(text):
        if re.match(r"\w+ = .*(?<![.,:;])(?<! is)$", line) and not re.match(r"\s*[a-z(]", "".join(text[i + 1:i + 2])):
            text[i] = f"    {line}"
    made = book.comment_html([f"// {line}" for line in text]).replace("-&gt;", "→")
    made = re.sub(r"\b(d?[A-Za-z])_([a-z]{1,2}|\d)\b(?![^<]*</pre>)", r"<i>\1</i><sub>\2</sub>", made)
    made = re.sub(r"\bsum_([a-z])\b(?![^<]*</pre>)", r"∑<sub>\1</sub>", made)
    made = re.sub(r"\b([A-Za-z])\^([\dT])\b(?![^<]*</pre>)", r"<i>\1</i><sup>\2</sup>", made)
    return re.sub(r"<pre>(.*?)</pre>", lambda m: f'<pre class="formula">{formula(m[1])}</pre>', made, flags=re.S)


def formulas(bodies, name):
    """The comments above definitions, and that of a file of the name: formula, derivative, what is saved."""
    seen = []
    for b in bodies:
        lines = way.read_lines(b.file)
        own = [(b.file, *span) for span in way.opening(lines) if b.file.endswith(f"/{name}.cpp")]
        seen += [span for span in own if span not in seen]
        begin = way.with_comment(lines, b.first)
        if begin < b.first and (b.file, begin, b.first) not in seen:
            seen.append((b.file, begin, b.first))
    return "".join(f'<div title="{file}">{prose(way.read_lines(file)[begin:end])}</div>' for file, begin, end in seen)


def errors(bodies):
    """What the definitions' checks say, with … for what depends on the call."""
    said = []
    for b in bodies:
        text = "\n".join(way.read_lines(b.file)[b.first:b.last + 1])
        for call in re.finditer(r"\b(check|fail)\(", text):
            inner = text[call.end():way.closing(way.blanked(text), call.end() - 1)]
            parts = re.findall(r'"((?:[^"\\]|\\.)*)"|([^",\s][^",]*)', inner)
            first = next((i for i, (words, _) in enumerate(parts) if words), None)
            if first is not None:
                message = "".join(words or " … " for words, _ in parts[first:])
                said.append(re.sub(r"\s+", " ", re.sub(r"( … )+", " … ", message)).strip())
    unique = list(dict.fromkeys(said))
    return '<ul class="errors">' + "".join(f"<li>{html.escape(line)}</li>" for line in unique) + "</ul>" if unique else ""


def runs():
    """{op: what it prints of a few numbers}, which the test of the live figures holds."""
    text = pathlib.Path("tests/book/live/runs.txt").read_text(encoding="utf-8")
    return {name: lines.rstrip() for name, lines in re.findall(r"^op: (\w+)\n(.*?)(?=^op: |\Z)", text, re.M | re.S)}


def synonyms():
    """{name: what PyTorch calls it}"""
    lines = pathlib.Path("tests/site/synonyms.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ") for line in lines if not line.startswith("#"))


def entries(file, repository):
    """The entries of a header, in its order."""
    found, outer = {}, []
    for d in repository.by_file[file]:
        if d.kind in ("forward", "enumerator", "local") or INTERNAL.search(d.name) or any(c.first <= d.first <= c.last for c in outer):
            continue
        if d.kind in ("class", "enum"):
            outer.append(d)
        elif d.name.split("::")[0] != file.split("/")[0] or d.name.count("::") > 1:
            continue  # a member defined outside of its class
        if d.name in found:
            found[d.name].declared.append(d)
        else:
            found[d.name] = Entry(file, d)
    return list(found.values())


def page():
    """(contents, body, how many, what is wrong: comments without shapes, synonyms of nothing)"""
    repository, contents, body, ids, ran, wrong, also = names.Repository(), [], [], [], runs(), [], synonyms()
    listed = {file: entries(file, repository) for headers in HEADERS.values() for file in headers}
    short_of = lambda entry: entry.name.split("::", 1)[-1]  # noqa: E731
    counts = collections.Counter(short_of(entry) for of_file in listed.values() for entry in of_file)
    wrong += [f"tests/site/synonyms.txt: {name} is not in the reference" for name in also if name not in counts]
    for house, headers in HEADERS.items():
        contents.append(f"<p>{house}</p><ul>")
        body.append(f'<div class="house"><h2>{house}</h2>')
        for file in headers:
            lines, anchor = way.read_lines(file), re.sub(r"\W", "-", file)
            contents.append(f'<li class="file"><a href="#{anchor}">{file}</a></li>')
            body.append(f'<section id="{anchor}"><h3>{file}</h3><div class="opening">{prose(lines[slice(*way.opening(lines)[0])])}</div>')
            for entry in listed[file]:
                short = short_of(entry)
                address = short if counts[short] == 1 else entry.name
                ids.append(address + "-" * sum(one.rstrip("-") == address for one in ids))  # operator<< is declared in two headers
                anchor_of, code = html.escape(ids[-1]), entry.code()
                bodies = entry.definitions(repository)
                contents.append(f'<li><a href="#{anchor_of}"><code>{html.escape(short)}</code></a></li>')
                made, thrown, torch = formulas(bodies, short), errors(bodies), html.escape(also.get(short, ""))
                if file in OPS and entry.declared[0].kind == "function" and not short.startswith("operator") and not re.search("→|shape", code):
                    wrong.append(f"{file}: the comment of {short} does not say its shapes")
                body.append(f'<article id="{anchor_of}" data-name="{html.escape(short)}" data-also="{torch}"><h4><a href="#{anchor_of}">{html.escape(short)}</a> '
                            f"<span>{file}: {entry.declared[0].first + 1}</span></h4>{code}"
                            + (f"<p class='note'>In PyTorch's words: {torch.replace(' ', ', ')}</p>" if torch else "")
                            + (f"<p class='note'>A run. dy, the gradient of y, is 1, 2, 3, ...; dx is the gradient of x that backward finds.</p><pre>{book.lines_html(ran[short])}</pre>" if file in OPS and short in ran else "")
                            + (f"<p class='note'>As its source says:</p>{made}" if made else "") + (f"<p class='note'>Errors:</p>{thrown}" if thrown else "") + "</article>")
            body.append("</section>")
        body.append("</div>")
        contents.append("</ul>")
    return "".join(contents), "\n".join(body), len(ids), wrong
