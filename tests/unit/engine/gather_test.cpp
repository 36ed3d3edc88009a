// gather, one_hot, sort, topk: the examples of PyTorch's manual, and rows against plain loops.

#include <cmath>
#include <limits>

#include "engine/tape.h"
#include "tests/unit/engine/plain_loops.h"

using namespace plain;

using Ids = std::vector<Id>;

TEST_CASE("one_hot: the manual's example") {
  CHECK(list(one_hot(Ids{0, 1, 2, 0, 1}, 3)) ==
        Numbers{1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0});
  CHECK(one_hot(Ids{}, 3).shape() == Shape{0, 3});
  const Tensor w = input({3, 7});  // a row of w picked by a matrix product
  CHECK(list(matmul(one_hot(Ids{2, 0}, 3), w)) == list(embedding(w, Ids{2, 0}, {2})));
}

TEST_CASE("topk: the manual's example, ties, NaN first") {
  const Sorted three = topk(Tensor::arange(5) + 1, 3);
  CHECK(list(three.values) == Numbers{5, 4, 3});
  CHECK(three.ids == Ids{4, 3, 2});
  CHECK(topk(Tensor::of({{1, 3, 3, 0}, {2, 2, 2, 2}}), 2).ids == Ids{1, 2, 0, 1});
  const real nan = std::numeric_limits<real>::quiet_NaN();
  CHECK(topk(Tensor::of({1, nan, 9, nan}), 3).ids == Ids{1, 3, 2});
  CHECK(topk(Tensor::ones({2, 3}), 0).values.shape() == Shape{2, 0});
}

TEST_CASE("sort: rows against insertion into a sorted list; equal values keep their order") {
  const real nan = std::numeric_limits<real>::quiet_NaN();
  for (const Index n : {0, 1, 2, 5, 33, 1000})
    for (const bool descending : {false, true}) {
      const Tensor x = input({2, 3, n});
      for (Index i = 0; i < x.size(); ++i)  // many equal values, some NaN
        x.mutable_data()[i] = i % 11 == 5 ? nan : std::round(4 * x.data()[i]);
      const auto [values, ids] = sort(x, descending);
      REQUIRE(values.shape() == x.shape());
      REQUIRE(std::ssize(ids) == x.size());
      for (Index r = 0; r < 6 && n > 0; ++r) {
        const real* const row = x.data() + r * n;
        const auto size = [&](Id i) { return std::isnan(row[i]) ? HUGE_VAL : double(row[i]); };
        Ids sorted;
        for (Id i = 0; i < n; ++i) {
          auto place = sorted.end();
          while (place != sorted.begin() &&
                 (descending ? size(place[-1]) < size(i) : size(place[-1]) > size(i)))
            --place;
          sorted.insert(place, i);
        }
        INFO(n << " values, row " << r << (descending ? ", descending" : ""));
        CHECK(Ids(ids.begin() + r * n, ids.begin() + (r + 1) * n) == sorted);
        for (Index k = 0; k < n; ++k) {
          const real got = values.data()[r * n + k], expected = row[sorted[std::size_t(k)]];
          CHECK((got == expected || (std::isnan(got) && std::isnan(expected))));
        }
      }
    }
}

TEST_CASE("ids: what argmax and multinomial find, embedding takes") {
  const Tensor w = input({4, 3});
  Generator generator(1);
  const std::vector<real> p{1, 2, 3, 4};
  const Ids drawn = {generator.multinomial(p), generator.multinomial(p)};
  CHECK(embedding(w, drawn, {2}).shape() == Shape{2, 3});
  CHECK(embedding(w, argmax(w, 0), {3}).shape() == Shape{3, 3});
  CHECK(argmax(Tensor::of({{0, 9}, {9, 0}})) == Ids{1, 0});
}
