// The attention weights of one head as a picture: a row for each token that looks, a column for each
// token that is looked at, the darker the larger the weight.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/base/real.h"
#include "train/system/words.h"

namespace train {

struct AttentionMap {
  std::string title;                      // "head 3"
  std::string layer, head;                // for the attributes data-layer and data-head
  std::span<const engine::real> weights;  // (n, n)
  std::span<const std::string> tokens;    // n labels
  bool causal = true;                     // nothing is above the diagonal
};

// A <figure>. Its numbers are in the attribute data-weights: a row's numbers with spaces between
// them, the rows with semicolons.
std::string html(const AttentionMap& map);

// How many tokens maps may have so that a page with so many heads stays below a megabyte or so.
Index tokens_on_maps(Index heads, bool causal);

}  // namespace train
