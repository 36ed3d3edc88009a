// Fewer points: which of them stay.
#include "train/report/thinned.h"

#include <algorithm>
#include <cmath>

#include "engine/base/index.h"
#include "tests/catch.h"

using namespace train;
using engine::at;

TEST_CASE("page thinning: few values stay as they are") {
  for (const Index n : {0, 1, 2, 9, 10}) {
    const std::vector<double> values(engine::unsigned_size(n), 1.5);
    const Thinned some = thinned(values, 10);
    CHECK(std::ssize(some.kept) == n);
    CHECK(std::ranges::is_sorted(some.kept));
    CHECK(some.means.empty());
  }
}

TEST_CASE("page thinning: the ends stay, and the extremes of each stretch, beside its mean") {
  for (const Index n : {11, 12, 100, 1001})
    for (const Index most : {6, 10}) {
      INFO(n << " values, at most " << most);
      std::vector<double> values;
      for (Index i = 0; i < n; ++i) values.push_back(std::sin(static_cast<double>(i * i)));
      at(values, n / 2) = 9;
      at(values, n / 3) = -9;
      const Thinned some = thinned(values, most);
      const Index stretches = most / 2 - 1;
      CHECK(std::ssize(some.kept) <= most);
      CHECK(some.means.size() == some.kept.size());
      CHECK(std::ranges::adjacent_find(some.kept, std::greater_equal()) == some.kept.end());
      CHECK(some.kept.front() == 0);
      CHECK(some.kept.back() == n - 1);
      CHECK(some.means.front() == values.front());
      CHECK(some.means.back() == values.back());
      CHECK(std::ranges::count(some.kept, n / 2) == 1);
      CHECK(std::ranges::count(some.kept, n / 3) == 1);
      std::size_t seen = 1;
      for (Index i = 0; i < stretches; ++i) {
        const Index begin = 1 + i * (n - 2) / stretches, end = 1 + (i + 1) * (n - 2) / stretches;
        double sum = 0, lowest = 10, highest = -10;
        for (Index k = begin; k < end; ++k) {
          sum += at(values, k);
          lowest = std::min(lowest, at(values, k));
          highest = std::max(highest, at(values, k));
        }
        std::vector<double> kept;
        for (; some.kept[seen] < end; ++seen) {
          kept.push_back(at(values, some.kept[seen]));
          CHECK(some.means[seen] == Approx(sum / static_cast<double>(end - begin)).margin(1e-12));
        }
        std::ranges::sort(kept);
        CHECK(kept == (lowest == highest ? std::vector{lowest} : std::vector{lowest, highest}));
      }
      CHECK(seen + 1 == some.kept.size());
    }
}

TEST_CASE("page thinning: evenly, the first and the last among them") {
  CHECK(evenly(0, 11).empty());
  CHECK(evenly(5, 1) == std::vector<Index>{4});
  CHECK(evenly(5, 5) == std::vector<Index>{0, 1, 2, 3, 4});
  CHECK(evenly(9, 3) == std::vector<Index>{0, 4, 8});
  for (Index n = 2; n <= 30; ++n) {
    const std::vector<Index> places = evenly(n, 11);
    INFO(n << " things");
    CHECK(std::ssize(places) == std::min<Index>(n, 11));
    CHECK(places.front() == 0);
    CHECK(places.back() == n - 1);
    CHECK(std::ranges::adjacent_find(places, std::greater_equal()) == places.end());
  }
}
