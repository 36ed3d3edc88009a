#!/usr/bin/env python3
"""GPT-2's splitting rule, ours against the regular expression itself (pip install regex).

    python3 tests/reference/gpt2_split.py              12 MB of mixed scripts: counts differences
    python3 tests/reference/gpt2_split.py FILE...      the same for UTF-8 files
    python3 tests/reference/gpt2_split.py --sample > tests/reference/gpt2_split.json
                                                       the cases of tests/unit/model/tokenizer/bpe_test.cpp
"""
import json
import random
import subprocess
import sys
import tempfile

import regex

# openai/gpt-2, src/encoder.py
RULE = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")

SOURCES = ["tests/reference/gpt2_split.cpp", "model/tokenizer/bpe/split.cpp", "model/tokenizer/unicode.cpp",
           "engine/base/utf8.cpp"]

SCRIPTS = ["Latin", "Greek", "Cyrillic", "Armenian", "Hebrew", "Arabic", "Devanagari", "Bengali",
           "Tamil", "Thai", "Lao", "Tibetan", "Georgian", "Hangul", "Ethiopic", "Cherokee", "Khmer",
           "Mongolian", "Hiragana", "Katakana", "Han", "Gothic", "Deseret", "Cuneiform"]
PIECES = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'", "''", "'S", "'lx", "'r", "don't", " ",
          "  ", "   ", "\n", "\r\n", "\n\n", "\t", " \t", "\x0b", "\x0c", "\x1c", "\x1f", "\x00",
          "\x85", "\xa0", "\u1680", "\u2003", "\u200b", "\u2028", "\u202f", "\u3000", "\ufeff", " \xa0",
          "0", "42", "\u0663\u0664", "\u00b2", "\u2167", "\u0967", "\U0001d7d8", "\u4e09", "\u3007",
          "!", "...", "--", "$", "\u20ac", "\u2019s", "\u0301", "\u093e", "_", "\U0001f600",
          "\U0001f468\u200d\U0001f469", "\u00aa", "\u02b0", "\u3042", "\uff21", "\U00020000",
          "\U0010ffff", "\ue000", "\ufffd"]


def letters_of(script):
    pattern = regex.compile(r"[\p{Script=%s}&&[\p{L}\p{M}\p{N}]]" % script, regex.V1)
    return [chr(c) for c in range(0x110000) if pattern.match(chr(c))]


def mixed_text(size, seed):
    """Words of many scripts, all kinds of space and punctuation, and code points at random."""
    rng = random.Random(seed)
    alphabets = [letters_of(script) for script in SCRIPTS]
    assert all(alphabets)
    parts, length = [], 0
    while length < size:
        kind = rng.random()
        if kind < 0.5:
            part = "".join(rng.choices(rng.choice(alphabets), k=rng.randint(1, 9)))
        elif kind < 0.9:
            part = "".join(rng.choices(PIECES, k=rng.randint(1, 3)))
        else:
            code = rng.randrange(0x110000 >> rng.choice([0, 0, 4, 8]))
            part = " " if 0xD800 <= code < 0xE000 else chr(code)
        if rng.random() < 0.4:
            part = " " + part
        parts.append(part)
        length += len(part.encode())
    return "".join(parts)


def main(arguments):
    if arguments == ["--sample"]:
        text = mixed_text(12_000, seed=1)
        rng, begin, rows = random.Random(2), 0, []
        while begin < len(text):
            end = begin + rng.randint(1, 40)
            rows.append(json.dumps(RULE.findall(text[begin:end])))
            begin = end
        print("[" + ",\n".join(rows) + "]")
        return 0
    if arguments:
        text = "".join(open(file, encoding="utf-8", newline="").read() for file in arguments)
    else:
        text = mixed_text(12_000_000, seed=3)
    expected = [len(chunk.encode()) for chunk in RULE.findall(text)]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["g++", "-std=c++20", "-O2", "-I.", *SOURCES, "-o", folder + "/split"], check=True)
        out = subprocess.run([folder + "/split"], input=text.encode(), stdout=subprocess.PIPE, check=True)
    found = [int(line) for line in out.stdout.split()]

    def ends(sizes):
        total, result = 0, set()
        for size in sizes:
            total += size
            result.add(total)
        return result

    differences = len(ends(expected) ^ ends(found))
    print(f"{len(text.encode())} bytes, {len(expected)} chunks, {differences} differences "
          f"(regex {regex.__version__})")
    return differences > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
