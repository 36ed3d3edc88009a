#include "train/text/text_units.h"

#include <numbers>
#include <string>

#include "engine/base/utf8.h"

namespace train {

double TextUnits::bits_per_byte(double loss) const {
  return loss / std::numbers::ln2 / bytes_per_token;
}

double TextUnits::bits_per_character(double loss) const {
  return loss / std::numbers::ln2 / characters_per_token;
}

double TextUnits::bits(double loss) const {
  return characters_per_token > 0 ? bits_per_character(loss) : bits_per_byte(loss);
}

TextUnits units_of(const Corpus& corpus, const model::Tokenizer& tokenizer) {
  const Index begin = corpus.begin(Split::validation), end = corpus.ids().size();
  std::string text;
  for (Index i = begin; i < end; ++i) text += tokenizer.token_bytes(corpus.ids()[i]);
  const auto tokens = static_cast<double>(end - begin);
  TextUnits units{static_cast<double>(text.size()) / tokens};
  // The split may cut a character of several bytes.
  std::size_t first = 0;
  while (first < text.size() && static_cast<unsigned char>(text[first]) >> 6 == 2) ++first;
  const std::string_view whole = std::string_view(text).substr(first);
  if (first <= 3 && engine::valid_utf8_prefix(whole) + 3 >= whole.size())
    units.characters_per_token = static_cast<double>(engine::count_characters(text)) / tokens;
  return units;
}

Index tokens_before_last(std::size_t bytes, const Corpus& corpus,
                         const model::Tokenizer& tokenizer) {
  Index first = corpus.ids().size();
  for (std::size_t sum = 0; first > 0; --first) {
    sum += tokenizer.token_bytes(corpus.ids()[first - 1]).size();
    if (sum > bytes) break;
  }
  return first;
}

}  // namespace train
