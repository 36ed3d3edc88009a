"""What tests/interop/probe.cpp writes: raw float32 numbers, and ids one a line."""

import array


def floats(path):
    values = array.array("f")
    with open(path, "rb") as file:
        values.frombytes(file.read())
    return values


def ids(path):
    with open(path) as file:
        return [int(line) for line in file]
