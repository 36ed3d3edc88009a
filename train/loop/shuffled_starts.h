// Where sequences start in a run that reads its text in shuffled order. The n tokens are cut into
// sequences of T, which are read in random order; then the text is cut at other places and read
// again. So no sequence is read twice in an epoch, and an epoch leaves out fewer than 2 T tokens,
// from a different part of the text each time. Starts drawn at random (Corpus::draw) would leave
// out a third of the text, and read a quarter twice or more.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/real.h"
#include "train/system/words.h"

namespace train {

class ShuffledStarts {
 public:
  // n > T, since a sequence's last target is T tokens after its start.
  ShuffledStarts(Index n, Index T, std::uint64_t seed);

  Index per_epoch() const { return count_; }
  // The starts of the run's sequences number first, first + 1, ... They do not depend on earlier
  // calls, so a resumed run needs only the number. Each epoch costs one shuffle.
  void get(Index first, std::span<std::int64_t> starts);

 private:
  void shuffle(Index epoch);

  Index n_, T_, count_;
  std::uint64_t seed_;
  Index epoch_ = -1;
  std::vector<std::int64_t> starts_;  // of epoch_
};

}  // namespace train
