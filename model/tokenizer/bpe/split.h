// GPT-2's rule for cutting text into chunks; byte pairs are merged inside a chunk only. As a
// regular expression:
//
//     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// the endings of English contractions; runs of letters, of numbers, or of other characters that are
// not white space, each with the space before it, if there is one; and runs of white space without
// their last character, which begins the next chunk. Bytes that are not UTF-8 count as other
// characters.
#pragma once

#include <cstddef>
#include <string_view>

namespace model {

// The end of the chunk that begins at `begin` < text.size(). Reads at most one character beyond it,
// so that cutting any text takes linear time.
std::size_t gpt2_chunk_end(std::string_view text, std::size_t begin);

}  // namespace model
