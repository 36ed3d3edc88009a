// The parts of a report about a text: the loss in other units, samples, surprise.
#include "train/report/sections.h"

#include <cmath>
#include <numbers>

#include "engine/base/index.h"
#include "model/base/text.h"
#include "model/tokenizer/byte_tokenizer.h"
#include "model/tokenizer/char_tokenizer.h"
#include "tests/catch.h"
#include "tests/unit/train/report/markup.h"
#include "train/record/short_sample.h"
#include "train/report/measures.h"

using namespace train;
using engine::joined;
using markup::all_between;
using markup::between;
using markup::count;
using model::fixed_text;

namespace {

ReportedRun subject_of(model::TokenizerHandle tokenizer, const std::string& text,
                       Index validation) {
  model::GPT gpt({.vocab_size = tokenizer->vocabulary_size(),
                  .block_size = 8,
                  .n_layer = 1,
                  .n_head = 1,
                  .n_embd = 8});
  engine::Generator generator(1);
  model::initialise(gpt, generator, 1);
  ReportedRun run("run", {std::move(gpt), tokenizer, {}});
  model::TokenIds ids = tokenizer->encode(text);
  const Index n = ids.size();
  std::size_t bytes = 0;
  for (Index i = n - validation; i < n; ++i) bytes += tokenizer->token_bytes(ids[i]).size();
  const TextUnits units = units_of(text.substr(text.size() - bytes), validation);
  run.corpus.emplace(std::move(ids), n - validation, units);
  run.model_step = 5;
  run.kept.loss = 2.25;
  run.log = {{0, {}, {}, {}, 4, 4.25}, {5, 2, 0.1, 1, 2, 2.25}, {10, 1, 0.1, 1, 1, 2.5}};
  return run;
}

std::string text_of_fables() {
  std::string text;
  for (int i = 0; i < 300; ++i) text += joined("The f\xc3\xb6x said ", i * i % 97, " words. ");
  return text;
}

model::TokenizerHandle characters_of(std::string_view text) {
  return model::CharTokenizer::train({&text, 1});
}

// The cells of the row whose head begins so.
std::vector<std::string> cells(const std::string& html, const std::string& head) {
  return all_between(between(html, "<th scope=\"row\">" + head, "</tr>"), "<td class=\"n\">",
                     "</td>");
}

}  // namespace

TEST_CASE("sections: the card has each loss in all units, and the sizes they come to") {
  const std::string text = text_of_fables();
  constexpr Index validation = 1500;  // characters, some of two bytes
  ReportedRun run = subject_of(characters_of(text), text, validation);
  run.info.ngrams.losses = {3, 2.75};
  const std::string html = evaluation_card(run);
  std::size_t begin = text.size();
  for (Index left = validation; left > 0; --left) do
      --begin;
    while (static_cast<unsigned char>(text[begin]) >> 6 == 2);
  const auto bytes = static_cast<double>(text.size() - begin);
  REQUIRE(bytes > validation);
  const auto row = [&](double loss) {
    const double bits = loss / std::numbers::ln2;
    return std::vector<std::string>{
        fixed_text(loss, 4), fixed_text(std::exp(loss), 2), fixed_text(bits, 4),
        fixed_text(bits * validation / bytes, 4),
        engine::count_text(std::lround(bits * validation / 8)) + " bytes"};
  };
  CHECK(cells(html, "this model, step 5<") == row(2.25));  // the best, not the last
  CHECK(cells(html, "1-gram") == row(3));
  CHECK(cells(html, "2-gram") == row(2.75));
  CHECK(cells(html, "the text as it is") ==
        std::vector<std::string>{"–", "–", fixed_text(8 * bytes / validation, 4), "8.0000",
                                 engine::count_text(std::lround(bytes)) + " bytes"});
  CHECK(count(html, "In the log") == 0);
  run.plan.eval_iters = 20;
  CHECK(count(evaluation_card(run),
              "are of 20 random batches of the validation text; so is the one here") == 1);
  run.plan.eval_iters = 0;
  run.plan.eval_tokens = validation - 1;
  run.kept.measured_on = 1499;
  CHECK(count(evaluation_card(run),
              "are of a part of the validation text; here the model is measured on 1,499 tokens") ==
        1);
}

TEST_CASE("sections: the card of a text that is not UTF-8 or is gone has fewer columns") {
  std::string text;
  for (int i = 0; i < 200; ++i) text += joined("caf\xe9 ", i, " ");
  ReportedRun run = subject_of(std::make_shared<model::ByteTokenizer>(), text, 700);
  CHECK(cells(evaluation_card(run), "this model") ==
        std::vector<std::string>{
            "2.2500", fixed_text(std::exp(2.25), 2), fixed_text(2.25 / std::numbers::ln2, 4),
            engine::count_text(std::lround(2.25 / std::numbers::ln2 * 700 / 8)) + " bytes"});
  const auto heads = [&] {
    return all_between(evaluation_card(run), "<th scope=\"col\">", "</th>");
  };
  CHECK(heads() == std::vector<std::string>{"predicted by", "nats per token", "perplexity",
                                            "bits per byte", "validation text, coded so"});
  run.corpus.reset();
  const std::string html = evaluation_card(run);
  CHECK(cells(html, "this model") ==
        std::vector<std::string>{"2.2500", fixed_text(std::exp(2.25), 2)});
  CHECK(heads() == std::vector<std::string>{"predicted by", "nats per token", "perplexity"});
  run.log.clear();
  CHECK(evaluation_card(run) == "");
}

