// Exercise 15: backward of an embedding.
//
// An embedding is a table, weight (V, C): a row for each of V tokens. For the tokens ids[0], ids[1],
// ... of a text it gives their rows:
//
//     y(t, c) = weight(ids[t], c)        ids (T), each in 0 .. V - 1;  y (T, C)
//
// Given dy = d loss / d y (T, C), find dweight = d loss / d weight (V, C), which is 0 at first.
//
// Derive: in which elements of y is weight(v, c) used, if token v occurs three times in the text?
// And if it does not occur?
//
// Read before: chapter 11 of the book. engine/ops/embedding.cpp opens with the result; derive it
// first.
#include "tests/exercises/exercise.h"

using namespace exercises;

void embedding_backward(Targets ids, Matrix dy, MutableMatrix dweight) {
  // --- your code instead of the next line: dweight(..., c) ..., t < ids.size, c < dy.cols ---
  not_done(ids, dy, dweight);
}

int main() { return grade_embedding(embedding_backward); }
