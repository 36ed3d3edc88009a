// What a report measures with a model, against the model itself.
#include "train/report/measures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/index.h"
#include "engine/ops.h"
#include "tests/catch.h"
#include "tests/unit/model/models.h"
#include "tests/unit/train/loop/counting.h"

using namespace train;
using engine::at;
using engine::real;
using engine::Tensor;
using models::Ids;

namespace {

constexpr double eps = std::numeric_limits<real>::epsilon();

// With weights that are large enough for losses from nearly 0 to 10.
model::GPT model_of(Index block_size, Index vocabulary = 11) {
  model::GPT gpt({.vocab_size = vocabulary,
                  .block_size = block_size,
                  .n_layer = 2,
                  .n_head = 2,
                  .n_embd = 8,
                  .bias = true});
  engine::Generator generator(7);
  model::initialize(gpt, generator, 1);
  return gpt;
}

Ids random_ids(Index n) { return models::random_ids(n, 11, 3); }

Corpus corpus_of(const Ids& ids, Index train_size, Index vocabulary = 11) {
  return {tokens_of(std::ssize(ids), vocabulary, [&](Index i) { return at(ids, i); }), train_size};
}

std::span<const std::int32_t> part(const Ids& ids, Index begin, Index size) {
  return std::span(ids).subspan(std::size_t(begin), std::size_t(size));
}

// The losses of ids[begin + 1], ..., ids[begin + size], by the model's logits for the window.
std::vector<double> direct_losses(const model::GPT& gpt, const Ids& ids, Index begin, Index size) {
  const Tensor log_p = engine::log_softmax(gpt.logits(part(ids, begin, size), 1, size));
  std::vector<double> losses;
  for (Index i = 0; i < size; ++i)
    losses.push_back(-double(log_p.at({0, i, at(ids, begin + i + 1)})));
  return losses;
}

}  // namespace

TEST_CASE("measures: each token is predicted once, from half a window of context at least") {
  for (const Index T : {1, 2, 5, 8}) {
    const model::GPT gpt = model_of(T);
    for (const Index size : {1, 2, 8, 9, 10, 12, 13, 14, 31}) {
      const Ids ids = random_ids(size);
      const std::vector<Prediction> all = predictions(gpt, ids, 2);
      INFO("block_size " << T << ", tokens " << size);
      REQUIRE(std::ssize(all) == size - 1);
      for (Index i = 1; i < size; ++i) {
        const Prediction& prediction = at(all, i - 1);
        INFO("token " << i);
        CHECK(prediction.token == at(ids, i));
        // A window's last row has the same bits as that row in a longer window.
        bool found = false;
        for (Index context = std::min(i, (T + 1) / 2); context <= std::min(i, T); ++context)
          found |= prediction.loss == direct_losses(gpt, ids, i - context, context).back();
        CHECK(found);
      }
    }
  }
}

TEST_CASE("measures: choices are the likeliest tokens, in order, with their probabilities") {
  const model::GPT gpt = model_of(8);
  const Ids ids = random_ids(9);
  const Tensor p = engine::softmax(gpt.logits(part(ids, 0, 8), 1, 8));
  for (const Index count : {0, 1, 4, 11, 50}) {
    const std::vector<Prediction> all = predictions(gpt, ids, count);
    REQUIRE(all.size() == 8);
    for (Index i = 0; i < 8; ++i) {
      const std::vector<Prediction::Choice>& choices = at(all, i).choices;
      INFO(count << " choices at position " << i);
      REQUIRE(std::ssize(choices) == std::min<Index>(count, 11));
      std::vector<double> expected;
      for (Index token = 0; token < 11; ++token) expected.push_back(double(p.at({0, i, token})));
      for (std::size_t k = 0; k < choices.size(); ++k) {
        INFO("choice " << k);
        // exp of a logarithm that is rounded to eps of up to 1 + its size.
        const double probability = at(expected, choices[k].token);
        CHECK(std::abs(choices[k].probability - probability) <=
              8 * eps * probability * (1 - std::log(probability)));
        if (k > 0) CHECK(choices[k].probability <= choices[k - 1].probability);
        // None that is not chosen is likelier.
        CHECK(std::ranges::count_if(expected, [&](double other) { return other > probability; }) <=
              static_cast<std::ptrdiff_t>(k));
      }
    }
  }
}

TEST_CASE("measures: losses by position are those of windows spread over the validation text") {
  for (const Index block_size : {1, 4, 9, 37, 100})
    for (const Index size : {block_size + 1, block_size + 2, 3 * block_size + 5, 50 * block_size})
      for (const Index predictions : {Index(0), Index(1), Index(10), Index(500)}) {
        const model::GPT gpt = model_of(block_size);
        constexpr Index train_size = 5;
        const Ids ids = random_ids(train_size + size);
        INFO("block_size " << block_size << ", tokens " << size << ", predictions " << predictions);
        const std::vector<PositionLoss> ranges =
            position_losses(gpt, corpus_of(ids, train_size), predictions);
        auto range = ranges.begin();
        // Windows of four tokens, then of four times as many as the first position that is left.
        for (Index next = 1; next <= block_size;) {
          const Index T = std::min(block_size, 4 * next);
          // As many as there are places at most; the first begins the text, the last ends it.
          const Index places = size - T, width = std::max<Index>(1, next / 2),
                      windows = std::clamp<Index>(predictions / width, 1, places);
          std::vector<double> sums(static_cast<std::size_t>(T));
          for (Index i = 0; i < windows; ++i) {
            const Index start = train_size + (windows == 1 ? 0 : i * (places - 1) / (windows - 1));
            const std::vector<double> losses = direct_losses(gpt, ids, start, T);
            for (Index position = 0; position < T; ++position)
              at(sums, position) += at(losses, position);
          }
          for (; next <= T; next = range++->last + 1) {
            REQUIRE(range != ranges.end());
            INFO("positions " << range->first << " to " << range->last);
            CHECK(range->first == next);
            REQUIRE(range->last >= range->first);
            REQUIRE(range->last <= T);
            CHECK(range->last - range->first + 1 < 2 * std::max<Index>(1, range->first / 2));
            CHECK(range->tokens == windows * (range->last - range->first + 1));
            double expected = 0;
            for (Index position = range->first; position <= range->last; ++position)
              expected += at(sums, position - 1) / double(range->tokens);
            CHECK(range->loss == Approx(expected).epsilon(1e-12));  // sums of doubles
          }
        }
        CHECK(range == ranges.end());
      }
}
