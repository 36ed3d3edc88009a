// Tokenizers of every kind: made for texts, chosen for them, or read back from a file. A new kind is
// named here and in factory.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/tokenizer/tokenizer.h"

namespace model {

// A tokenizer of this kind for the texts; the error says what is wrong with kind or text. For bpe
// alone, the size of the vocabulary is asked for: 256 or more, and less if the texts have too
// little to offer; of the others it follows from the texts.
TokenizerHandle train_tokenizer(std::string_view kind, std::span<const std::string_view> texts,
                                Index bpe_vocabulary_size = 0);
inline TokenizerHandle train_tokenizer(std::string_view kind, std::string_view text,
                                       Index bpe_vocabulary_size = 0) {
  return train_tokenizer(kind, std::span(&text, 1), bpe_vocabulary_size);
}

struct TokenizerChoice {
  std::string kind;
  Index bpe_vocabulary_size;
  std::string reason;  // `the text has only 65 different characters`
};
// The kind of tokenizer that suits the texts, which must not all be empty.
TokenizerChoice choose_tokenizer(std::span<const std::string_view> texts);

// What save() wrote. Nothing about `saved` is trusted: whatever is wrong with it is an error.
TokenizerHandle load_tokenizer(std::string_view saved);

}  // namespace model
