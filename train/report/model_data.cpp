#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/base/utf8.h"
#include "train/record/short_sample.h"
#include "train/report/data.h"
#include "train/report/measures.h"
#include "train/report/text.h"
#include "train/system/words.h"

namespace train {
namespace {

JsonText label_json(const model::Tokenizer& tokenizer, std::int32_t token) {
  return json_text(label_of(tokenizer.token_bytes(token)));
}

std::string kept_sample(const ReportedRun& run, std::span<const std::int32_t> prompt) {
  // A large model takes a tenth of a second for a token.
  const Index length = std::clamp<Index>((Index(1) << 32) / run.plan.parameter_count(), 40, 500);
  return short_sample(run.model.gpt, run.tokenizer(), run.plan.seed, 0, length, prompt);
}

// Tokens that together end with a whole character, and what was expected in place of the first.
struct Word {
  std::string text;
  Index tokens = 0;
  double loss = 0;
  std::vector<Prediction::Choice> choices;
};

std::vector<Word> words_of(const std::vector<Prediction>& predictions,
                           const model::Tokenizer& tokenizer) {
  std::vector<Word> words;
  bool open = false;
  for (const Prediction& prediction : predictions) {
    if (!open) words.emplace_back().choices = prediction.choices;
    Word& word = words.back();
    word.text += tokenizer.token_bytes(prediction.token);
    word.loss += prediction.loss;
    ++word.tokens;
    open = model::complete_utf8_prefix(word.text) < word.text.size() && word.tokens < 4;
  }
  return words;
}

// The beginning of the validation text; for each word, its surprise.
std::optional<JsonObject> surprise_of(const ReportedRun& run) {
  if (!run.corpus) return {};
  constexpr Index most = 601;
  const Index count = std::min(run.corpus->size(Split::validation), most);
  std::vector<std::int32_t> ids(engine::unsigned_size(count));
  run.corpus->ids().copy(run.corpus->begin(Split::validation), ids);
  const model::Tokenizer& tokenizer = run.tokenizer();
  std::vector<JsonText> rows;
  for (const Word& word : words_of(predictions(run.model.gpt, ids, 5), tokenizer)) {
    // Alternating labels and probabilities.
    const auto choice = [&](Index i) {
      const Prediction::Choice& one = engine::at(word.choices, i / 2);
      return i % 2 == 0 ? label_json(tokenizer, one.token) : json_number(one.probability);
    };
    rows.push_back(json_list(json_text(word.text), word.tokens, json_number(word.loss),
                             json_array(2 * std::ssize(word.choices), choice)));
  }
  return JsonObject().add("first", json_text(tokenizer.token_bytes(ids[0])), "words",
                          json_array(rows));
}

// The losses of the n-grams with 1, 2, ... tokens of context; none if their symbols are no tokens.
std::vector<double> ngrams_of(const ReportedRun& run) {
  const auto& [losses, symbol] = run.info.ngrams;
  const model::TokenizerKind kind = run.tokenizer().kind();
  const bool alike =
      symbol == "token" ||
      kind == (symbol == "byte" ? model::TokenizerKind::byte : model::TokenizerKind::character);
  return {losses.begin() + (alike && !losses.empty()), alike ? losses.end() : losses.begin()};
}

std::optional<JsonObject> context_of(const ReportedRun& run) {
  if (!run.corpus) return {};
  // Enough that half a million weights take a second or two; fewer for a large model.
  const Index each = std::min<Index>(2500, (Index(1) << 34) / run.plan.parameter_count());
  const std::vector<PositionLoss> means = position_losses(run.model.gpt, *run.corpus, each);
  return JsonObject().add(
      "from", json_array(means, [](const PositionLoss& mean) { return mean.first; }), "to",
      json_array(means, [](const PositionLoss& mean) { return mean.last; }), "loss",
      json_array(means, [](const PositionLoss& mean) { return json_number(mean.loss); }), "ngrams",
      json_numbers(ngrams_of(run)));
}

}  // namespace

void add_measures(JsonObject& data, const ReportedRun& run, std::span<const std::int32_t> shown,
                  std::span<const std::int32_t> prompt) {
  data.add("kept_sample", json_text(without_blank_head(kept_sample(run, prompt))), "prompt",
           prompt.empty() ? std::nullopt : std::optional(json_text(run.tokenizer().decode(prompt))),
           "surprise", surprise_of(run), "context", context_of(run), "attention",
           attention_of(run, shown));
}

void add_no_measures(JsonObject& data) {
  data.add("kept_sample", "", "prompt", nullptr, "surprise", nullptr, "context", nullptr,
           "attention", nullptr);
}

}  // namespace train
