// The types of the exercises: views of vectors and matrices that check every index, and the
// signatures of the functions to write. An exercise file ends in a call of its grader, so each is a
// program of its own: `make exercise` compiles and runs it, in double precision.
#pragma once

// What an answer may need.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/real.h"
#include "engine/base/shape.h"

namespace engine {
class Tensor;
}

namespace exercises {

using engine::Index;
using engine::real;

// Throws Error: `access`, say "dy(3, 0)", has the index i, but `what`, say "dy has 3 rows", allows
// less than size. `which` index it is: "first"; `other`: what may be confused with what.
[[noreturn]] void bad_index(const std::string& access, const std::string& what, const char* which,
                            Index i, Index size, const char* other);

// x(i, j): row i, column j.
template <class T>
struct MatrixOf {
  const char* name;  // for errors
  T* data;
  Index rows, cols;
  T& operator()(Index i, Index j) const {
    if (i < 0 || i >= rows)
      bad_index(engine::joined(name, "(", i, ", ", j, ")"),
                engine::joined(name, " has ", engine::counted(rows, "row")), "the first index", i,
                rows, "or cols for rows");
    if (j < 0 || j >= cols)
      bad_index(engine::joined(name, "(", i, ", ", j, ")"),
                engine::joined(name, " has ", engine::counted(cols, "column")), "the second index",
                j, cols, "or rows for cols");
    return data[i * cols + j];
  }
};

// x[i]
template <class T>
struct VectorOf {
  const char* name;
  T* data;
  Index size;
  T& operator[](Index i) const {
    if (i < 0 || i >= size)
      bad_index(engine::joined(name, "[", i, "]"),
                engine::joined(name, " has ", engine::counted(size, "element")), "the index", i,
                size, "or go over another size");
    return data[i];
  }
};

using Matrix = MatrixOf<const real>;
using Vector = VectorOf<const real>;
using Targets = VectorOf<const std::int32_t>;
using MutableMatrix = MatrixOf<real>;  // results: 0 at first, unless the exercise says otherwise
using MutableVector = VectorOf<real>;

// 1
using DivideBackward = void(real a, real b, real dy, real& da, real& db);
int grade_divide(DivideBackward* yours);

// 2
using Memory = std::shared_ptr<std::vector<real>>;
// Where d loss / d x of a vector x is summed, in memory that others may hold too.
struct SharedSlot {
  Memory values;
  bool written = false;
};
using Accumulate = void(SharedSlot& slot, const Memory& contribution);
int grade_accumulate(Accumulate* yours);

// 3
struct Slot {  // where d loss / d x of a number x is summed
  real sum = 0;
  bool written = false;
  void add(real d) {
    sum += d;
    written = true;
  }
  void clear() { *this = {}; }
};
struct Node {                             // an op that the forward pass has recorded
  Slot* result;                           // of the op's result y
  std::function<void(real dy)> backward;  // adds to the slots of the op's inputs
};
using Nodes = VectorOf<const Node>;
using TapeRun = void(Nodes tape, Slot& loss);
int grade_tape_run(TapeRun* yours);

// 4
using MulBackward = void(Matrix a, Vector b, Matrix dy, MutableMatrix da, MutableVector db);
int grade_mul(MulBackward* yours);

// 5
using SoftmaxBackward = void(Matrix y, Matrix dy, MutableMatrix dx);
int grade_softmax(SoftmaxBackward* yours);

// 6
using engine::Shape;
using SumTo = void(Vector dy, const Shape& y, MutableVector dx, const Shape& x);
int grade_sum_to(SumTo* yours);

// 7
using CrossEntropyBackward = void(Matrix logits, Targets targets, real dloss,
                                  MutableMatrix dlogits);
int grade_cross_entropy(CrossEntropyBackward* yours);

// 8
using LayerNormBackward = void(Matrix x, Vector weight, Matrix dy, real epsilon, MutableMatrix dx,
                               MutableVector dweight, MutableVector dbias);
int grade_layer_norm(LayerNormBackward* yours);

// 9
using engine::Tensor;
using RecordedOp = Tensor(const Tensor& x, real c);
int grade_record(RecordedOp* yours);

// 10
using MaskScores = void(MutableMatrix scores);
int grade_causal_mask(MaskScores* yours);

// 11
using AttentionHead = void(Matrix q, Matrix k, Matrix v, MutableMatrix context);
int grade_attention(AttentionHead* yours);

// 12
using RopeBackward = void(Matrix dy, Matrix angle, MutableMatrix dx);
int grade_rope(RopeBackward* yours);

// 13
using BlockBackward = void(Matrix p, Matrix v, Matrix o, Matrix d_o, MutableMatrix ds);
int grade_block_backward(BlockBackward* yours);

// 14
using SwigluBackward = void(Matrix x, Matrix dy, MutableMatrix dx);
int grade_swiglu(SwigluBackward* yours);

// 15
using EmbeddingBackward = void(Targets ids, Matrix dy, MutableMatrix dweight);
int grade_embedding(EmbeddingBackward* yours);

// 16
using MomentumStep = void(MutableVector w, MutableVector v, Vector g, real lr, real momentum,
                          real decay);
int grade_momentum(MomentumStep* yours);

// 17
inline constexpr Index tile_rows = 4, tile_cols = 6;
using MatmulTile = void(Matrix a, Matrix b, MutableMatrix c);
int grade_matmul_tile(MatmulTile* yours);

// 18
using ForEach = std::function<void(Index count, const std::function<void(Index)>& body)>;
using SameSum = real(Vector x, Index threads, const ForEach& for_each);
int grade_same_sum(SameSum* yours);

// 19
using Tokens = std::vector<std::int32_t>;
using MergeOnce = void(Tokens& tokens, std::int32_t made);
int grade_merge(MergeOnce* yours);

// 20
using TopP = void(Vector probabilities, real p, MutableVector kept);
int grade_top_p(TopP* yours);

// Marks the gap; its arguments are only there to be used.
struct NotDone {};
template <class... Arguments>
[[noreturn]] void not_done(const Arguments&...) {
  throw NotDone{};
}

}  // namespace exercises
