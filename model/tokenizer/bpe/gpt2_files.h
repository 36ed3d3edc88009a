// The two files of a GPT-2 tokenizer: vocab.json, an object from tokens to ids, and merges.txt, a
// line `#version: 0.2` and then one merge per line, its two tokens with a space between them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "model/tokenizer/bpe/bpe_tokenizer.h"

namespace model {

// Both files write the bytes of a token as visible characters: those that are visible in Latin-1
// stand for themselves, the other 68 are U+0100, U+0101, ... in turn (a space is U+0120, "Ġ").
std::string printable_bytes(std::string_view bytes);
// Back; an error that names the first character that is none of the 256.
std::string bytes_of_printable(std::string_view printable);

// From the contents of the two files; an error begins with the name of the file that is wrong.
std::shared_ptr<const BpeTokenizer> read_gpt2_tokenizer(std::string_view vocab_json,
                                                        std::string_view merges_txt);

// Of any tokenizer the first, of a BPE the second.
std::string gpt2_vocab_json(const Tokenizer& tokenizer);
std::string gpt2_merges_txt(const BpeTokenizer& tokenizer);

}  // namespace model