TEST_CASE("sections: the kept model's sample, and eleven on the way at most, escaped") {
  ReportedRun run = subject_of(characters_of("ab"), "abababababab", 3);
  const auto texts_of = [](const std::string& html) {
    return all_between(html, "<pre dir=\"auto\">\n", "</pre>");
  };
  const std::vector<std::string> alone = texts_of(samples_section(run, {}));
  REQUIRE(alone.size() == 1);
  CHECK(alone[0].size() == 500);
  CHECK(alone[0] == short_sample(run.model.gpt, run.tokenizer(), run.plan.seed, 0, 500));
  const std::int32_t prompt[] = {1, 1, 0};
  CHECK(texts_of(samples_section(run, prompt))[0].starts_with("bba"));
  CHECK(texts_of(samples_section(run, prompt))[0].size() == 503);
  for (Index n = 1; n <= 30; ++n) {
    run.samples.push_back({5 * (n - 1), joined("<", n, ">\n")});
    const std::string html = samples_section(run, {});
    INFO(n << " samples");
    std::vector<std::string> texts = texts_of(html);
    CHECK(texts.front() == alone[0]);
    texts.erase(texts.begin());
    REQUIRE(std::ssize(texts) == std::min<Index>(n, 11));
    CHECK((n == 1 || texts.front() == "&lt;1&gt;\n"));
    CHECK(texts.back() == joined("&lt;", n, "&gt;\n"));
    CHECK(count(html, joined("<h3>step ", 5 * (n - 1), "</h3>")) == 1);
    CHECK(count(html, joined("<p class=\"note\">11 of ", n, " samples on the way.</p>")) ==
          (n > 11 ? 1 : 0));
    // In the order in which they were written, none twice.
    for (std::size_t i = 1; i < texts.size(); ++i)
      CHECK(markup::number(between(texts[i - 1], "&lt;", "&gt;")) <
            markup::number(between(texts[i], "&lt;", "&gt;")));
  }
}

TEST_CASE("sections: surprise shows the text, each character once, with its loss and probability") {
  // As bytes: the tokens of a character are one word.
  std::string text = "ab c\n<d> ";
  text += "\xc3\xb6\xf0\x9f\x98\x80 e. ";
  const ReportedRun run = subject_of(std::make_shared<model::ByteTokenizer>(),
                                     text + text + "x" + text, std::ssize(text) + 1);
  const std::string html = surprise_section(run);
  const std::vector<std::string> parts =
      all_between(between(html, "aria-label=\"Text coloured", "</div>"), "<span ", "</span>");
  const std::vector<std::string> shown = {"a", "b", " ", "c", "⏎\n", "&lt;", "d", "&gt;",
                                          " ", "ö", "😀", " ", "e",   ".",    " "};
  REQUIRE(parts.size() == shown.size());
  std::vector<std::int32_t> ids;
  for (const char c : "x" + text) ids.push_back(static_cast<unsigned char>(c));
  const std::vector<Prediction> expected = predictions(run.model.gpt, ids, 5);
  const std::vector<std::string> rows =
      all_between(between(html, "<tbody>", "</tbody>"), "<tr>", "</tr>");
  REQUIRE(rows.size() == shown.size());
  std::size_t token = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    INFO("part " << i << ": " << parts[i]);
    CHECK(parts[i].substr(parts[i].find('>') + 1) == shown[i]);
    double loss = 0;
    const std::size_t tokens = shown[i] == "ö" ? 2 : shown[i] == "😀" ? 4 : 1;
    const Prediction& first = expected[token];
    for (std::size_t k = 0; k < tokens; ++k) loss += expected[token++].loss;
    CHECK(count(rows[i], joined(" (", tokens, " tokens)</th>")) == (tokens > 1 ? 1 : 0));
    // Shades of 0.6 nats, 7 % each, the last from 5.4 on.
    const int shade = std::min(9, static_cast<int>(loss / 0.6));
    CHECK(markup::attribute(" " + parts[i], "style") ==
          joined("background:color-mix(in srgb,var(--warm) ", 7 * shade, "%,transparent)"));
    CHECK(count(rows[i], "<td class=\"n\">" + fixed_text(loss, 2) + "</td>") == 1);
    // The likeliest token, in per cent.
    const double likely = 100 * first.choices[0].probability;
    const std::string choices = between(rows[i], "</td><td>", "</td>");
    if (likely >= 10) CHECK(count(choices, " " + fixed_text(likely, 0) + " %") >= 1);
    CHECK(count(choices, " %") == 5);
  }
  // e to the power of -0.3, -0.9, ..., -5.1; and of -5.4.
  CHECK(all_between(between(html, "Probability given to what came:", "</p>"), "\">", "</span>") ==
        std::vector<std::string>{"74 %", "41 %", "22 %", "12 %", "6.7 %", "3.7 %", "2.0 %", "1.1 %",
                                 "0.6 %", "below 0.5 %"});
  CHECK(count(html,
              "aria-label=\"Text coloured by surprise: the arrow keys read what was "
              "expected\"><div dir=\"auto\">x<span") == 1);
}

TEST_CASE("sections: surprise is of 600 tokens at most, and of none without a text") {
  const std::string text = text_of_fables();
  ReportedRun run = subject_of(characters_of(text), text, 2000);
  CHECK(all_between(between(surprise_section(run), "aria-label=\"Text coloured", "</div>"),
                    "<span ", "</span>")
            .size() == 600);
  run.corpus.reset();
  CHECK(surprise_section(run) == "");
}
