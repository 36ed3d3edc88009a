// Sequences read in shuffled order: all of them, each once an epoch, cut at other places each time.
#include "train/loop/shuffled_starts.h"

#include <algorithm>
#include <set>

#include "tests/catch.h"

using namespace train;

namespace {

std::vector<std::int64_t> get(ShuffledStarts& starts, Index first, Index count) {
  std::vector<std::int64_t> list(static_cast<std::size_t>(count));
  starts.get(first, list);
  return list;
}

}  // namespace

TEST_CASE("shuffled starts: an epoch reads every sequence once, in random order") {
  for (const Index T : {1, 7, 64})
    for (const Index n : {T + 1, T + 2, 2 * T, 2 * T + 1, 3 * T - 1, 50 * T + 3}) {
      ShuffledStarts starts(n, T, 1337);
      INFO("T " << T << ", " << n << " tokens");
      const Index per_epoch = starts.per_epoch();
      CHECK(per_epoch >= 1);
      CHECK((per_epoch + 2) * T > n);  // at most a sequence and a half are left out
      for (Index epoch = 0; epoch < 3; ++epoch) {
        std::vector<std::int64_t> list = get(starts, epoch * per_epoch, per_epoch);
        if (per_epoch > 20) CHECK_FALSE(std::ranges::is_sorted(list));
        std::ranges::sort(list);
        CHECK(list.front() >= 0);
        CHECK(list.back() + T < n);  // the last target exists
        for (std::size_t i = 1; i < list.size(); ++i) CHECK(list[i] == list[i - 1] + T);
      }
    }
}

TEST_CASE("shuffled starts: any first token of a cut, the last one too") {
  const Index T = 5;
  for (const Index n : {T + 1, T + 3, 3 * T, 3 * T + 2}) {
    std::set<std::int64_t> first;
    std::int64_t last = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      ShuffledStarts starts(n, T, seed);
      const std::vector<std::int64_t> list = get(starts, 0, starts.per_epoch());
      first.insert(std::ranges::min(list));
      last = std::max(last, std::ranges::max(list));
    }
    INFO(n << " tokens");
    CHECK(std::ssize(first) == std::min(T, n - T));
    CHECK(*first.begin() == 0);
    if (n < 3 * T) CHECK(last == n - T - 1);
  }
}

TEST_CASE("shuffled starts: seeds and epochs differ; where a run goes on decides nothing") {
  ShuffledStarts a(1000, 8, 1), b(1000, 8, 1), other(1000, 8, 2);
  const Index per_epoch = a.per_epoch();
  const std::vector<std::int64_t> all = get(a, 0, 3 * per_epoch);
  for (const Index first : {2 * per_epoch - 3, Index(5), per_epoch, per_epoch - 1})
    CHECK(std::ranges::equal(get(b, first, 7), std::span(all).subspan(std::size_t(first), 7)));
  CHECK(get(other, 0, per_epoch) != get(a, 0, per_epoch));
  CHECK(get(a, per_epoch, per_epoch) != get(a, 0, per_epoch));
  CHECK(get(a, per_epoch, per_epoch) != get(other, 0, per_epoch));
}
