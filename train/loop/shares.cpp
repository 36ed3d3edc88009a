#include "train/loop/shares.h"

#include <span>

#include "engine/base/storage.h"
#include "engine/kernels/elementwise.h"

namespace train {

Shares::Shares(const nn::FlatParameters& parameters, Processes processes)
    : processes_(processes), own_{0, std::ssize(parameters.entries()), {}} {
  if (processes.alone()) return;
  own_.gather = [processes](std::span<double> sums) { processes.gather(sums); };
  const Index last = own_.end;
  const auto offset = [&](Index i) {
    return i < last ? parameters.offset(engine::at(parameters.entries(), i)) : parameters.size();
  };
  for (int distance = 1; distance < processes.count; distance *= 2) {
    // The parameter that begins nearest to the middle.
    const Index both = offset(own_.begin) + offset(own_.end);
    Index middle = own_.begin;
    while (middle < own_.end && offset(middle) + offset(middle + 1) <= both) ++middle;
    const Range lower{offset(own_.begin), offset(middle)}, upper{offset(middle), offset(own_.end)};
    const bool is_upper = (processes.rank & distance) != 0;
    levels_.push_back(
        {processes.rank ^ distance, is_upper ? upper : lower, is_upper ? lower : upper});
    (is_upper ? own_.begin : own_.end) = middle;
  }
}

void Shares::sum(engine::real* block) const {
  for (const auto& [partner, kept, given] : levels_) {
    const Index n = kept.end - kept.begin;
    const engine::Scratch<engine::real> received(n);
    processes_.exchange(partner, {block + given.begin, block + given.end},
                        {received.data(), engine::unsigned_size(n)});
    engine::kernels::parallel_map(
        n, block + kept.begin, engine::kernels::Write::add,
        [](engine::kernels::Vec x) { return x; }, received.data());
  }
}

void Shares::hand_out(engine::real* block) const {
  for (std::size_t i = levels_.size(); i-- > 0;) {
    const auto& [partner, kept, given] = levels_[i];
    processes_.exchange(partner, {block + kept.begin, block + kept.end},
                        {block + given.begin, block + given.end});
  }
}

}  // namespace train
