#include "train/text/ngrams.h"

#include <cstdint>
#include <memory>
#include <optional>

#include "model/base/utf8.h"
#include "model/baseline/ngram.h"
#include "model/tokenizer/byte_tokenizer.h"
#include "model/tokenizer/char_tokenizer.h"
#include "train/loop/text_units.h"

namespace train {

Ngrams count_ngrams(const model::TokenIds& ids, Index train_size, const model::Tokenizer& tokenizer,
                    Index vocabulary) {
  const Ngrams of_tokens{model::ngram_losses(ids, train_size, vocabulary)};
  const std::string texts[] = {text_of(ids, 0, train_size, tokenizer),
                               text_of(ids, train_size, ids.size(), tokenizer)};
  const std::string_view parts[] = {texts[0], texts[1]};
  const Index bytes = std::ssize(parts[0]) + std::ssize(parts[1]);
  const bool utf8 = model::is_nearly_utf8(
      model::count_broken_bytes(parts[0]) + model::count_broken_bytes(parts[1]), bytes);
  const std::string symbol = utf8 ? "character" : "byte";
  if (tokenizer.kind() == (utf8 ? model::TokenizerKind::character : model::TokenizerKind::byte))
    return {of_tokens.losses, symbol};
  constexpr Index longest = 20'000'000;  // a symbol takes about 100 bytes while it is counted
  if (bytes > longest || parts[0].empty() || parts[1].empty()) return of_tokens;

  const model::TokenizerHandle symbols =
      utf8 ? model::TokenizerHandle(model::CharTokenizer::train(parts))
           : std::make_shared<model::ByteTokenizer>();
  const std::optional<std::int32_t> mark = tokenizer.end_of_text();
  const Index symbol_count = symbols->vocabulary_size() + (mark ? 1 : 0);
  model::TokenIds each(symbol_count);
  const auto add = [&](Index begin, Index end) {
    for (Index i = begin; i <= end; ++i) {
      if (i < end && ids[i] != mark) continue;
      symbols->encode(text_of(ids, begin, i, tokenizer), each);
      if (i < end) each.push_back(static_cast<std::int32_t>(symbol_count - 1));
      begin = i + 1;
    }
  };
  add(0, train_size);
  const Index train_symbols = each.size();
  add(train_size, ids.size());
  Ngrams of_symbols{model::ngram_losses(each, train_symbols, symbol_count), symbol};
  for (double& loss : of_symbols.losses)
    loss *= static_cast<double>(each.size() - train_symbols) /
            static_cast<double>(ids.size() - train_size);
  return of_tokens.best_loss() < of_symbols.best_loss() ? of_tokens : of_symbols;
}

}  // namespace train
