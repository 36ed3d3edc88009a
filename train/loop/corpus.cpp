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

Corpus::Corpus(model::TokenIds ids, double val_fraction, Index block_size) : ids_(std::move(ids)) {
  const Index n = ids_.size(), least = block_size + 1;
  check(n >= 2 * least, n, " tokens, need at least ", 2 * least, " (block_size ", block_size,
        " + 1 for training, as many for validation)");
  const auto cut = static_cast<Index>((1 - val_fraction) * static_cast<double>(n));
  train_size_ = std::clamp(cut, least, n - least);
}

Corpus::Corpus(model::TokenIds ids, Index train_size)
    : ids_(std::move(ids)), train_size_(train_size) {}

void Corpus::draw(Split split, Index T, engine::Generator& generator,
                  std::span<std::int64_t> starts) const {
  generator.randint(starts, 0, size(split) - T);
}

}  // namespace train
