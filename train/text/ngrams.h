// The losses of n-gram models on a text (model/baseline/ngram.h), to compare a model's loss with.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "model/tokenizer/tokenizer.h"
#include "train/system/words.h"

namespace train {

struct Ngrams {
  // In nats per token of the model, with a context of 0, 1, ... symbols; none if they were not
  // counted.
  std::vector<double> losses;
  std::string symbol = "token";  // what is counted: "character", "byte" or "token"

  bool counted() const { return !losses.empty(); }
  std::vector<double>::const_iterator best() const { return std::ranges::min_element(losses); }
  double best_loss() const { return *best(); }
  Index best_length() const { return best() - losses.begin() + 1; }  // its symbols
};

// Counts n-grams in the first train_size ids and measures them on the others. They are n-grams of
// characters, or of bytes if the text is not UTF-8, so that they do not depend on the model's
// tokens; n-grams of tokens if the best of those is better, or if the text is longer than 20 MB. A
// document separator is one symbol. vocabulary: the model's, which may be larger than the
// tokenizer's.
Ngrams count_ngrams(const model::TokenIds& ids, Index train_size, const model::Tokenizer& tokenizer,
                    Index vocabulary);

}  // namespace train
