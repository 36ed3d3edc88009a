#include "train/run/baselines.h"

#include "engine/base/check.h"
#include "model/format/fields.h"
#include "train/run/checkpoint.h"
#include "train/run/progress.h"

namespace train {

std::vector<double> noted_ngrams(const model::Metadata& metadata) {
  std::vector<double> losses;
  for (;;) {
    const std::string key = engine::text(note_prefix, "ngram_", losses.size());
    if (!metadata.contains(key)) return losses;
    losses.push_back(model::metadata_value<double>(metadata, key));
  }
}

std::string ngram_lines(const std::vector<double>& losses) {
  std::string lines;
  for (std::size_t k = 0; k < losses.size(); ++k)
    lines += engine::text(k + 1, "-gram ", fixed_text(losses[k], 4), "\n");
  return lines;
}

}  // namespace train
