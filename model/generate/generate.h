// Writing on: from the tokens of a text to more of them, one at a time.
//
// A model sees block_size tokens at most. When there is one more, the last block_size / 2 are read
// again in one pass, as a new beginning, and there is room for as many to come. (Moving a full
// window on by one token would give every token in it a new position, and so new keys and values.)
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "model/generate/cached_gpt.h"
#include "model/generate/sampler.h"

namespace model {

// Of a text's n tokens the model sees those from here on, if it saw those from `start` on before
// the last was added.
inline Index context_start(Index start, Index n, Index block_size) {
  if (n - start <= block_size) return start;
  return n - std::max<Index>(block_size / 2, 1);
}

// Appends up to `count` tokens to `text`, which has at least one (the model sees the last
// block_size of them), choosing from tokens 0 .. vocabulary - 1. take(id) is told of each; when it
// returns false, that was the last.
void generate(CachedGPT& gpt, Sampler& sampler, Index vocabulary, std::vector<std::int32_t>& text,
              Index count, const std::function<bool(std::int32_t)>& take);

}  // namespace model
