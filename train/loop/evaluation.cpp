#include "train/loop/evaluation.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/storage.h"
#include "train/loop/cost.h"

namespace train {

namespace {

// Numbers dealt out among the processes: of P processes each computes every P-th.
class Dealt {
 public:
  explicit Dealt(Processes processes) : processes_(processes) {}
  template <class Number>
  void add(Number number) {
    const bool mine = std::ssize(numbers_) % processes_.count == processes_.rank;
    numbers_.push_back(mine ? number() : 0);
  }
  // Call once, after the last: returns all of them, in order.
  const std::vector<double>& all() {
    processes_.gather(numbers_);
    return numbers_;
  }

 private:
  Processes processes_;
  std::vector<double> numbers_;
};

}  // namespace

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

Index windows_at_once(const model::Config& config) {
  const Index widest = config.block_size * std::max(config.vocab_size, 4 * config.n_embd);
  return std::clamp<Index>((Index(1) << 24) / widest, 1, 64);
}

double evaluation_bytes(const model::Config& config, Index B, Index T) {
  const double logits =
      static_cast<double>(B) * static_cast<double>(T) * static_cast<double>(config.vocab_size);
  return sizeof(engine::real) * (static_cast<double>(config.parameter_count()) +
                                 std::min(logits, static_cast<double>(max_logits))) +
         forward_bytes(config, B, T);
}

double random_batches_loss(const model::GPT& gpt, const Corpus& corpus, Split split, Index k,
                           Index batch_size, engine::Generator& generator, Processes processes) {
  Batch batch(batch_size, gpt.config.block_size);
  std::vector<std::int64_t> starts(static_cast<std::size_t>(batch_size));
  Dealt dealt(processes);
  for (Index i = 0; i < k; ++i) {
    corpus.draw(split, batch.T, generator, starts);
    dealt.add([&] {
      corpus.fill(split, starts, batch);
      return batch_loss(gpt, batch);
    });
  }
  double sum = 0;
  for (const double loss : dealt.all()) sum += loss;
  return sum / static_cast<double>(k);
}

WindowLoss window_loss(const model::GPT& gpt, const model::TokenIds& ids, Index begin, Index end,
                       Index batch_size, Index max_windows, Processes processes) {
  const Index T = gpt.config.block_size, predicted = end - begin - 1;
  check(predicted > 0, "a loss needs 2 tokens at least, found ", end - begin);
  const Index all = (predicted + T - 1) / T;
  const Index count = max_windows > 0 ? std::min(max_windows, all) : all;
  Dealt dealt(processes);  // the sums of batches' losses
  Index tokens = 0, usual = batch_size * T, size = usual;
  // The last batches are smaller. The pool would keep blocks of their size besides those for the
  // other batches and for training.
  const auto change_size = [&](Index n) {
    if (n != std::exchange(size, n)) engine::pool::trim();
  };
  const auto add = [&](std::span<const std::int64_t> starts, Index length) {
    const Index n = std::ssize(starts) * length;
    tokens += n;
    dealt.add([&] {
      Batch batch(std::ssize(starts), length);
      fill(ids, begin, starts, batch);
      change_size(n);
      return batch_loss(gpt, batch) * static_cast<double>(n);
    });
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
  double sum = 0;
  for (const double of_batch : dealt.all()) sum += of_batch;
  return {sum / static_cast<double>(tokens), tokens};
}

WindowLoss window_loss(const model::GPT& gpt, const Corpus& corpus, Split split, Index batch_size,
                       Index max_windows, Processes processes) {
  const Index begin = corpus.begin(split);
  return window_loss(gpt, corpus.ids(), begin, begin + corpus.size(split), batch_size, max_windows,
                     processes);
}

}  // namespace train
