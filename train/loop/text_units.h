// How much text a token stands for, by which a loss per token becomes bits per character or byte.
#pragma once

#include <string_view>

#include "train/system/words.h"

namespace train {

struct TextUnits {
  double bytes_per_token = 1;
  double characters_per_token = 0;  // 0: the text is not UTF-8

  // At a loss in nats per token.
  double bits_per_byte(double loss) const;
  double bits_per_character(double loss) const;
  // For each unit, a character, or a byte if the text is not UTF-8.
  double bits(double loss) const;
  std::string_view unit() const { return characters_per_token > 0 ? "character" : "byte"; }
};

// Of a text that is so many tokens.
TextUnits units_of(std::string_view text, Index tokens);

}  // namespace train
