// Tokenizers of every kind: trained on texts, or loaded. A new kind is added in factory.cpp.
#pragma once

#include <span>
#include <string_view>

#include "model/base/words.h"
#include "model/tokenizer/tokenizer.h"

namespace model {

// A tokenizer of this kind for the texts; errors say what is wrong with the texts.
// bpe_vocabulary_size, 256 or more, is for bpe only; the vocabulary is smaller if no pair is left
// to merge. With 0 the texts decide the vocabulary, as with the other kinds.
TokenizerHandle train_tokenizer(TokenizerKind kind, std::span<const std::string_view> texts,
                                Index bpe_vocabulary_size = 0);
inline TokenizerHandle train_tokenizer(TokenizerKind kind, std::string_view text,
                                       Index bpe_vocabulary_size = 0) {
  return train_tokenizer(kind, std::span(&text, 1), bpe_vocabulary_size);
}

// The tokenizer from what its save() wrote. `saved` is not trusted: any fault in it is an error.
TokenizerHandle load_tokenizer(std::string_view saved);

}  // namespace model
