#include "model/baseline/ngram.h"

#include <cmath>
#include <cstdint>

#include "model/base/hash_map.h"

namespace model {

namespace {

// Contexts of one length are numbered in the order of their appearance in the training part. The
// key of a context one token longer combines the number of the shorter context with that token: 64
// bits for any length.
using Number = std::uint32_t;
constexpr Number unseen = ~Number{0};

struct Followed {
  double times = 0;  // N: how often any token follows the context
  double ways = 0;   // U: how many distinct tokens follow it
};

// One step of the interpolation. contexts[i] is the number of the context before token i; p[i -
// train_size] is the probability of token i so far.
void interpolate(const TokenIds& ids, Index train_size, const std::vector<Number>& contexts,
                 std::vector<double>& p) {
  KeyMap<Number> counts;
  std::vector<Followed> followed;
  for (Index i = 0; i < train_size; ++i) {
    const Number context = engine::at(contexts, i);
    if (context == unseen) continue;
    if (context >= followed.size()) followed.resize(context + 1);
    followed[context].times += 1;
    if (++counts[pair_key(context, ids[i])] == 1) followed[context].ways += 1;
  }
  for (Index i = train_size; i < ids.size(); ++i) {
    const Number context = engine::at(contexts, i);
    if (context == unseen) continue;
    const Number* count = counts.find(pair_key(context, ids[i]));
    const auto [times, ways] = followed[context];
    double& probability = engine::at(p, i - train_size);
    probability = ((count ? *count : 0) + ways * probability) / (times + ways);
  }
}

// Replaces the numbers of contexts of `length` tokens by those of contexts of length + 1.
void lengthen(const TokenIds& ids, Index train_size, Index length, std::vector<Number>& contexts) {
  KeyMap<Number> numbers;  // context number + 1; 0: new
  for (Index i = 0; i < ids.size(); ++i) {
    Number& context = engine::at(contexts, i);
    if (i <= length) context = unseen;
    if (context == unseen) continue;
    const std::uint64_t longer = pair_key(context, ids[i - length - 1]);
    if (i < train_size) {
      Number& number = numbers[longer];
      if (number == 0) number = static_cast<Number>(numbers.size());
      context = number - 1;
    } else {
      const Number* number = numbers.find(longer);
      context = number ? *number - 1 : unseen;
    }
  }
}

}  // namespace

std::vector<double> ngram_losses(const TokenIds& ids, Index train_size, Index vocabulary_size,
                                 int max_context) {
  check(0 < train_size && train_size < ids.size(), "n-grams: train_size ", train_size, " of ",
        ids.size(), " tokens, expected 1 or more and not all");
  check(ids.size() < unseen, "n-grams: ", ids.size(), " tokens, expected less than 2^32");
  std::vector<double> p(unsigned_size(ids.size() - train_size),
                        1 / static_cast<double>(vocabulary_size));
  std::vector<Number> contexts(unsigned_size(ids.size()), 0);
  std::vector<double> losses;
  for (Index length = 0; length <= max_context; ++length) {
    if (length > 0) lengthen(ids, train_size, length - 1, contexts);
    interpolate(ids, train_size, contexts, p);
    double sum = 0;
    for (const double probability : p) sum -= std::log(probability);
    losses.push_back(sum / static_cast<double>(p.size()));
  }
  return losses;
}

}  // namespace model
