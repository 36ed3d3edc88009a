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
#include "train/system/precision.h"
#include "train/system/process.h"

namespace train {

using engine::counted;
using engine::fixed_text;
using engine::joined;

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
  const Index before = ids.size();
  Index unknown = 0;
  std::string problem;
  try {
    if (settings.unknown == "error") return encode(texts, tokenizer, ids);
  } catch (const engine::Error& error) {
    problem = error.what();
  }
  encode(texts, tokenizer, ids, &unknown);
  const std::string symbols =
      joined(counted(unknown, "symbol"), " that the vocabulary does not know");
  if (!problem.empty())
    engine::fail(problem,
                 engine::is_nearly_utf8(texts.joined)
                     ? joined("; --unknown skip leaves out the ", symbols,
                              "; a model with byte or bpe tokens knows every text")
                     : "; if the text is Latin-1, iconv -f LATIN1 -t UTF-8 makes it UTF-8");
  if (unknown > 0)
    write_line(joined(texts.name, ": ", symbols, ", left out and not scored; ",
                      counted(ids.size() - before, "token"), " are left"));
}

}  // namespace

int eval_command(const Settings& settings) {
  use_threads(settings);
  use_dtype(settings.dtype);
  const OpenedModel opened = open_model(settings);
  const model::LoadedModel& model = opened.model;
  const model::Tokenizer& tokenizer = *model.tokenizer;
  const NoText no_text = tokenizer.kind() == "byte" ? NoText::read : NoText::refuse;
  std::optional<Activity> working("reading the text");
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
  engine::check(ids.size() - begin >= 2, texts.name, ": is ", counted(ids.size() - begin, "token"),
                ", expected 2 at least: the first is only read, those after it are predicted");

  if (!model.gpt.config.causal)
    write_line(
        "this model sees the tokens it is to predict (causal false): its loss is no loss of "
        "prediction");
  working.emplace("measuring the loss");
  const WindowLoss result =
      window_loss(model.gpt, ids, begin, ids.size(), windows_at_once(model.gpt.config));
  // The first token is given, so its characters are not counted. In a text that is not UTF-8 every
  // byte counts as a character.
  std::string predicted;
  for (Index i = begin + 1; i < ids.size(); ++i) predicted += tokenizer.token_bytes(ids[i]);
  const auto bytes = static_cast<double>(predicted.size());
  const double characters =
      engine::is_nearly_utf8(texts.joined)
          ? static_cast<double>(std::max<Index>(engine::count_characters(predicted), 1))
          : bytes;
  const double bits = result.loss * static_cast<double>(result.tokens) / std::numbers::ln2;
  std::string lines = joined("loss ", fixed_text(result.loss, 4), "\nperplexity ",
                             fixed_text(std::exp(result.loss), 4), "\nbits per character ",
                             fixed_text(bits / characters, 4), "\nbits per byte ",
                             fixed_text(bits / bytes, 4), "\n");

  working.emplace("counting n-grams");
  const std::vector<double> ngrams =
      count ? model::ngram_losses(ids, begin, tokenizer.vocabulary_size())
            : within(opened.path, [&] { return read_ngram_losses(model.metadata); });
  working.reset();
  if (!write_output(lines)) return 0;
  if (ngrams.empty()) return 0;
  write_line(
      count ? joined("n-grams counted on ", train_texts.name, ", their loss on this text:")
            : "n-grams counted by the run, their loss on its own validation text, not on this one "
              "(--train_text FILE counts for this text):");
  lines.clear();
  for (std::size_t k = 0; k < ngrams.size(); ++k)
    lines += joined(k + 1, "-gram ", fixed_text(ngrams[k], 4), "\n");
  (void)write_output(lines);  // a closed pipe is no error
  return 0;
}

}  // namespace train
