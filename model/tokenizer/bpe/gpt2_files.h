// The two files of a GPT-2 tokenizer: vocab.json, an object from tokens to ids, and merges.txt, a
// line `#version: 0.2` and then one merge per line, two tokens with a space between them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "model/tokenizer/bpe/bpe_tokenizer.h"

namespace model {

// The bytes of a token as both files write them, in visible characters: the bytes that are visible
// in Latin-1 stand for themselves, the other 68 are U+0100, U+0101, ... in order (a space is
// U+0120, "Ġ").
std::string printable_bytes(std::string_view bytes);
// The inverse of printable_bytes; an error names the first character that stands for no byte.
std::string bytes_of_printable(std::string_view printable);

// Reads a tokenizer from the contents of its two files. Errors begin with the name of the wrong
// file.
std::shared_ptr<const BpeTokenizer> read_gpt2_tokenizer(std::string_view vocab_json,
                                                        std::string_view merges_txt);

// The contents of vocab.json, for any tokenizer, and of merges.txt, for BPE.
std::string gpt2_vocab_json(const Tokenizer& tokenizer);
std::string gpt2_merges_txt(const BpeTokenizer& tokenizer);

}  // namespace model
