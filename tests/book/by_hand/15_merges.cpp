// "low lower lowest" merged until no pair occurs twice, and other texts encoded by these merges.
#include <algorithm>
#include <map>
#include <ostream>
#include <string>

#include "model/tokenizer/bpe/bpe_tokenizer.h"
#include "model/tokenizer/bpe/split.h"
#include "tests/book/by_hand/by_hand.h"

namespace by_hand {
namespace {

using Pair = std::pair<std::string, std::string>;

// "l o w | _ l o w e r": a space between tokens, a bar between chunks; counts pairs of neighbors.
std::string cut(const model::BpeTokenizer& tokenizer, std::string_view text,
                std::map<Pair, int>* counts = nullptr) {
  std::string line;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    end = model::gpt2_chunk_end(text, begin);
    const model::TokenIds ids = tokenizer.encode(text.substr(begin, end - begin));
    std::string before;
    for (engine::Index i = 0; i < ids.size(); ++i) {
      std::string token(tokenizer.token_bytes(ids[i]));
      std::ranges::replace(token, ' ', '_');
      line += (line.empty() ? "" : i == 0 ? " | " : " ") + token;
      if (counts != nullptr && i > 0) ++(*counts)[{before, token}];
      before = token;
    }
  }
  return line;
}

void print_merges(std::ostream& out) {
  const std::string_view text = "low lower lowest";
  out << text << "     (_: the space before a word)\n";
  for (engine::Index size = 256;; ++size) {
    const auto tokenizer = model::BpeTokenizer::train(std::span(&text, 1), size);
    if (tokenizer->vocabulary_size() < size) break;
    if (size > 256)
      out << "\nmerge " << size - 256 << " makes "
          << cut(*tokenizer, tokenizer->token_bytes(size - 1)) << "\n";
    std::map<Pair, int> counts;
    out << "    " << cut(*tokenizer, text, &counts) << "\n    pairs:";
    for (const int often : {3, 2, 1})
      for (const auto& [pair, count] : counts)
        if (count == often) out << "  " << pair.first << ' ' << pair.second << ' ' << count;
    out << "\n";
  }
  out << "no pair occurs twice\n\nencoded by these merges\n";
  const auto tokenizer = model::BpeTokenizer::train(std::span(&text, 1), 300);
  for (const std::string_view other : {" lowest", " slow", "lowest"})
    out << "    \"" << other << "\"  ->  " << cut(*tokenizer, other) << "\n";
}

const Registered registered(print_merges);

}  // namespace
}  // namespace by_hand
