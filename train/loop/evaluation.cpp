#include "train/loop/evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/base/storage.h"

namespace train {

double batch_loss(const model::GPT& gpt, const Batch& batch, Index most_logits) {
  const Index rows = batch.B * batch.T, V = gpt.config.vocab_size;
  if (rows <= most_logits / V)
    return static_cast<double>(gpt.loss(batch.ids, batch.targets, batch.B, batch.T).item());
  // The logits of a long context may take more memory than all else: compute them in pieces.
  const engine::Tensor x =
      gpt.features(batch.ids, batch.B, batch.T).reshape(engine::Shape{rows, gpt.config.n_embd});
  const Index piece = std::max<Index>(1, most_logits / 16 / V);
  double sum = 0;
  for (Index begin = 0; begin < rows; begin += piece) {
    const Index n = std::min(piece, rows - begin);
    const engine::Tensor logits =
        engine::linear(engine::slice(x, 0, begin, begin + n), gpt.head_weight());
    const auto targets = std::span(batch.targets).subspan(engine::unsigned_size(begin));
    sum += static_cast<double>(n) *
           static_cast<double>(
               engine::cross_entropy(logits, targets.first(engine::unsigned_size(n))).item());
  }
  return sum / static_cast<double>(rows);
}

BatchesLoss random_batches_loss(const model::GPT& gpt, const Corpus& corpus, Split split, Index k,
                                Index batch_size, engine::Generator& generator) {
  Batch batch(batch_size, gpt.config.block_size);
  std::vector<std::int64_t> starts(static_cast<std::size_t>(batch_size));
  std::vector<double> losses;
  double sum = 0, squares = 0;
  for (Index i = 0; i < k; ++i) {
    corpus.draw(split, batch.T, generator, starts);
    corpus.fill(split, starts, batch);
    losses.push_back(batch_loss(gpt, batch));
    sum += losses.back();
  }
  const auto n = static_cast<double>(k);
  for (const double loss : losses) squares += (loss - sum / n) * (loss - sum / n);
  return {sum / n,
          k > 1 ? std::sqrt(squares / (n - 1) / n) : std::numeric_limits<double>::infinity()};
}

WindowLoss window_loss(const model::GPT& gpt, const model::TokenIds& ids, Index begin, Index end,
                       Index batch_size, Index max_windows) {
  const Index T = gpt.config.block_size, predicted = end - begin - 1;
  check(predicted > 0, "a loss needs 2 tokens at least, found ", end - begin);
  const Index all = (predicted + T - 1) / T;
  const Index count = max_windows > 0 ? std::min(max_windows, all) : all;
  double sum = 0;
  Index tokens = 0, usual = batch_size * T, size = usual;
  // The last batches are smaller. For these the pool would keep blocks besides those for the others
  // and for training.
  const auto change_size = [&](Index n) {
    if (n != std::exchange(size, n)) engine::pool::trim();
  };
  const auto add = [&](std::span<const std::int64_t> starts, Index length) {
    Batch batch(static_cast<Index>(starts.size()), length);
    fill(ids, begin, starts, batch);
    const Index n = batch.B * batch.T;
    change_size(n);
    sum += batch_loss(gpt, batch) * static_cast<double>(n);
    tokens += n;
  };
  std::vector<std::int64_t> starts;
  const auto flush = [&] {
    if (!starts.empty()) add(starts, T);
    starts.clear();
  };
  for (Index i = 0; i < count; ++i) {
    const Index start = i * all / count * T;
    if (start + T > predicted) break;  // the short one
    starts.push_back(start);
    if (static_cast<Index>(starts.size()) == batch_size) flush();
  }
  flush();
  const std::int64_t last = (count - 1) * all / count * T;
  if (last + T > predicted) add(std::span(&last, 1), predicted - last);
  change_size(usual);
  return {sum / static_cast<double>(tokens), tokens, count, all};
}

WindowLoss window_loss(const model::GPT& gpt, const Corpus& corpus, Split split, Index batch_size,
                       Index max_windows) {
  const Index begin = corpus.begin(split);
  return window_loss(gpt, corpus.ids(), begin, begin + corpus.size(split), batch_size, max_windows);
}

}  // namespace train
