// A tokenizer cuts text into tokens, which a model sees as ids 0 .. vocabulary_size - 1. Each
// token stands for fixed bytes, so decoding is joining them; and what a tokenizer accepts it gives
// back byte for byte: byte-order marks, line ends and NULs included.
//
//     kind   tokens                                                      accepts
//     char   the characters (code points) of the training text, sorted   UTF-8, characters known
//     byte   the 256 bytes                                               everything
//     word   the words, spaces and signs of the training text            UTF-8, words known
//     bpe    bytes, and those learned from them                          everything
//
// A tokenizer never changes after it was made, and travels in the model file as one string.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/real.h"
#include "model/tokenizer/token_ids.h"

namespace model {

class Tokenizer {
 public:
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;
  virtual ~Tokenizer() = default;

  virtual std::string_view kind() const = 0;
  Index vocabulary_size() const { return std::ssize(ends_); }

  // The bytes token `id` stands for; an error if there is no such id.
  std::string_view token_bytes(Index id) const;
  std::string decode(std::span<const std::int32_t> ids) const;

  // The ids of `text`. A symbol that has no id is an error that names its offset in the text,
  // `byte 3: the vocabulary does not know U+1F600`, or with `skipped` is left out and counted
  // there.
  TokenIds encode(std::string_view text, Index* skipped = nullptr) const;
  // The same, appended to `ids`, which must have been made for this vocabulary_size() or more.
  void encode(std::string_view text, TokenIds& ids, Index* skipped = nullptr) const {
    encode_from(0, text, ids, skipped);
  }
  // The same of what comes from `begin` <= text.size() on.
  virtual void encode_from(std::size_t begin, std::string_view text, TokenIds& ids,
                           Index* skipped) const = 0;

  // The token that ends a document, if there is one (model/tokenizer/documents_tokenizer.h).
  virtual std::optional<std::int32_t> separator() const { return std::nullopt; }

  // All of it as one line of UTF-8, for load_tokenizer (factory.h).
  virtual std::string save() const = 0;

 protected:
  Tokenizer() = default;
  // Gives the next id to `bytes`.
  void add_token(std::string_view bytes);

 private:
  std::string bytes_;  // all tokens, one after another
  std::vector<std::size_t> ends_;
};

using TokenizerHandle = std::shared_ptr<const Tokenizer>;

}  // namespace model
