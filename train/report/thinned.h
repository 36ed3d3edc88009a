// Fewer points for a long line.
#pragma once

#include <span>
#include <vector>

#include "train/system/words.h"

namespace train {

// Of more than `most` values the first and the last and, of each of most / 2 - 1 stretches of the others,
// the lowest and the highest: so the best one stays, and so do the jumps. Else all.
struct Thinned {
  std::vector<Index> kept;    // their places, in order
  std::vector<double> means;  // of each the mean of its stretch; none if all are kept
};
Thinned thinned(std::span<const double> values, Index most);

// Places of at most `most` of n things, evenly, the first and the last among them; of one the last.
std::vector<Index> evenly(Index n, Index most);

}  // namespace train
