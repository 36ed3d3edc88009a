#include "train/report/thinned.h"

#include <algorithm>
#include <numeric>

namespace train {

Thinned thinned(std::span<const double> values, Index most) {
  const Index n = std::ssize(values), stretches = most / 2 - 1;
  Thinned some;
  if (n <= most) {
    some.kept.resize(values.size());
    std::iota(some.kept.begin(), some.kept.end(), 0);
    return some;
  }
  const auto keep = [&](Index i, double mean) {
    some.kept.push_back(i);
    some.means.push_back(mean);
  };
  keep(0, values.front());
  for (Index i = 0; i < stretches; ++i) {
    const auto begin = values.begin() + 1 + i * (n - 2) / stretches,
               end = values.begin() + 1 + (i + 1) * (n - 2) / stretches;
    const double mean = std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin);
    const auto [lowest, highest] = std::minmax_element(begin, end);
    keep(std::min(lowest, highest) - values.begin(), mean);
    if (lowest != highest) keep(std::max(lowest, highest) - values.begin(), mean);
  }
  keep(n - 1, values.back());
  return some;
}

std::vector<Index> evenly(Index n, Index most) {
  const Index shown = std::min(n, most);
  std::vector<Index> places;
  for (Index i = 0; i < shown; ++i)
    places.push_back(shown == 1 ? n - 1 : i * (n - 1) / (shown - 1));
  return places;
}

}  // namespace train
