// Fewer points for a long line.
#pragma once

#include <span>
#include <vector>

#include "train/system/words.h"

namespace train {

// Thins more than `most` values: keeps the first, the last and, in each of most / 2 - 1 stretches
// of the others, the lowest and the highest, so that the best value and the jumps stay. Keeps all
// if there are fewer.
struct Thinned {
  std::vector<Index> kept;    // their places, in order
  std::vector<double> means;  // for each, the mean of its stretch; empty if all are kept
};
Thinned thinned(std::span<const double> values, Index most);

// At most `most` evenly spaced places of 0 .. n - 1, including the first and the last; if `most` is
// 1, the last.
std::vector<Index> evenly(Index n, Index most);

}  // namespace train
