// gradus eval: a model's loss on a text, and the losses of n-gram models for comparison.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "engine/base/check.h"
#include "engine/base/thread_pool.h"
#include "engine/base/utf8.h"
#include "model/tokenizer/ngram.h"
#include "train/loop/evaluation.h"
#include "train/program/commands.h"
#include "train/program/open_model.h"
#include "train/run/facts.h"
#include "train/run/progress.h"
#include "train/run/texts.h"
#include "train/system/activity.h"
#include "train/system/process.h"

namespace train {

using engine::fixed_text;
namespace {

// Windows in one batch: many, so that the weights are read once for all of them, but few enough
// that the batch's logits and a block's widest activations stay below about 64 MB.
Index windows_at_once(const model::Config& config) {
  const Index widest = config.block_size * std::max(config.vocab_size, 4 * config.n_embd);
  return std::clamp<Index>((Index(1) << 24) / widest, 1, 64);
}

// The tokens of the texts. Under --unknown skip, symbols that the vocabulary does not know are left
// out, and the user is told how many.
void encode_known(const Texts& texts, const model::Tokenizer& tokenizer, const Settings& settings,
                  model::TokenIds& ids) {
  if (settings.unknown != "skip") {
    try {
      encode(texts, tokenizer, ids);
    } catch (const engine::Error& error) {
      engine::fail(error.what(),
                   "; --unknown skip leaves such symbols out and does not score them; a "
                   "model with byte or bpe tokens knows every text");
    }
    return;
  }
  Index skipped = 0;
  encode(texts, tokenizer, ids, &skipped);
  if (skipped > 0)
    write_line(engine::joined(texts.name, ": ", engine::counted(skipped, "symbol"),
                              " that the vocabulary does not know, left out and not scored"));
}

}  // namespace

int eval_command(const Settings& settings) {
  use_threads(settings);
  std::optional<Activity> working("reading the model");
  const model::LoadedModel model = open_model(settings.model_path).model;
  const model::Tokenizer& tokenizer = *model.tokenizer;
  const NoText no_text = tokenizer.kind() == "byte" ? NoText::read : NoText::refuse;
  working.emplace("reading the text");
  const bool count = !settings.train_text.empty();
  const Texts texts = read_texts(settings.texts, no_text),
              train_texts = count ? read_texts({settings.train_text}, no_text) : Texts{};
  working.reset();
  for (const Texts* read : {&texts, &train_texts})
    for (const std::string& note : read->notes) write_line(note);

  model::TokenIds ids(tokenizer.vocabulary_size());
  encode_known(train_texts, tokenizer, settings, ids);
  const Index begin = ids.size();
  encode_known(texts, tokenizer, settings, ids);
  engine::check(ids.size() - begin >= 2, texts.name, ": is ",
                engine::counted(ids.size() - begin, "token"),
                ", expected 2 at least: a loss is what one says about the next");

  working.emplace("measuring the loss");
  const WindowLoss result =
      window_loss(model.gpt, ids, begin, ids.size(), windows_at_once(model.gpt.config));
  // The first token is given, so its characters are not counted. In a text that is not UTF-8 every
  // byte counts as a character.
  std::string predicted;
  for (Index i = begin + 1; i < ids.size(); ++i) predicted += tokenizer.token_bytes(ids[i]);
  const auto bytes = static_cast<double>(predicted.size());
  const bool utf8 =
      engine::is_nearly_utf8(engine::count_broken_bytes(texts.joined), std::ssize(texts.joined));
  const double characters =
      utf8 ? static_cast<double>(std::max<Index>(engine::count_characters(predicted), 1)) : bytes;
  const double bits = result.loss * static_cast<double>(result.tokens) / std::numbers::ln2;
  std::string lines = engine::joined("loss ", fixed_text(result.loss, 4), "\nperplexity ",
                                     fixed_text(std::exp(result.loss), 4), "\nbits per character ",
                                     fixed_text(bits / characters, 4), "\nbits per byte ",
                                     fixed_text(bits / bytes, 4), "\n");

  working.emplace("counting n-grams");
  const std::vector<double> ngrams =
      count ? model::ngram_losses(ids, begin, tokenizer.vocabulary_size())
            : read_ngram_losses(model.metadata);
  working.reset();
  for (std::size_t k = 0; k < ngrams.size(); ++k)
    lines += engine::joined(k + 1, "-gram ", fixed_text(ngrams[k], 4), "\n");
  if (!write_output(lines)) return 0;
  if (!ngrams.empty())
    write_line(count ? engine::joined("n-grams: loss on this text, counted on ", train_texts.name)
                     : "n-grams: loss on the validation text of the run, counted on its training "
                       "text; --train_text counts for this text");
  return 0;
}

}  // namespace train
