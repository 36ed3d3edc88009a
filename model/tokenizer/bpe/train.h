// Training a byte-pair encoding: finds the pairs of tokens to merge, in order.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/real.h"
#include "model/base/words.h"

namespace model {

// The bytes are tokens 0 to 255; merge i joins two earlier tokens into token 256 + i.
struct Merge {
  std::int32_t left, right;
};

// Repeatedly merges the most frequent pair of neighboring tokens (of equally frequent pairs, the
// one with the smaller left token, then the smaller right token), until there are `count` merges or
// no pair occurs `at_least` times (at least 2; for the first `min_count` merges, 2 is enough).
// Pairs lie inside one chunk of gpt2_chunk_end. aaa counts as two pairs and is merged from the
// left.
//
// Time: one pass over the texts, then O(log) for each place that a merge changes. Memory: about 20
// bytes for each byte of distinct chunks; these must be less than 4 GiB.
std::vector<Merge> train_bpe(std::span<const std::string_view> texts, Index count,
                             Index at_least = 2, Index min_count = 0);

}  // namespace model
