#!/usr/bin/env python3
"""Writes model/tokenizer/unicode_tables.h: where the class of the code points changes.

    python3 tests/reference/unicode_tables.py | clang-format > model/tokenizer/unicode_tables.h

The classes are those of the `regex` module (pip install regex): GPT-2's own splitting rule runs on its \\p{L}, \\p{N}
and \\s. Version 2026.5.9 knows Unicode 17.
"""
import regex

PATTERNS = [r"\p{L}", r"\p{N}", r"\s"]  # classes 1, 2, 3; everything else is 0

HEADER = """\
// Written by tests/reference/unicode_tables.py from Python's regex module {version}; do not edit.
//
// The code points at which a new run of one class begins, and the class:
// code point << 2 | class, class 0 other, 1 letter, 2 number, 3 space.
#pragma once

#include <cstdint>

namespace model {{

inline constexpr std::uint32_t class_changes[] = {{
{rows}
}};

}}  // namespace model"""

classes = bytearray(0x110000)
for number, pattern in enumerate(PATTERNS, 1):
    compiled = regex.compile(pattern)
    for code in range(0x110000):
        if compiled.match(chr(code)):
            assert classes[code] == 0, f"U+{code:04X} is in two classes"
            classes[code] = number

changes = [code << 2 | classes[code] for code in range(0x110000)
           if code == 0 or classes[code] != classes[code - 1]]
print(HEADER.format(version=regex.__version__, rows=", ".join(map(hex, changes))))
