// Prints what the grader says to somebody who made a typical mistake, for every exercise and every
// mistake: the mistake's name, then the grade. tests/program/exercises_test.cpp reads it.
#include <cstdio>

#include "tests/exercises/grader/grader.h"

using namespace exercises;

int main() {
  for (const Exercise& exercise :
       {divide(nullptr),         accumulate(nullptr),  tape_run(nullptr),      mul(nullptr),
        softmax(nullptr),        sum_to(nullptr),      cross_entropy(nullptr), layer_norm(nullptr),
        record(nullptr),         causal_mask(nullptr), attention(nullptr),     rope(nullptr),
        block_backward(nullptr), swiglu(nullptr),      embedding(nullptr),     momentum(nullptr),
        matmul_tile(nullptr),    same_sum(nullptr),    merge(nullptr),         top_p(nullptr)})
    for (std::size_t m = 0; m < exercise.mistakes.size(); ++m)
      std::printf("==== %s: %s\n%s", exercise.file.c_str(), exercise.mistakes[m].c_str(),
                  grade(with_mistake(exercise, m)).text.c_str());
}
