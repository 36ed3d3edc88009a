"""compare.py WHO WHAT LIMIT A B: two files of probe.cpp's logits, which may differ by LIMIT."""

import sys

import files
import report

who, what, limit, a, b = sys.argv[1:]
report.close(who, what, files.floats(a), files.floats(b), float(limit))
report.finish()
