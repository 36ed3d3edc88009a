// Where the sequences of a run start that reads its text in shuffled order: n tokens are cut into
// sequences of T, all of them are read in random order, then the text is cut at other places and
// read again. A sequence is thus met once an epoch, while places drawn at random (Corpus::draw)
// leave out a third of the text in that time, and read a quarter twice or more.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/real.h"

namespace train {

using engine::Index;

class ShuffledStarts {
 public:
  // n > T: a sequence's last target lies T behind its start.
  ShuffledStarts(Index n, Index T, std::uint64_t seed);

  Index per_epoch() const { return count_; }
  // Of the run's sequences first, first + 1, ... They depend on nothing that was asked for before,
  // so that a resumed run goes on by numbers alone; sequences of one epoch cost one shuffle.
  void get(Index first, std::span<std::int64_t> starts);

 private:
  void shuffle(Index epoch);

  Index n_, T_, count_;
  std::uint64_t seed_;
  Index epoch_ = -1;
  std::vector<std::int64_t> starts_;  // of epoch_
};

}  // namespace train
