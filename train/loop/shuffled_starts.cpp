#include "train/loop/shuffled_starts.h"

#include <algorithm>

#include "engine/random/generator.h"

namespace train {

// The number of sequences that fit for each of the T places where the first may begin.
ShuffledStarts::ShuffledStarts(Index n, Index T, std::uint64_t seed)
    : n_(n), T_(T), count_(std::max<Index>(n / T - 1, 1)), seed_(seed) {}

void ShuffledStarts::get(Index first, std::span<std::int64_t> starts) {
  for (std::int64_t& start : starts) {
    shuffle(first / count_);
    start = starts_[static_cast<std::size_t>(first % count_)];
    ++first;
  }
}

void ShuffledStarts::shuffle(Index epoch) {
  if (epoch == epoch_) return;
  // The bits of the golden ratio, times the epoch, make the epochs of one seed differ from those of
  // the next seed.
  engine::Generator generator((seed_ ^ 0x73687566) +
                              static_cast<std::uint64_t>(epoch) * 0x9e3779b9);  // "shuf"
  std::int64_t first[1];
  generator.randint(first, 0, std::min(T_, n_ - count_ * T_));
  // One more may fit. Every sequence is left out equally often, so neither end of the text is
  // missed.
  starts_ = generator.randperm((n_ - 1 - first[0]) / T_);
  starts_.resize(engine::unsigned_size(count_));
  for (std::int64_t& start : starts_) start = first[0] + start * T_;
  epoch_ = epoch;
}

}  // namespace train
