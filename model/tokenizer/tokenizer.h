// A tokenizer cuts text into tokens, which a model sees as ids 0 .. vocabulary_size - 1. Each
// token stands for fixed bytes, and decoding joins them: decode(encode(text)) is text byte for
// byte, byte-order marks, line ends and NULs included.
//
//     kind   tokens                                                      accepts
//     char   the characters (code points) of the training text, sorted   UTF-8, known characters
//     byte   the 256 bytes                                               everything
//     word   the words, spaces and signs of the training text            UTF-8, known words
//     bpe    the 256 bytes, and frequent byte sequences                  everything
//
// Tokenizers are immutable. A model file stores the tokenizer as one string (save, load_tokenizer).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/real.h"
#include "model/base/words.h"
#include "model/tokenizer/token_ids.h"

namespace model {

class Tokenizer {
 public:
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;
  virtual ~Tokenizer() = default;

  virtual std::string_view kind() const = 0;
  Index vocabulary_size() const { return std::ssize(ends_); }

  // The bytes that token `id` stands for; an error if there is no such id.
  std::string_view token_bytes(Index id) const;
  std::string decode(std::span<const std::int32_t> ids) const;

  // The ids of `text`. A character or word without an id is an error that names its offset,
  // `byte 3: the vocabulary does not know U+1F600`; with `skipped` it is left out and counted in
  // *skipped.
  TokenIds encode(std::string_view text, Index* skipped = nullptr) const;
  // Appends the ids of `text` to `ids`, made for at least vocabulary_size() ids.
  void encode(std::string_view text, TokenIds& ids, Index* skipped = nullptr) const {
    encode_from(0, text, ids, skipped);
  }
  // Appends the ids of text.substr(begin). Errors name offsets in `text`.
  virtual void encode_from(std::size_t begin, std::string_view text, TokenIds& ids,
                           Index* skipped) const = 0;

  // The token that ends a document, if there is one (model/tokenizer/document_tokenizer.h).
  virtual std::optional<std::int32_t> end_of_text() const { return std::nullopt; }
  // Whether it stands at the end of each text as well, as it did in training.
  virtual bool appends_end_of_text() const { return false; }

  // The tokenizer as one line of UTF-8, which load_tokenizer (factory.h) reads.
  virtual std::string save() const = 0;

 protected:
  Tokenizer() = default;
  // Adds the token with the next id.
  void add_token(std::string_view bytes);

 private:
  std::string bytes_;              // all tokens, one after another
  std::vector<std::size_t> ends_;  // of each token in bytes_
};

using TokenizerHandle = std::shared_ptr<const Tokenizer>;

}  // namespace model
