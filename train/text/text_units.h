// How much text a token stands for, by which a loss per token becomes bits per character or byte.
#pragma once

#include <string_view>

#include "model/tokenizer/tokenizer.h"
#include "train/loop/corpus.h"

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

// Of the validation part.
TextUnits units_of(const Corpus& corpus, const model::Tokenizer& tokenizer);

// How many tokens the corpus has before those that lie wholly in its last `bytes` bytes.
Index tokens_before_last(std::size_t bytes, const Corpus& corpus,
                         const model::Tokenizer& tokenizer);

}  // namespace train
