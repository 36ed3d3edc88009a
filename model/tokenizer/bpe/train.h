// Training a byte-pair encoding: which pairs of tokens to merge, and in which order.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/real.h"

namespace model {

using engine::Index;

// The bytes are tokens 0 to 255; merge i joins two earlier tokens into token 256 + i.
struct Merge {
  std::int32_t left, right;
};

// Again and again joins the pair of neighbouring tokens that is most frequent in the texts, of
// equally frequent ones that with the smaller left, then right token; pairs never reach across
// the chunks of gpt2_chunk_end, or from one text to the next. A run like aaa counts two pairs and is joined from the left. Ends
// after `count` merges, or when no pair occurs twice.
//
// Time: one pass over the text, then O(log) for every place that changes, not for every merge a
// pass. Memory: about 20 bytes for each byte of distinct chunks, which in a large text are a small
// part; they must be less than 4 GiB.
std::vector<Merge> train_bpe(std::span<const std::string_view> texts, Index count);

}  // namespace model
