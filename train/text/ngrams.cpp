#include "train/text/ngrams.h"

#include "model/base/utf8.h"
#include "model/baseline/ngram.h"
#include "model/tokenizer/byte_tokenizer.h"
#include "model/tokenizer/char_tokenizer.h"

namespace train {

Ngrams count_ngrams(std::string_view training, std::string_view validation,
                    const model::TokenIds& ids, Index train_size, const model::Tokenizer& tokenizer,
                    Index vocabulary) {
  const std::string_view parts[] = {training, validation};
  const std::size_t bytes = training.size() + validation.size();
  const Index broken = model::count_broken_bytes(training) + model::count_broken_bytes(validation);
  const bool utf8 = model::is_nearly_utf8(broken, static_cast<Index>(bytes));
  const std::string symbol = utf8 ? "character" : "byte";
  Ngrams of_tokens{model::ngram_losses(ids, train_size, vocabulary)};
  if (tokenizer.kind() == (utf8 ? "char" : "byte")) return {of_tokens.losses, symbol};
  constexpr std::size_t longest = 20'000'000;  // a symbol takes about 100 bytes while it is counted
  if (bytes > longest) return of_tokens;

  const model::TokenizerHandle symbols =
      utf8 ? model::TokenizerHandle(model::CharTokenizer::train(parts))
           : std::make_shared<model::ByteTokenizer>();
  model::TokenIds each(symbols->vocabulary_size());
  symbols->encode(parts[0], each);
  const Index train_symbols = each.size();
  symbols->encode(parts[1], each);
  if (train_symbols == 0 || train_symbols == each.size()) return of_tokens;
  Ngrams of_symbols{model::ngram_losses(each, train_symbols, symbols->vocabulary_size()), symbol};
  for (double& loss : of_symbols.losses)
    loss *= static_cast<double>(each.size() - train_symbols) /
            static_cast<double>(ids.size() - train_size);
  return of_tokens.best_loss() < of_symbols.best_loss() ? of_tokens : of_symbols;
}

}  // namespace train
