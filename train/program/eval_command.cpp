// gradus eval: a model's loss on a text, and the losses of n-gram models for comparison.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/thread_pool.h"
#include "model/base/utf8.h"
#include "train/exchange/open_model.h"
#include "train/loop/evaluation.h"
#include "train/program/commands.h"
#include "train/run/progress.h"
#include "train/run/run.h"
#include "train/system/activity.h"
#include "train/system/files.h"
#include "train/system/limits.h"
#include "train/system/precision.h"
#include "train/system/process.h"
#include "train/system/words.h"
#include "train/text/sources.h"
#include "train/text/texts.h"

namespace train {

namespace {

// Appends the tokens of the texts. Returns how many symbols were left out.
Index encode_known(const Texts& texts, const model::Tokenizer& tokenizer, const Settings& settings,
                   model::TokenIds& ids, Notes& notes) {
  const Index before = ids.size();
  model::UnknownSymbols unknown;
  encode({texts}, tokenizer, ids, &unknown);
  report_unknown(texts, unknown, ids.size() - before, settings.unknown == Unknown::skip, notes);
  return unknown.count;
}

// A warning if the model was trained on the text, since then the loss says little.
std::string of_training(const Texts& texts, const OpenedModel& opened) {
  const model::Metadata& metadata = opened.model.metadata;
  return opening(opened.path, [&]() -> std::string {
    const TextIdentity* const text = known_text(metadata, texts);
    if (text == nullptr) return "";
    return joined("; the model was trained on ", printable(last_name(text->path)),
                  read_info(metadata).val_texts.empty() ? ", except for its validation part" : "");
  });
}

constexpr std::string_view sees_targets =
    "this model sees the tokens that it predicts (causal false): its loss does not say how well it "
    "predicts";

// The lines that eval prints. `predicted`: the text of all tokens but the first, which is given. In
// a text that is not UTF-8, every byte counts as a character.
struct LossLines {
  std::string text;
  double characters;
};
LossLines loss_lines(const WindowLoss& result, double perplexity, std::string_view predicted,
                     bool utf8) {
  const auto bytes = static_cast<double>(std::max<std::size_t>(predicted.size(), 1));
  const double characters =
      utf8 ? static_cast<double>(std::max<Index>(model::count_characters(predicted), 1)) : bytes;
  const double bits = result.loss * static_cast<double>(result.tokens) / std::numbers::ln2;
  return {joined("loss ", fixed_text(result.loss, 4), "\nperplexity ", fixed_text(perplexity, 4),
                 "\nbits per character ", fixed_text(bits / characters, 4), "\nbits per byte ",
                 fixed_text(bits / bytes, 4), "\n"),
          characters};
}

void write_ngrams(const Ngrams& ngrams, const std::string& counted_on) {
  write_line(joined("n-grams of ", ngrams.symbol, "s counted on ", counted_on,
                    ", their loss on this text in nats per token of the model:"));
  std::string lines;
  for (std::size_t k = 0; k < ngrams.losses.size(); ++k)
    lines += joined(k + 1, "-gram ", fixed_text(ngrams.losses[k], 4), "\n");
  (void)write_output(lines);
}

}  // namespace

int eval_command(const Settings& settings, Notes& notes) {
  use_dtype(settings.dtype);
  const OpenedModel opened = open_model(settings.model_path);
  const model::LoadedModel& model = opened.model;
  const NoText no_text = no_text_for(*model.tokenizer);
  std::optional<Activity> working("reading the text");
  const bool count = !settings.eval.train_text.empty();
  Texts texts = read_texts({settings.eval.text}, no_text, notes),
        train_texts = count ? read_texts({settings.eval.train_text}, no_text, notes) : Texts{};
  working.reset();
  const model::TokenizerHandle tokenizer_handle =
      tokenizer_of_model(settings.eval.document_separator, model.tokenizer, texts, notes);
  const model::Tokenizer& tokenizer = *tokenizer_handle;
  model::TokenIds ids(tokenizer.vocabulary_size());
  encode_known(train_texts, tokenizer, settings, ids, notes);
  const Index begin = ids.size();
  check(!count || begin > 0, train_texts.name, ": has 0 tokens, expected at least 1");
  const Index unknown = encode_known(texts, tokenizer, settings, ids, notes);
  check(ids.size() - begin >= 2, texts.name, ": has ", counted(ids.size() - begin, "token"),
        ", expected at least 2: the first is only read, the others are predicted",
        unknown > 0 ? "; symbols that are not in the vocabulary are left out" : "");
  const std::string seen = of_training(texts, opened);
  const bool utf8 = model::is_nearly_utf8(texts.joined);
  for (Texts* read : {&texts, &train_texts}) std::string().swap(read->joined);
  const model::Config& config = model.gpt.config;
  const Index windows = windows_at_once(config),
              longest = std::min(config.block_size, ids.size() - begin - 1);
  check_memory(evaluation_bytes(config, windows, longest),
               joined(printable(settings.model_path), ": the loss of a window of ",
                      count_text(longest), " tokens takes"),
               "a shorter text needs less");
  notes.write();
  if (!config.causal) write_line(sees_targets);
  working.emplace("measuring the loss");
  const WindowLoss result = window_loss(model.gpt, ids, begin, ids.size(), windows);
  const double perplexity = std::exp(result.loss);
  check(std::isfinite(perplexity), printable(settings.model_path), ": its loss on ", texts.name,
        " is ", fixed_text(result.loss, 4), ", a perplexity of ", perplexity,
        ", expected finite numbers");
  const LossLines lines =
      loss_lines(result, perplexity, text_of(ids, begin + 1, ids.size(), tokenizer), utf8);

  std::optional<Ngrams> ngrams;
  if (count) {
    working.emplace("counting n-grams");
    ngrams = count_ngrams(ids, begin, tokenizer, tokenizer.vocabulary_size());
  }
  working.reset();
  if (!write_output(lines.text)) return 0;  // a closed pipe is no error
  write_line(joined(texts.name, ": ", counted(result.tokens, "token"), " predicted, ",
                    count_text(static_cast<Index>(lines.characters)),
                    utf8 ? " characters" : " bytes", seen));
  if (ngrams) write_ngrams(*ngrams, train_texts.name);
  return 0;
}

}  // namespace train
