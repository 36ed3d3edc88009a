#include "train/baselines.h"

#include <algorithm>

#include "engine/check.h"
#include "model/fields.h"
#include "train/checkpoint.h"
#include "train/progress.h"

namespace train {

std::string note_of_ngrams(const std::vector<double>& losses) {
  std::string text;
  for (const double loss : losses) {
    if (!text.empty()) text += ' ';
    text += model::field_text(loss);
  }
  return text;
}

std::vector<double> noted_ngrams(const model::Metadata& metadata) {
  std::vector<double> losses;
  const std::string key = std::string(note_prefix) + std::string(ngram_note);
  const auto note = metadata.find(key);
  if (note == metadata.end()) return losses;
  std::string_view text = note->second;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    model::parse_field(key, std::string(text.substr(0, end)), losses.emplace_back());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return losses;
}

std::string ngram_lines(const std::vector<double>& losses) {
  std::string lines;
  for (std::size_t k = 0; k < losses.size(); ++k)
    lines += engine::text(k + 1, "-gram ", fixed_text(losses[k], 4), "\n");
  return lines;
}

}  // namespace train
