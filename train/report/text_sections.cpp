#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/base/utf8.h"
#include "train/record/short_sample.h"
#include "train/report/measures.h"
#include "train/report/page.h"
#include "train/report/sections.h"
#include "train/system/words.h"

namespace train {

std::string samples_section(const ReportedRun& run, std::span<const std::int32_t> prompt) {
  // A large model takes a tenth of a second for a token.
  const Index length = std::clamp<Index>((Index(1) << 32) / run.plan.parameter_count(), 40, 500);
  std::string html =
      train::sample("the kept model",
                    short_sample(run.model.gpt, run.tokenizer(), run.plan.seed, 0, length, prompt));
  constexpr Index most = 11;
  const Index n = std::ssize(run.samples), shown = std::min(n, most);
  std::string earlier;
  for (Index i = 0; i < shown; ++i) {
    const Sample& sample = engine::at(run.samples, shown == 1 ? n - 1 : i * (n - 1) / (shown - 1));
    earlier += train::sample(joined("step ", count_text(sample.step)), sample.text);
  }
  if (shown > 0) html += element("div", {{"class", "samples"}}, earlier);
  if (shown < n) html += note(joined(shown, " of ", n, " samples on the way."));
  return html;
}

namespace {

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

std::string percent(double probability) {
  return probability > 0.995    ? "over 99 %"
         : probability >= 0.1   ? fixed_text(100 * probability, 0) + " %"
         : probability >= 0.001 ? fixed_text(100 * probability, 1) + " %"
                                : "below 0.1 %";
}

// “a” 45 %, “e” 29 %
std::string choices_text(const Word& word, const model::Tokenizer& tokenizer) {
  std::string text;
  for (const Prediction::Choice& choice : word.choices)
    text += joined(text.empty() ? "“" : ", “", label_of(tokenizer.token_bytes(choice.token)), "” ",
                   percent(choice.probability));
  return text;
}

constexpr int surprise_shades = 10;
// 0.6 nats each: the last is for tokens with a probability below 1 in 220.
int surprise_shade(double loss) {
  return std::clamp(static_cast<int>(loss / 0.6), 0, surprise_shades - 1);
}
std::string background(int shade) { return tint("warm", 7 * shade); }

std::string scale() {
  std::string html = "Probability given to what came:";
  for (int shade = 0; shade < surprise_shades; ++shade) {
    const bool last = shade + 1 == surprise_shades;
    const double probability = std::exp(-0.6 * (shade + (last ? 0 : 0.5)));
    html += joined(" ", element("span", {{"style", background(shade)}},
                                joined(last ? "below " : "", percent(probability))));
  }
  return element("p", {{"class", "scale"}}, html);
}

}  // namespace

std::string surprise_section(const ReportedRun& run) {
  if (!run.corpus) return {};
  constexpr Index most = 601;
  const Index begin = run.corpus->begin(Split::validation);
  const Index count = std::min(run.corpus->size(Split::validation), most);
  std::vector<std::int32_t> ids(engine::unsigned_size(count));
  run.corpus->ids().copy(begin, ids);
  const model::Tokenizer& tokenizer = run.tokenizer();
  const std::vector<Word> words = words_of(predictions(run.model.gpt, ids, 5), tokenizer);
  std::string text = escaped(tokenizer.token_bytes(ids[0])), rows;
  for (const Word& word : words) {
    const bool line_feed = word.text.find('\n') != std::string::npos;
    text += element("span", {{"style", background(surprise_shade(word.loss))}},
                    joined(line_feed ? "⏎" : "", escaped(word.text)));
    const std::string tokens = word.tokens > 1 ? joined(" (", word.tokens, " tokens)") : "";
    rows += table_row(label_of(word.text) + tokens,
                      number_cell(fixed_text(word.loss, 2)) +
                          number_cell(percent(std::exp(-word.loss))) +
                          element("td", {}, escaped(choices_text(word, tokenizer))));
  }
  const std::string columns[] = {"token", "loss (nats)", "probability", "expected"};
  const std::string label = "Text coloured by surprise: the arrow keys read what was expected";
  const std::string coloured =
      explorable("surprise", label, element("div", {{"dir", "auto"}}, text));
  return scale() + element("div", {}, coloured) +
         details("Every token, and what was expected",
                 scrolling_table("Every token", columns, rows));
}

}  // namespace train
