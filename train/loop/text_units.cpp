#include "train/loop/text_units.h"

#include <algorithm>
#include <numbers>

#include "model/base/utf8.h"

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

std::string text_of(const model::TokenIds& ids, Index begin, Index end,
                    const model::Tokenizer& tokenizer) {
  std::string text;
  for (Index i = begin; i < end; ++i)
    if (ids[i] != tokenizer.end_of_text()) text += tokenizer.token_bytes(ids[i]);
  return text;
}

TextUnits units_of(std::string_view text, Index tokens) {
  const auto per_token = [&](Index count) {
    return static_cast<double>(std::max<Index>(count, 1)) / static_cast<double>(tokens);
  };
  TextUnits units{per_token(std::ssize(text))};
  // The text may end within a character.
  if (model::valid_utf8_prefix(text) + 3 >= text.size())
    units.characters_per_token = per_token(model::count_characters(text));
  return units;
}

}  // namespace train
