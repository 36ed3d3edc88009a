// Exercise 1: an op on numbers, division.
//
//     y = a / b
//
// Given the numbers a, b and dy = d loss / d y, add to da and db what this op contributes:
//
//     da += d loss / d a,  the part that goes through this y
//     db += d loss / d b,  the part that goes through this y
//
// da and db are references to the slots of a and b. A slot may hold something already: another op
// that used a has added its part before. So add; do not overwrite. In y = a / a both references
// are to one slot.
//
// Derive: by how much does y change if a grows a little, and by how much if b does? The chain rule
// multiplies both by dy.
//
// Read before: chapter 1 of the book. Your function is then the backward of an operator/ in
// tests/tour/0_a_tape.cpp: divide_backward(a.value, b.value, dy, *a.slot, *b.slot). The comment over
// `div` in engine/ops/arithmetic.cpp has the result; derive it first.
#include "tests/exercises/exercise.h"

using namespace exercises;

void divide_backward(real a, real b, real dy, real& da, real& db) {
  // --- your code instead of the next line: da += ..., db += ... ---
  not_done(a, b, dy, da, db);
}

int main() { return grade_divide(divide_backward); }
