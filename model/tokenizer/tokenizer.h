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

#include "engine/base/names.h"
#include "engine/base/real.h"
#include "model/base/hash_map.h"
#include "model/base/words.h"
#include "model/tokenizer/token_ids.h"

namespace model {

enum class TokenizerKind { character, byte, word, bpe };

// The symbols of a text that are not in a tokenizer's vocabulary.
struct UnknownSymbols {
  Index count = 0;
  std::string first;  // `byte 3: U+1F600 is not in the vocabulary`
};

// The ids of chunks that were encoded, for where they come again: in one document and in the next.
// The texts that are encoded with it must outlive it.
struct KnownChunks {
  struct Range {
    std::size_t begin, end;
  };
  TextMap<Range> ranges;  // of a chunk's ids in `ids`
  std::vector<std::int32_t> ids;
};

class Tokenizer {
 public:
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;
  virtual ~Tokenizer() = default;

  virtual TokenizerKind kind() const = 0;
  Index vocabulary_size() const { return std::ssize(ends_); }

  // The bytes that token `id` stands for; an error if there is no such id.
  std::string_view token_bytes(Index id) const;
  std::string decode(std::span<const std::int32_t> ids) const;

  // The ids of `text`. A character or word without an id is an error that names its offset; with
  // `unknown` it is left out and counted there.
  TokenIds encode(std::string_view text, UnknownSymbols* unknown = nullptr) const;
  // Appends the ids of `text` to `ids`, made for at least vocabulary_size() ids.
  void encode(std::string_view text, TokenIds& ids, UnknownSymbols* unknown = nullptr) const {
    KnownChunks known;
    encode_from(0, text, ids, unknown, known);
  }
  // Appends the ids of text.substr(begin). Errors name offsets in `text`. `known`: what this
  // tokenizer has encoded before.
  virtual void encode_from(std::size_t begin, std::string_view text, TokenIds& ids,
                           UnknownSymbols* unknown, KnownChunks& known) const = 0;

  // The token that ends a document, if there is one (model/tokenizer/document_tokenizer.h).
  virtual std::optional<std::int32_t> end_of_text() const { return std::nullopt; }
  // Whether this token is also added at the end of each text, as in training.
  virtual bool appends_end_of_text() const { return false; }

  // The tokenizer as one line of UTF-8, which load_tokenizer (factory.h) reads.
  virtual std::string save() const = 0;

 protected:
  Tokenizer() = default;
  // Adds the token with the next id.
  void add_token(std::string_view bytes);
  // 'a', U+1F600 or "word".
  static std::string symbol_name(std::string_view symbol);
  // For encode_from: the symbol of `size` bytes at text[at] has no id.
  static void add_unknown(std::string_view text, std::size_t at, std::size_t size,
                          UnknownSymbols* unknown);

 private:
  std::string bytes_;              // all tokens, one after another
  std::vector<std::size_t> ends_;  // of each token in bytes_
};

using TokenizerHandle = std::shared_ptr<const Tokenizer>;

}  // namespace model

template <>
inline constexpr auto engine::names_of<model::TokenizerKind> = engine::names("char", "byte", "word",
                                                                             "bpe");
