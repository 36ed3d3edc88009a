"""compare.py WHO WHAT LIMIT A B: two files of probe.cpp's: raw float32 (.f32), ids (.ids), else texts;
LIMIT is the largest difference that numbers may have."""

import sys

import files
import report

who, what, limit, a, b = sys.argv[1:]
if a.endswith(".f32"):
    report.close(who, what, files.floats(a), files.floats(b), float(limit))
elif a.endswith(".ids"):
    report.same(who, what, files.ids(a), files.ids(b))
else:
    report.same(who, what, open(a, "rb").read(), open(b, "rb").read())
report.finish()
