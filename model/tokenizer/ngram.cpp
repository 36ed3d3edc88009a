#include "model/tokenizer/ngram.h"

#include <cmath>

#include "engine/base/check.h"
#include "model/tokenizer/hash_map.h"

namespace model {

namespace {

// Contexts of one length are numbered in order of appearance in the training part, and a context
// with one more token has as its key the shorter one's number and that token: 64 bits, however
// many tokens it is long.
using Number = std::uint32_t;
constexpr Number unseen = ~Number{0};

std::uint64_t key(Number context, std::int32_t token) {
  return std::uint64_t{context} << 32 | static_cast<std::uint32_t>(token);
}

struct Followed {
  double times = 0;  // N
  double ways = 0;   // U
};

// One step of the interpolation; contexts[i] is the number of the context before token i, and
// p[i - train_size] its probability so far.
void interpolate(const TokenIds& ids, Index train_size, const std::vector<Number>& contexts,
                 std::vector<double>& p) {
  KeyMap<Number> counts;
  std::vector<Followed> followed;
  for (Index i = 0; i < train_size; ++i) {
    const Number context = contexts[std::size_t(i)];
    if (context == unseen) continue;
    if (context >= followed.size()) followed.resize(context + 1);
    followed[context].times += 1;
    if (++counts[key(context, ids[i])] == 1) followed[context].ways += 1;
  }
  for (Index i = train_size; i < ids.size(); ++i) {
    const Number context = contexts[std::size_t(i)];
    if (context == unseen) continue;
    const Number* count = counts.find(key(context, ids[i]));
    const auto [times, ways] = followed[context];
    double& probability = p[std::size_t(i - train_size)];
    probability = ((count ? *count : 0) + ways * probability) / (times + ways);
  }
}

// From contexts of `length` tokens to those with one more.
void lengthen(const TokenIds& ids, Index train_size, Index length, std::vector<Number>& contexts) {
  KeyMap<Number> numbers;  // plus 1
  for (Index i = 0; i < ids.size(); ++i) {
    Number& context = contexts[std::size_t(i)];
    if (i <= length) context = unseen;
    if (context == unseen) continue;
    const std::uint64_t longer = key(context, ids[i - length - 1]);
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
  engine::check(0 < train_size && train_size < ids.size(), "n-grams: ", train_size, " of ",
                ids.size(), " tokens to count, expected some of them, but not all");
  engine::check(ids.size() < unseen, "n-grams: ", ids.size(), " tokens, expected less than 2^32");
  std::vector<double> p(std::size_t(ids.size() - train_size), 1 / double(vocabulary_size));
  std::vector<Number> contexts(std::size_t(ids.size()), 0);
  std::vector<double> losses;
  for (Index length = 0; length <= max_context; ++length) {
    if (length > 0) lengthen(ids, train_size, length - 1, contexts);
    interpolate(ids, train_size, contexts, p);
    double sum = 0;
    for (const double probability : p) sum -= std::log(probability);
    losses.push_back(sum / double(p.size()));
  }
  return losses;
}

}  // namespace model
