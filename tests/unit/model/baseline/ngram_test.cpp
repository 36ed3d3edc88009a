// n-gram baselines: against the definition, word for word, and published figures.
#include "model/baseline/ngram.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "model/tokenizer/factory.h"
#include "tests/catch.h"

using namespace model;

namespace {

using Ids = std::vector<std::int32_t>;

std::vector<double> plain_losses(const Ids& ids, std::size_t train_size, Index vocabulary_size,
                                 int max_context) {
  std::map<Ids, std::map<std::int32_t, int>> followers;
  for (std::size_t i = 0; i < train_size; ++i)
    for (std::size_t j = 0; j <= std::min<std::size_t>(i, std::size_t(max_context)); ++j)
      ++followers[Ids(ids.begin() + Index(i - j), ids.begin() + Index(i))][ids[i]];
  std::vector<double> losses;
  for (int k = 0; k <= max_context; ++k) {
    double sum = 0;
    for (std::size_t i = train_size; i < ids.size(); ++i) {
      double p = 1 / double(vocabulary_size);
      for (std::size_t j = 0; j <= std::min<std::size_t>(i, std::size_t(k)); ++j) {
        const auto found = followers.find(Ids(ids.begin() + Index(i - j), ids.begin() + Index(i)));
        if (found == followers.end()) continue;
        double n = 0, u = double(found->second.size()), c = 0;
        for (const auto& [token, times] : found->second)
          n += times, c += token == ids[i] ? times : 0;
        p = (c + u * p) / (n + u);
      }
      sum -= std::log(p);
    }
    losses.push_back(sum / double(ids.size() - train_size));
  }
  return losses;
}

}  // namespace

TEST_CASE("ngram: losses follow the definition") {
  std::mt19937 random(6);
  for (const auto& [size, vocabulary] :
       {std::pair<std::size_t, int>{2, 2}, {10, 3}, {500, 2}, {500, 4}, {800, 30}, {300, 70000}}) {
    Ids ids;
    while (ids.size() < size) ids.push_back(std::int32_t(random() % std::size_t(vocabulary)));
    const std::size_t train_size = (size + 1) / 2;
    TokenIds compact(vocabulary);
    for (const std::int32_t id : ids) compact.push_back(id);
    const std::vector<double> expected = plain_losses(ids, train_size, vocabulary, 5);
    const std::vector<double> losses = ngram_losses(compact, Index(train_size), vocabulary);
    REQUIRE(losses.size() == 6);
    for (std::size_t k = 0; k < 6; ++k) {
      INFO(size << " of " << vocabulary << ", context " << k);
      // Both round each of the `size` logarithms and sums in double.
      CHECK(std::abs(losses[k] - expected[k]) < 1e-15 * double(size) * expected[k] + 1e-15);
    }
  }
}

TEST_CASE("ngram: tiny shakespeare's published losses") {
  std::ifstream file("data/tinyshakespeare.txt", std::ios::binary);  // `make shakespeare`
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.empty()) return;
  const TokenizerHandle tokenizer = train_tokenizer(TokenizerKind::character, text);
  const std::vector<double> losses = ngram_losses(tokenizer->encode(text), 1003854, 65);
  const double published[] = {3.3473, 2.4858, 2.0492, 1.7738, 1.6688, 1.6981};
  for (std::size_t k = 0; k < 6; ++k) CHECK(std::abs(losses[k] - published[k]) <= 0.00005);
}
