// Solution of exercise 15. Every row of dy goes to the row of its token, and is added there: a token
// that occurs three times was used three times. Tokens that do not occur keep their 0.
#include "tests/exercises/exercise.h"

using namespace exercises;

void embedding_backward(Targets ids, Matrix dy, MutableMatrix dweight) {
  for (Index t = 0; t < ids.size; ++t)
    for (Index c = 0; c < dy.cols; ++c) dweight(ids[t], c) += dy(t, c);
}

int main() { return grade_embedding(embedding_backward); }
