// Which token comes next: a choice from the model's logits, by chance or not. In this order:
//
//     repetition_penalty r   logits of tokens that were there already: x / r if x > 0, else x r
//                            (Keskar et al., CTRL, 2019)
//     temperature t          p = softmax(x / t); 0 is the limit: always the likeliest token
//     top_k                  only tokens whose logit is not below the k-th greatest
//     top_p                  of those, the likeliest whose probabilities together reach top_p
//                            (Holtzman et al., nucleus sampling, 2020)
//     min_p                  of those, the ones at least min_p times as likely as the likeliest
//
// and then a draw by PyTorch's torch.multinomial, so that a seed gives nanoGPT's text.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/real.h"
#include "engine/random/generator.h"

namespace model {

using engine::Index;
using engine::real;

struct Sampling {
  double temperature = 0.8;       // >= 0
  Index top_k = 200;              // 0: all
  double top_p = 1;               // (0, 1]; 1: all
  double min_p = 0;               // [0, 1]; 0: all
  double repetition_penalty = 1;  // > 0; 1: none
};

class Sampler {
 public:
  Sampler(const Sampling& sampling, std::uint64_t seed) : sampling_(sampling), generator_(seed) {}

  // logits (V): one for each token that may be chosen; text: the tokens before. Throws
  // engine::Error if a logit is NaN or infinite.
  std::int32_t choose(std::span<const real> logits, std::span<const std::int32_t> text);

 private:
  void penalise(std::span<const std::int32_t> text);
  void keep_top_k();
  void softmax();
  void keep_top_p();
  void keep_min_p();
  std::int32_t draw();

  Sampling sampling_;
  engine::Generator generator_;
  std::vector<real> p_;  // logits, then probabilities; what is not kept is -inf, then 0
  std::vector<real> scratch_;
  std::vector<std::int32_t> order_;
  std::vector<bool> seen_;
};

}  // namespace model
