// A run: the state of training, the tokenizer, and the facts about its texts. One value, made by a
// new start or read from a checkpoint.
#pragma once

#include "model/tokenizer/tokenizer.h"
#include "train/loop/training.h"
#include "train/run/facts.h"

namespace train {

struct Run : Training {
  Run(Training training, model::TokenizerHandle tokenizer_, Facts facts_)
      : Training(std::move(training)), tokenizer(std::move(tokenizer_)), facts(std::move(facts_)) {}

  model::TokenizerHandle tokenizer;
  Facts facts;
};

}  // namespace train
