#include "train/report/measures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/ops.h"
#include "train/loop/evaluation.h"

namespace train {

using engine::real;
using engine::Tensor;

namespace {

// log p of every token at every position: (n, V).
Tensor log_probabilities(const model::GPT& gpt, std::span<const std::int32_t> ids, Index B,
                         Index T) {
  const Tensor logits = gpt.logits(ids, B, T);
  return engine::log_softmax(logits.reshape(engine::Shape{B * T, logits.shape().cols()}));
}

// Positions in the range that begins at `first`.
Index width_from(Index first) { return std::max<Index>(first / 2, 1); }

}  // namespace

std::vector<Prediction> predictions(const model::GPT& gpt, std::span<const std::int32_t> ids,
                                    Index choices) {
  const Index T = gpt.config.block_size, n = std::ssize(ids) - 1;
  std::vector<Prediction> result;
  std::vector<std::int32_t> order;
  for (Index begin = 0; std::ssize(result) < n; begin += std::max<Index>(T / 2, 1)) {
    const Index length = std::min(T, n - begin);
    const Tensor log_p = log_probabilities(
        gpt, ids.subspan(engine::unsigned_size(begin), engine::unsigned_size(length)), 1, length);
    const Index V = log_p.shape().cols(), shown = std::min(choices, V);
    order.resize(engine::unsigned_size(V));
    for (Index i = std::ssize(result) - begin; i < length; ++i) {
      const real* const row = log_p.data() + i * V;
      std::iota(order.begin(), order.end(), 0);
      std::ranges::partial_sort(order, order.begin() + shown, std::ranges::greater(),
                                [&](std::int32_t token) { return row[token]; });
      const std::int32_t token = engine::at(ids, begin + i + 1);
      Prediction& prediction = result.emplace_back();
      prediction.token = token;
      prediction.loss = -static_cast<double>(row[token]);
      for (Index k = 0; k < shown; ++k)
        prediction.choices.push_back(
            {engine::at(order, k), std::exp(static_cast<double>(row[engine::at(order, k)]))});
    }
  }
  return result;
}

std::vector<PositionLoss> position_losses(const model::GPT& gpt, const Corpus& corpus,
                                          Index predictions) {
  const Index longest = gpt.config.block_size, begin = corpus.begin(Split::validation);
  std::vector<PositionLoss> result;
  for (Index first = 1; first <= longest;) {
    // Short contexts use short windows, since there are more of them; so each mean is over many
    // tokens.
    const Index T = std::min(longest, 4 * first),
                last_start = corpus.size(Split::validation) - 1 - T;
    const Index windows = std::clamp<Index>(predictions / width_from(first), 1, last_start + 1),
                at_once = windows_at_once(gpt.config) * longest / T;
    std::vector<double> sums(engine::unsigned_size(T));
    for (Index start = 0; start < windows; start += at_once) {
      std::vector<std::int64_t> starts;
      for (Index i = start; i < std::min(start + at_once, windows); ++i)
        starts.push_back(windows == 1 ? 0 : i * last_start / (windows - 1));
      Batch batch(std::ssize(starts), T);
      fill(corpus.ids(), begin, starts, batch);
      const Tensor log_p = log_probabilities(gpt, batch.ids, batch.B, T);
      for (Index i = 0; i < batch.B * T; ++i)
        engine::at(sums, i % T) -= static_cast<double>(
            log_p.data()[i * log_p.shape().cols() + engine::at(batch.targets, i)]);
    }
    while (first <= T) {
      const Index width = width_from(first), left = T - first + 1,
                  last = left < 2 * width ? T : first + width - 1;
      PositionLoss mean{first, last, 0, windows * (last - first + 1)};
      for (Index position = first; position <= last; ++position)
        mean.loss += engine::at(sums, position - 1) / static_cast<double>(mean.tokens);
      result.push_back(mean);
      first = last + 1;
    }
  }
  return result;
}

}  // namespace train
