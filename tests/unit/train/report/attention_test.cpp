// The weights of attention as text, and how many of them a page has.
#include "train/report/data.h"

#include <cmath>
#include <sstream>

#include "engine/base/index.h"
#include "tests/catch.h"
#include "tests/unit/train/report/page_data.h"

using namespace train;
using engine::at;
using engine::real;

namespace {

// Rows that sum to 1: some even, some nearly all on one token.
std::vector<real> weights(Index n, bool causal) {
  std::vector<real> all(std::size_t(n * n));
  for (Index i = 0; i < n; ++i) {
    const Index end = causal ? i + 1 : n;
    std::vector<double> row;
    double sum = 0;
    for (Index j = 0; j < end; ++j) {
      row.push_back(std::exp(double(i % 5) * std::sin(double(7 * i + 3 * j))));
      sum += row.back();
    }
    for (Index j = 0; j < end; ++j) at(all, i * n + j) = static_cast<real>(at(row, j) / sum);
  }
  return all;
}

}  // namespace

TEST_CASE("attention map: its numbers are the weights, row by row") {
  for (const bool causal : {true, false})
    for (const Index n : {1, 2, 5, 8, 9, 24, 40}) {
      INFO("n " << n << ", causal " << causal);
      const std::vector<real> expected = weights(n, causal);
      std::istringstream rows(weights_text(expected, n, causal));
      Index i = 0;
      for (std::string row; std::getline(rows, row, ';'); ++i) {
        std::istringstream words(row);
        Index j = 0;
        for (std::string word; std::getline(words, word, ' '); ++j) {
          INFO("row " << i << ", column " << j);
          CHECK(std::abs(page_data::number(word) - double(at(expected, i * n + j))) <=
                0.5e-4 * (1 + 1e-9));
        }
        CHECK(j == (causal ? i + 1 : n));
      }
      CHECK(i == n);
    }
}

TEST_CASE("attention map: weights have four digits, without zeros at either end") {
  CHECK(weights_text(std::vector<real>{1, 0, real(1 / 3.0), real(2 / 3.0)}, 2, true) ==
        "1;.3333 .6667");
  CHECK(weights_text(std::vector<real>{0.25, 0.75, 1, 0}, 2, false) == ".25 .75;1 0");
  CHECK(weights_text(std::vector<real>{real(0.99996), real(0.00004), real(0.9), real(0.0503)}, 2,
                     false) == "1 0;.9 .0503");
}

TEST_CASE("attention map: the maps of a page have 150 kB at most") {
  for (const bool causal : {true, false}) {
    Index before = 40;
    for (Index heads = 1; heads <= 3000; heads += 1 + heads / 4) {
      INFO(heads << " heads, causal " << causal);
      const Index n = tokens_on_maps(heads, causal);
      CHECK(n >= 2);
      CHECK(n <= before);  // more heads, fewer tokens
      before = n;
      const auto size = [&](Index tokens) {
        const std::vector<real> longest(std::size_t(tokens * tokens), real(0.0346));
        return heads * std::ssize(weights_text(longest, tokens, causal));
      };
      CHECK((n == 2 || size(n) <= 150'000));
      // Nor is room left that one token more could use.
      CHECK((n == 40 || size(n + 1) > 149'000 - heads));
    }
    CHECK(tokens_on_maps(1, causal) == 40);
    CHECK(tokens_on_maps(12 * 12, causal) >= 12);
    CHECK(tokens_on_maps(1'000'000, causal) == 2);
  }
}
