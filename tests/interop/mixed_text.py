"""mixed_text.py SIZE [SYMBOLS]: SIZE bytes of text on which tokenizers are likely to differ: words of
many scripts, contractions, digits, signs, runs of white space, emoji, combining marks, rare and
unassigned characters. With a text SYMBOLS, only its characters, in random runs of it."""

import random
import sys

size, rng = int(sys.argv[1]), random.Random(1)
WORDS = """the Fox's lantern isn't we've I'll they'd you're I'm WE'VE 'sorry ''s don\u2019t caf\u00e9 na\u00efve Stra\u00dfe
\u00c5ngstr\u00f6m \u0416\u0443\u043a \u0432 \u0442\u0440\u0430\u0432\u0435 \u03bb\u03cc\u03b3\u03bf\u03c2 \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 \u0928\u092e\u0938\u094d\u0924\u0947 \u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35 \u4f60\u597d\u4e16\u754c \u3053\u3093\u306b\u3061\u306f \u30ab\u30bf\u30ab\u30ca \uc548\ub155
x1 3.14159 1,000,000 \u0664\u0662 \u0967\u0968 \u00bd \u00b2 \u2167 \u216b\u2460 ++i a[i]==b; // /* */ <tag/> "quoted" \u00abguillemets\u00bb \u2014 \u2026 \u20ac100 #1 @you
e\u0301 a\u030a\u0323 \U0001f600 \U0001f469\u200d\U0001f4bb \U0001f1e9\U0001f1ea \U00020000 \u0378 \ufeff \ufffd _snake_case camelCase HTTP2 \u01c5 \u02b0\u02b2 \u00aa\u00ba""".split()
SPACES = [" "] * 30 + ["\n", "\n\n", "  ", "   ", "\t", " \n", "\n ", "\r\n", "\u00a0", "\u3000", "\u2028", " \t ", "\u200b",
                       "\x0b", "\x0c", "\x1c", "\x1f", "\x85", "", "", ""]


def pieces():
    if len(sys.argv) > 2:
        text = open(sys.argv[2], encoding="utf-8").read()
        symbols = sorted(set(text))
        while True:
            begin = rng.randrange(len(text))
            yield text[begin:begin + rng.randrange(200)]
            yield "".join(rng.choices(symbols, k=rng.randrange(20)))
    while True:
        kind = rng.random()
        if kind < 0.9:
            yield rng.choice(WORDS) + rng.choice(SPACES)
        elif kind < 0.95:  # any character of the basic plane
            yield "".join(chr(c) for c in rng.choices(range(1, 0xD800), k=rng.randrange(1, 9)))
        elif kind < 0.98:
            yield "".join(chr(c) for c in rng.choices(range(32, 127), k=rng.randrange(1, 30)))
        else:  # of any plane
            yield "".join(chr(c) for c in rng.choices(range(0xE000, 0x110000), k=3))


text, generator = bytearray(), pieces()
while len(text) < size:
    text += next(generator).encode()
sys.stdout.buffer.write(text[:size].decode(errors="ignore").encode())
