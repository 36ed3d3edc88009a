// Sequences read in shuffled order: each at most once an epoch, cut at other places each time, so that
// every token is read in some epoch.
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

TEST_CASE("shuffled starts: an epoch reads no sequence twice, in random order") {
  for (const Index T : {1, 7, 64})
    for (const Index n : {T + 1, T + 2, 2 * T, 2 * T + 1, 3 * T - 1, 50 * T + 3}) {
      ShuffledStarts starts(n, T, 1337);
      INFO("T " << T << ", " << n << " tokens");
      const Index per_epoch = starts.per_epoch();
      CHECK(per_epoch >= 1);
      CHECK((per_epoch + 2) * T > n);  // less than 2 T tokens are left out
      for (Index epoch = 0; epoch < 3; ++epoch) {
        std::vector<std::int64_t> list = get(starts, epoch * per_epoch, per_epoch);
        if (per_epoch > 20) CHECK_FALSE(std::ranges::is_sorted(list));
        std::ranges::sort(list);
        CHECK(list.front() >= 0);
        CHECK(list.back() + T < n);  // the last target exists
        Index between = 0;           // the cut's sequences that are left out: one at most
        for (std::size_t i = 1; i < list.size(); ++i) {
          CHECK(list[i] > list[i - 1]);
          CHECK((list[i] - list[i - 1]) % T == 0);
          between += (list[i] - list[i - 1]) / T - 1;
        }
        CHECK(between <= 1);
      }
    }
}

TEST_CASE("shuffled starts: every token but the last is an input, all but the first are targets") {
  for (Index T = 1; T <= 9; ++T)
    for (Index n = T + 1; n <= 4 * T + 1; ++n) {
      ShuffledStarts starts(n, T, 1337);
      std::set<std::int64_t> read;
      for (const std::int64_t start : get(starts, 0, 1000 * starts.per_epoch())) read.insert(start);
      INFO("T " << T << ", " << n << " tokens");
      // A sequence is the inputs [start, start + T) and the targets [start + 1, start + T + 1). Every
      // start that leaves room for them occurs, and no other.
      CHECK(std::ssize(read) == n - T);
      CHECK(*read.begin() == 0);
      CHECK(*read.rbegin() == n - T - 1);
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
