// Chapter 15: a byte-pair encoding that is learned from the reader's own text, merge by merge.
#include <cmath>
#include <map>

#include "engine/base/check.h"
#include "model/base/utf8.h"
#include "model/tokenizer/bpe/bpe_tokenizer.h"
#include "tests/book/live/live.h"

using engine::Index;

namespace {

// A token may be part of a character, when its bytes are shown, or be thousands of letters long.
std::string shown(std::string_view bytes) {
  const std::string text = model::valid_utf8_prefix(bytes) == bytes.size()
                               ? std::string(bytes)
                               : model::printable(bytes);
  const std::size_t end = model::first_characters(text, 20);
  return text.substr(0, end) + (end < text.size() ? "..." : "");
}

live::JsonObject answer(const live::Choices& choices) {
  const std::string_view text = choices.text("text", 20'000);
  engine::check(!text.empty(),
                "text: type or paste a text: a merge needs a pair that occurs twice");
  const Index merges = static_cast<Index>(choices.number("merges", 0, 0, 2000));
  const auto trained = [&](Index count) {
    return model::BpeTokenizer::train(std::span(&text, 1), 256 + count);
  };
  const Index possible = std::ssize(trained(400)->merges());
  const auto tokenizer = trained(merges);
  const model::TokenIds ids = tokenizer->encode(text);
  const auto token = [&](Index id) { return shown(tokenizer->token_bytes(id)); };
  std::map<Index, double> counts;
  for (Index i = 0; i < ids.size(); ++i) ++counts[ids[i]];
  double bits = 0;  // of all tokens, each drawn by how often it occurs
  for (const auto& [id, count] : counts) bits -= count * std::log2(count / double(ids.size()));
  const double characters = double(model::count_characters(text));
  std::string said, last = "none";
  if (!tokenizer->merges().empty()) {
    const model::Merge merge = tokenizer->merges().back();
    last = token(merge.left) + " + " + token(merge.right);
  }
  live::print(said, "  %d merges; the last: %s\n", static_cast<int>(tokenizer->merges().size()),
              last.c_str());
  live::print(
      said,
      "  %.0f characters, %d tokens, %.3f bits a character by how often each token occurs,\n"
      "  without the table of merges\n ",
      characters, static_cast<int>(ids.size()), bits / characters);
  for (Index i = 0; i < std::min<Index>(ids.size(), 60); ++i)
    said += (i > 0 ? "|" : " ") + token(ids[i]);
  return live::JsonObject().add(
      "merges", tokenizer->merges().size(), "possible", possible, "last", last, "tokens",
      live::json_array(ids.size(), [&](Index i) { return token(ids[i]); }), "ids",
      live::json_array(ids.size(), [&](Index i) { return ids[i]; }), "characters", characters,
      "bits", bits / characters, "said", said + "\n");
}

const live::Figure figure(answer,
                          "merges=11\ntext=She sells sea shells by the sea shore. The shells she "
                          "sells are sea shells, I am sure.");

}  // namespace
