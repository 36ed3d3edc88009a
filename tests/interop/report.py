"""A line of make interop for each check; finish() ends the program, with status 1 if one failed."""

import sys

failures = 0


def check(who, what, passed):
    global failures
    failures += not passed
    print(f"interop: {who}: {'' if passed else 'DIFFERS: '}{what}", flush=True)


def close(who, what, a, b, limit):
    """a and b: tensors, or lists of numbers, of the same size."""
    a, b = [float(x) for x in a], [float(x) for x in b]
    if len(a) != len(b) or not a:
        return check(who, f"{what}: {len(a)} numbers, expected {len(b)}", False)
    differences = [abs(x - y) if abs(x) < float("inf") else float("inf") for x, y in zip(a, b)]
    worst = max(d if d == d else float("inf") for d in differences)
    check(who, f"{what}: largest difference {worst:.1e} (limit {limit:.0e})", worst <= limit)


def same(who, what, a, b):
    """a and b: lists, texts or bytes."""
    where = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    if len(a) == len(b) == where:
        return check(who, f"{len(a):,} {what} equal", where > 0)
    check(who, f"{what}: {len(a):,} and {len(b):,}, the first difference at {where}: "
          f"{a[where:where + 8]!r}, expected {b[where:where + 8]!r}", False)


def finish():
    sys.exit(failures > 0)
