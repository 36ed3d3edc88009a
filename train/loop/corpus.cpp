#include "train/loop/corpus.h"

#include <algorithm>

#include "engine/base/check.h"

namespace train {

using engine::check;

void fill(const model::TokenIds& ids, Index offset, std::span<const std::int64_t> starts,
          Batch& batch) {
  const auto T = static_cast<std::size_t>(batch.T);
  for (std::size_t b = 0; b < starts.size(); ++b) {
    ids.copy(offset + starts[b], std::span(batch.ids).subspan(b * T, T));
    ids.copy(offset + starts[b] + 1, std::span(batch.targets).subspan(b * T, T));
  }
}

Corpus::Corpus(model::TokenIds ids, double val_fraction, Index block_size)
    : Corpus(std::move(ids), 0) {
  cut(val_fraction, block_size);
}

void Corpus::cut(double val_fraction, Index block_size, Index at_least) {
  const Index n = ids_.size(), shortest = block_size + 1;
  check(n >= 2 * shortest, engine::counted(n, "token"), ", need at least ",
        engine::count_text(2 * shortest), " (block_size ", block_size,
        " + 1 for training, as many for validation)");
  const auto first_part = static_cast<Index>((1 - val_fraction) * static_cast<double>(n));
  train_size_ = std::clamp(std::max(first_part, at_least), shortest, n - shortest);
}

void Corpus::draw(Split split, Index T, engine::Generator& generator,
                  std::span<std::int64_t> starts) const {
  generator.randint(starts, 0, size(split) - T);
}

}  // namespace train
