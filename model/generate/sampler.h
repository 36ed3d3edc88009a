// Chooses the next token from the model's logits x. In this order:
//
//     repetition_penalty r   x / r if x > 0, else x r, for tokens that the text already contains
//                            (Keskar et al., CTRL, 2019)
//     temperature t          x / t; t = 0: the most likely token, without a draw
//     top_k                  keep the tokens with the k greatest logits, and any equal to the k-th
//     softmax                p = softmax(x)
//     top_p                  keep the most likely tokens that together reach probability top_p
//                            (Holtzman et al., nucleus sampling, 2020)
//     min_p                  keep the tokens with p >= min_p max p
//
// and then a draw by torch.multinomial's algorithm, so that a seed gives nanoGPT's text.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/real.h"
#include "engine/random/generator.h"
#include "model/base/words.h"

namespace model {

using engine::real;

struct Sampling {
  double temperature = 0.8;       // >= 0
  Index top_k = 200;              // 0: off
  double top_p = 1;               // (0, 1]; 1: off
  double min_p = 0;               // [0, 1]; 0: off
  double repetition_penalty = 1;  // > 0; 1: off
};

class Sampler {
 public:
  Sampler(const Sampling& sampling, std::uint64_t seed) : sampling_(sampling), generator_(seed) {}

  // logits (V): one per token that may be chosen; text: the tokens so far. Throws Error if
  // a logit is NaN or infinite, if there is none, or if a repetition_penalty is for a token without
  // one.
  std::int32_t choose(std::span<const real> logits, std::span<const std::int32_t> text);
  // What the last token was drawn by, in proportion; 0: left out. At temperature 0 nothing is
  // drawn.
  std::span<const real> weights() const { return p_; }

 private:
  void penalize(std::span<const std::int32_t> text);
  void keep_top_k();
  void softmax();
  void keep_top_p();
  void keep_min_p();
  std::int32_t draw();

  Sampling sampling_;
  engine::Generator generator_;
  std::vector<real> p_;  // logits, then probabilities; of tokens not kept -inf, then 0
  std::vector<real> scratch_;
  std::vector<std::int32_t> order_;
  std::vector<bool> seen_;
};

}  // namespace model
