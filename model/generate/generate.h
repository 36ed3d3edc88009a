// Generation: continues a text token by token.
//
// The context of a model is at most block_size tokens. When it is full, the last block_size / 2
// tokens are read again in one pass as a new context, which leaves room for block_size / 2 new
// ones. (Sliding a full context by one token would give each of its tokens a new position, and so
// new keys and values.) If the model is not causal, each token changes all positions before it, and
// the whole context is read again for each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/base/words.h"
#include "model/generate/sampler.h"
#include "model/gpt/gpt.h"
#include "model/tokenizer/tokenizer.h"

namespace model {

// The token before a text without a prompt: the end-of-text token, a line feed or a space,
// whichever of these, in this order, the vocabulary has; else token 0.
std::int32_t first_token(const Tokenizer& tokenizer);

// Where the context of a text of n tokens starts, if it started at `start` before the last token
// was added.
inline Index context_start(Index start, Index n, Index block_size) {
  if (n - start <= block_size) return start;
  return n - std::max<Index>(block_size / 2, 1);
}

// Appends up to `count` tokens to `text`, which must have at least one (the first context is its
// last block_size tokens), chosen from tokens 0 .. vocabulary - 1. Calls take(id) for each new
// token; generation ends when it returns false. A packed model (GPT::pack) writes the same text,
// faster.
void generate(const GPT& gpt, Sampler& sampler, Index vocabulary, std::vector<std::int32_t>& text,
              Index count, const std::function<bool(std::int32_t)>& take);

}  // namespace model
