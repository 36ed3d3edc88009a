#!/usr/bin/env python3
"""Words that make a sentence a riddle, and what to write instead (tests/README.md, "Words").

    tests/words.py --check     each line of comments, messages and prose that has one; exit status 1 if there is one

Quoted text is excepted: "...", `...` and code in prose, and in comments the same.
"""
import re
import subprocess
import sys

# A pattern, and what to write. A word of a name (row_of_which) is none.
RIDDLES = [
    (r"(every |by |of |at |in |as |for )?so many(-th)?", "the number: its name, its value, or N"),
    (r"by heart", "memorize"),
    (r"anew|afresh", "again, or a new one"),
    (r"of which|whose", "a second sentence; or: its, that, with"),
    (r"(is|are) asked (of|for)|what is asked", "given, needed, requested"),
    (r"said of|what is said|is said (of|by|in|to|at|with)", "prints; the message about"),
    (r"strangers?", "text from outside"),
    (r"that which|whereof|wherein|thereof|shall|for want of|whither|whence", "that, where, must, without"),
    (r"but for", "except"),
    (r"(?<!there )(is|are) no (text|file|model|character|flag|command|multiple|token|tensor|number)", "is not a"),
    (r"(is|stands|lies) (behind|in front of) (the|its|a) (name|end|point|number|text)", "after, before"),
    (r"(normali|initiali|optimi|speciali|summari|orthogonali)s(ed|er|ers|ation|ations|ing)|recognise\w*|learnt|"
     r"(neighbour|colour|behaviour|favour)\w*|licences?|per cent|centre[sd]?|grey|labelled|towards",
     "American spelling"),
]
LOGS = ("data/", "tests/data/", "tests/recipes/", "tests/reference/")


def prose(path, text):
    """(number, words) of each line that somebody reads."""
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if path.endswith(".md"):
            fenced ^= line.startswith("```")
            if not fenced and not line.startswith(("    ", "{", "<!--")):
                yield number, line
        elif path.endswith((".h", ".cpp", ".js", ".mjs")):
            comment = re.search(r"(?<!:)//\s(.*)", line)
            if comment:
                yield number, comment[1]
            elif not path.startswith("tests/") and "#include" not in line:
                yield from ((number, words) for words in re.findall(r'"((?:[^"\\]|\\.)*)"', line))
        elif path.endswith(".html"):
            yield number, re.sub(r"<[^>]*>", "", line)


def wrong():
    files = subprocess.run(["git", "ls-files"], stdout=subprocess.PIPE, check=True).stdout.decode().split("\n")
    for path in files:
        if path.startswith(LOGS) or not re.search(r"\.(md|h|cpp|js|mjs|html)$", path):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for number, line in prose(path, text):
            plain = re.sub(r'`[^`]*`|"[^"]*"|\([\w./_-]*\)', "", line)
            for pattern, instead in RIDDLES:
                if found := re.search(rf"(?<![\w-])({pattern})(?![\w(])", plain, re.IGNORECASE):
                    yield f'{path}:{number}: "{found[0]}"; write {instead}'


if __name__ == "__main__":
    lines = list(wrong())
    print("\n".join(lines), end="\n" if lines else "")
    sys.exit(bool(lines))
