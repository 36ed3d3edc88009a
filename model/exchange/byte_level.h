// A tokenizer in the form that other programs know: GPT-2's byte-level byte-pair encoding. A token
// is a string of bytes, and one token may separate documents. Byte and character tokenizers are the
// same without merges.
//
// Two forms in files, both read and written here:
//
//     vocab.json and merges.txt   GPT-2's: an object from tokens to ids; a line `#version: 0.2` and
//                                 then one merge per line, two tokens with a space between them
//     tokenizer.json              the Rust library `tokenizers`', which transformers reads;
//                                 only what GPT-2 uses of it is accepted, and anything else is
//                                 refused by name
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/words.h"
#include "model/tokenizer/bpe/bpe_tokenizer.h"
#include "model/tokenizer/tokenizer.h"

namespace model {

struct ByteLevel {
  std::vector<std::string> tokens;  // by id, their bytes
  std::vector<Merge> merges;        // the earliest first
  std::optional<std::int32_t> end_of_text = {};
  // Tokenizer::appends_end_of_text. Other programs' files cannot say it; files written by export
  // have a key for it.
  bool appends_end_of_text = false;

  // The token's text as tokenizer.json and gguf write it: printable_bytes, but the end-of-text
  // token unchanged. A merge: two tokens with a space between them.
  std::string text(Index id) const;
  std::string text(const Merge& merge) const;
};

// Throws Error, with a message for the user, if the tokenizer has words, or characters of
// several bytes: other programs would cut the text differently; or if text() would give the
// end-of-text token and another the same text.
ByteLevel byte_level(const Tokenizer& tokenizer);

// The tokenizer from which byte_level was made, or one that gives the same ids: byte or char if
// there are no merges and the tokens' order allows it, else bpe. Errors say what is wrong with the
// tokens.
TokenizerHandle tokenizer_of(const ByteLevel& tokens);

// In vocab.json and merges.txt the end-of-text token is written like any other, by printable_bytes.
std::string vocab_json(const ByteLevel& tokens);
std::string merges_txt(const ByteLevel& tokens);
// Errors begin with the name of the wrong file.
std::shared_ptr<const BpeTokenizer> read_gpt2_tokenizer(std::string_view vocab_json,
                                                        std::string_view merges_txt);

std::string tokenizer_json(const ByteLevel& tokens);
// `end`: the id of the token that ends a text, if the model names one; it becomes the end-of-text
// token if it is an added token.
ByteLevel read_tokenizer_json(std::string_view json, std::optional<Index> end);

}  // namespace model
