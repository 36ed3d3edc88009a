#include "train/loop/corpus.h"

namespace train {

void fill(const model::TokenIds& ids, Index offset, std::span<const std::int64_t> starts,
          Batch& batch) {
  const auto T = static_cast<std::size_t>(batch.T);
  for (std::size_t b = 0; b < starts.size(); ++b) {
    ids.copy(offset + starts[b], std::span(batch.ids).subspan(b * T, T));
    ids.copy(offset + starts[b] + 1, std::span(batch.targets).subspan(b * T, T));
  }
}

void Corpus::draw(Split split, Index T, engine::Generator& generator,
                  std::span<std::int64_t> starts) const {
  generator.randint(starts, 0, size(split) - T);
}

}  // namespace train
