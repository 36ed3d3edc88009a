// A case of a gradient check: a function of some leaves that uses all of them. Inputs are
// made by formula and are floats, so that the float and the double build differentiate the same
// function at the same point.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/op.h"
#include "engine/ops.h"

namespace gradient {

using engine::Generator;
using engine::Index;
using engine::Op;
using engine::Shape;
using engine::Tensor;

using Function = std::function<Tensor()>;

struct Case {
  std::string what;             // shapes and variant, for people
  std::vector<Tensor> inputs;   // leaves; a function captures handles on them
  Function f;                   // called again and again: must not depend on how often
  Function composed = nullptr;  // the same from other ops, if f is one fused op
};

// A case of an op, described by the inputs' shapes and what else there is to say: "(3, 5) (5), repeated".
Case op_case(const std::vector<Tensor>& inputs, const std::string& remark, Function f,
             Function composed = nullptr);
inline void add_case(std::vector<Case>& cases, const std::vector<Tensor>& inputs,
                     const std::string& remark, Function f, Function composed = nullptr) {
  cases.push_back(op_case(inputs, remark, std::move(f), std::move(composed)));
}

struct OpCases {
  const char* formula;
  std::vector<Case> cases;
};

// The cases of one op: at least five shapes. Every op has some, or this does not compile.
OpCases cases_of(Op op);

// The layers of nn/ and two-block GPTs, as functions of parameters and inputs.
std::vector<Case> layer_cases();

// Makes leaves.
class Maker {
 public:
  explicit Maker(std::uint64_t seed) : generator_(seed) {}
  Tensor uniform(const Shape& shape, double low = -1.5, double high = 1.5);
  // Either sign, 1/4 <= |x| < 3/2: no kink at 0 is near.
  Tensor away_from_zero(const Shape& shape);
  // A shuffled grid of step 1/16: no two are near each other.
  Tensor distinct(const Shape& shape);
  std::vector<engine::Id> ids(Index count, Index below);

 private:
  Generator generator_;
};

}  // namespace gradient
