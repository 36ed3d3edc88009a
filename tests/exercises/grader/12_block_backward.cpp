// Grades exercise 12, from dO to dS by blocks of keys, by differences of softmax(S) v.
#include <algorithm>

#include "tests/exercises/grader/grader.h"

namespace exercises {
namespace {

// sum_e a(i, e) b(j, e)
real dot(Matrix a, Index i, Matrix b, Index j) {
  real sum = 0;
  for (Index e = 0; e < a.cols; ++e) sum += a(i, e) * b(j, e);
  return sum;
}

// ds(i, j) = p(i, j) (dp(i, j) - t(i))
template <class T>
void subtract(Matrix p, Matrix v, Matrix d_o, MutableMatrix ds, T t) {
  for (Index i = 0; i < p.rows; ++i) {
    const real t_i = t(i);
    for (Index j = 0; j < p.cols; ++j) ds(i, j) = p(i, j) * (dot(d_o, i, v, j) - t_i);
  }
}

const std::vector<Mistake<BlockBackward>> block_backward_mistakes = {
    {"t_i is a sum over the keys of this block alone; softmax went over all keys, so t_i must, "
     "too: "
     "find it from o and d_o",
     [](Matrix p, Matrix v, Matrix, Matrix d_o, MutableMatrix ds) {
       subtract(p, v, d_o, ds, [=](Index i) {
         real t = 0;
         for (Index j = 0; j < p.cols; ++j) t += p(i, j) * dot(d_o, i, v, j);
         return t;
       });
     }},
    {"t_i is missing: a larger score also lowers the other weights of its row",
     [](Matrix p, Matrix v, Matrix, Matrix d_o, MutableMatrix ds) {
       subtract(p, v, d_o, ds, [](Index) { return real(0); });
     }},
    {"t_i is added: the terms of the other keys are negative",
     [](Matrix p, Matrix v, Matrix o, Matrix d_o, MutableMatrix ds) {
       subtract(p, v, d_o, ds, [=](Index i) { return -dot(d_o, i, o, i); });
     }},
    {"the factor P(i, j) is missing",
     [](Matrix p, Matrix v, Matrix o, Matrix d_o, MutableMatrix ds) {
       for (Index i = 0; i < p.rows; ++i)
         for (Index j = 0; j < p.cols; ++j) ds(i, j) = dot(d_o, i, v, j) - dot(d_o, i, o, i);
     }},
    {"only dP is multiplied by P(i, j): t_i has the factor, too",
     [](Matrix p, Matrix v, Matrix o, Matrix d_o, MutableMatrix ds) {
       for (Index i = 0; i < p.rows; ++i)
         for (Index j = 0; j < p.cols; ++j)
           ds(i, j) = p(i, j) * dot(d_o, i, v, j) - dot(d_o, i, o, i);
     }},
    {"the sum t is not set to 0 again for the next query",
     [](Matrix p, Matrix v, Matrix o, Matrix d_o, MutableMatrix ds) {
       real sum = 0;
       subtract(p, v, d_o, ds, [&](Index i) { return sum += dot(d_o, i, o, i); });
     }},
    {"o is used where d_o belongs in dP: dP(i, j) is the dot product of row i of d_o and row j of "
     "v",
     [](Matrix p, Matrix v, Matrix o, Matrix d_o, MutableMatrix ds) {
       for (Index i = 0; i < p.rows; ++i)
         for (Index j = 0; j < p.cols; ++j)
           ds(i, j) = p(i, j) * (dot(o, i, v, j) - dot(d_o, i, o, i));
     }},
};

}  // namespace

Exercise block_backward(BlockBackward* yours) {
  Exercise exercise{"12_block_backward", "by differences", {}, {}};
  gradient::Maker make(15);
  struct Sizes {
    Index T, S, E, block;  // queries, keys, features, keys in a block
  };
  for (const auto& [T, S, E, block] : {Sizes{3, 4, 2, 2}, {2, 5, 3, 2}, {4, 4, 3, 4}}) {
    const Tensor s = make.uniform({T, S}), v = make.uniform({S, E}).detach(),
                 d_o = make.uniform({T, E}).detach();
    const gradient::Case c{
        engine::joined(T, " queries, ", S, " keys in blocks of ", block, ", v ", v.shape()),
        {s},
        [=] { return engine::matmul(engine::softmax(s), v); }};
    const Tensor p = engine::softmax(s.detach()), o = engine::matmul(p, v);
    add_trial(exercise, yours, block_backward_mistakes, c.what, by_differences(c, d_o, {"dS"}),
              [=, keys = S, block = block](BlockBackward* f) {
                std::vector<Tensor> blocks;
                for (Index begin = 0; begin < keys; begin += block) {
                  const Index end = std::min(begin + block, keys);
                  const Tensor columns = engine::slice(p, 1, begin, end),
                               rows = engine::slice(v, 0, begin, end);
                  const Result ds{"ds", Tensor::zeros(columns.shape())};
                  f(matrix("p", columns), matrix("v", rows), matrix("o", o), matrix("d_o", d_o),
                    mutable_matrix(ds));
                  blocks.push_back(ds.value);
                }
                return Results{{"dS", engine::concat(blocks, 1)}};
              });
  }
  return exercise;
}

int grade_block_backward(BlockBackward* yours) { return report(block_backward(yours)); }

}  // namespace exercises
