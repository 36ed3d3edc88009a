// GPT-2's rule for cutting text into chunks, inside which byte pairs are merged. As a regular
// expression:
//
//     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// the endings of English contractions; then runs of letters, of numbers, and of anything else but
// white space, each with one space before it; then white space, of which the last character is
// left for the chunk that follows it. A byte that is not UTF-8 counts as "anything else".
#pragma once

#include <cstddef>
#include <string_view>

namespace model {

// Where the chunk that begins at `begin` < text.size() ends. Looks no more than one character
// beyond it, so that cutting a text takes time proportional to its length, whatever it holds.
std::size_t gpt2_chunk_end(std::string_view text, std::size_t begin);

}  // namespace model
