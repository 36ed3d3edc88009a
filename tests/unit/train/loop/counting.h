// A text of tokens that count: 0, 1, ... up to the vocabulary, and again from 0.
#pragma once

#include "train/loop/corpus.h"

namespace train {

inline model::TokenIds counting(Index n, Index vocabulary) {
  model::TokenIds ids(vocabulary);
  for (Index i = 0; i < n; ++i) ids.push_back(static_cast<std::int32_t>(i % vocabulary));
  return ids;
}

}  // namespace train
