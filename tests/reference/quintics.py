#!/usr/bin/python3
"""Prints the coefficients of Muon's steps (nn/muon.h), after apt-get install python3-numpy.

Each step is the odd polynomial a s + b s^3 + c s^5 with the smallest largest distance from 1 on an interval (Remez,
1934). It misses 1 by the same length e at four places, above and below in turn. Its values, [1 - e, 1 + e], are the
interval of the next step.
"""

import numpy as np


def best(low, high):
    """(a, b, c) and e."""
    places = low + (high - low) * np.array([0, 0.3, 0.75, 1])
    for _ in range(50):
        equations = [[s, s**3, s**5, (-1)**i] for i, s in enumerate(places)]
        a, b, c, e = np.linalg.solve(equations, np.ones(4))
        turns = np.sort(np.roots([5 * c, 3 * b, a]).real)  # squares of where the slope is 0
        places = np.array([low, *np.sqrt(turns), high])
    return (a, b, c), e


def main():
    low, high = 0.01, 1.0
    for _ in range(3):
        coefficients, e = best(low, high)
        print(*(f"{x:9.4f}" for x in coefficients), f"   [{low:.3f}, {high:.3f}] -> [{1 - e:.3f}, {1 + e:.3f}]")
        low, high = 1 - e, 1 + e


if __name__ == "__main__":
    main()
