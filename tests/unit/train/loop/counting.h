// Texts of tokens that are computed.
#pragma once

#include "train/loop/corpus.h"

namespace train {

// token(0), token(1), ..., token(n - 1).
inline model::TokenIds tokens_of(Index n, Index vocabulary, auto&& token) {
  model::TokenIds ids(vocabulary);
  for (Index i = 0; i < n; ++i) ids.push_back(static_cast<std::int32_t>(token(i)));
  return ids;
}

// 0, 1, ... up to the vocabulary, and again from 0.
inline model::TokenIds counting(Index n, Index vocabulary) {
  return tokens_of(n, vocabulary, [&](Index i) { return i % vocabulary; });
}

}  // namespace train
