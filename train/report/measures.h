// What a report measures with a model on the validation text.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/gpt/gpt.h"
#include "train/loop/corpus.h"
#include "train/system/words.h"

namespace train {

// A token of a text, and what the model expected in its place from the tokens before it.
struct Prediction {
  std::int32_t token;
  double loss;  // in nats: -log of the probability it gave the token
  struct Choice {
    std::int32_t token;
    double probability;
  };
  std::vector<Choice> choices;  // the likeliest, in descending order
};

// The predictions of ids[1], ids[2], ..., each from at least block_size / 2 tokens before it, or
// from all if there are fewer.
std::vector<Prediction> predictions(const model::GPT& gpt, std::span<const std::int32_t> ids,
                                    Index choices);

// The mean loss of the tokens with `first` to `last` tokens of context. The token at the position
// counts, so the first position has 1.
struct PositionLoss {
  Index first, last;
  double loss;
  Index tokens;  // over which the mean is taken
};
// Over windows spread evenly over the validation part: enough of each length for at least
// `predictions` predictions in each range. In a short text they overlap. Lengths are 4, 20,
// 84, ... to block_size: of short windows, for the first positions, there are more. Ranges of
// positions grow with the position, about two for each doubling.
std::vector<PositionLoss> position_losses(const model::GPT& gpt, const Corpus& corpus,
                                          Index predictions);

}  // namespace train
