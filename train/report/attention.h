// The attention weights of a head as text, and how many of them a page has.
#pragma once

#include <span>
#include <string>

#include "engine/base/real.h"
#include "train/system/words.h"

namespace train {

// weights (n, n) -> a row's weights with spaces between them, the rows with semicolons: four digits
// after the point, without zeros at either end, .25; of a causal model without those above the diagonal.
std::string weights_text(std::span<const engine::real> weights, Index n, bool causal);

// How many tokens may look at each other so that the weights of so many heads take 150 kB at most: 40,
// or fewer, but two at least.
Index tokens_on_maps(Index heads, bool causal);

}  // namespace train
