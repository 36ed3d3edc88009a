// How much text a token stands for, to convert a loss per token to bits per character or byte.
#pragma once

#include <string>
#include <string_view>

#include "model/tokenizer/tokenizer.h"
#include "train/system/words.h"

namespace train {

struct TextUnits {
  double bytes_per_token = 1;
  double characters_per_token = 0;  // 0: the text is not UTF-8

  // loss: in nats per token.
  double bits_per_byte(double loss) const;
  double bits_per_character(double loss) const;
  // Bits for each unit: a character, or a byte if the text is not UTF-8.
  double bits(double loss) const;
  std::string_view unit() const { return characters_per_token > 0 ? "character" : "byte"; }
};

// The text of ids[begin, end) without document separators: a separator is predicted like any token,
// but its letters (such as `<|endoftext|>`) are not text, so its characters and bytes do not count.
std::string text_of(const model::TokenIds& ids, Index begin, Index end,
                    const model::Tokenizer& tokenizer);

// Characters and bytes per token of such a text, which is `tokens` tokens long.
TextUnits units_of(std::string_view text, Index tokens);

}  // namespace train
