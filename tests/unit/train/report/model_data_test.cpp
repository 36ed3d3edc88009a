// The data of a page that needs the model: what it writes, where it is surprised, what context is
// worth, which token looks at which.

#include "engine/base/index.h"
#include "model/gpt/attention_weights.h"
#include "model/tokenizer/byte_tokenizer.h"

#include "tests/catch.h"
#include "tests/unit/train/report/page_data.h"
#include "train/record/short_sample.h"
#include "train/report/data.h"
#include "train/report/measures.h"
#include "train/report/report.h"
#include "train/report/text.h"

using namespace train;
using engine::joined;
using page_data::characters;
using page_data::Data;
using page_data::data_of;
using page_data::Numbers;
using page_data::rounded;
using page_data::Words;

namespace {

// Its last tokens are for validation.
ReportedRun subject(model::TokenizerHandle tokenizer, const std::string& text, Index validation) {
  const model::Config config{.vocab_size = tokenizer->vocabulary_size(),
                             .block_size = 8,
                             .n_layer = 2,
                             .n_head = 2,
                             .n_embd = 8};
  model::GPT gpt(config);
  engine::Generator generator(1);
  model::initialize(gpt, generator, 1);
  ReportedRun run("run", {std::move(gpt), tokenizer, {}});
  static_cast<model::Config&>(run.plan) = config;
  model::TokenIds ids = tokenizer->encode(text);
  const Index n = ids.size();
  run.corpus.emplace(std::move(ids), n - validation);
  return run;
}

std::string alternating(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += i * i % 7 % 2 == 0 ? 'a' : 'b';
  return text;
}

}  // namespace

TEST_CASE("report: the kept model's sample, and sixty on the way at most") {
  ReportedRun run = subject(characters("ab"), "abababababab", 3);
  const std::string alone = data_of(run).text("runs", 0, "kept_sample");
  CHECK(alone.size() == 500);
  CHECK(alone == short_sample(run.model.gpt, run.tokenizer(), run.plan.seed, 0, 500));
  CHECK(data_of(run).is_null("runs", 0, "prompt"));
  const std::int32_t prompt[] = {1, 1, 0};
  const Data prompted(run_report(run, {}, prompt));
  CHECK(prompted.text("runs", 0, "prompt") == "bba");
  CHECK(prompted.text("runs", 0, "kept_sample").starts_with("bba"));
  CHECK(prompted.text("runs", 0, "kept_sample").size() == 503);
  for (Index n = 1; n <= 100; ++n) run.samples.push_back({5 * n, joined("<", n, ">\r\n\x01")});
  const Data data = data_of(run);
  const Numbers steps = data.numbers("runs", 0, "samples", "step");
  const Words texts = data.texts("runs", 0, "samples", "text");
  CHECK(data.number("runs", 0, "samples", "count") == 100);
  REQUIRE(steps.size() == 60);
  REQUIRE(texts.size() == 60);
  CHECK(steps.front() == 5);
  CHECK(steps.back() == 500);
  for (std::size_t i = 0; i < 60; ++i)
    CHECK(texts[i] == joined("<", steps[i] / 5, ">\n\xef\xbf\xbd"));
}

TEST_CASE("report: surprise has each character once, with its loss and what was expected") {
  // As bytes: the tokens of a character are one word.
  std::string text = "ab c\n<d> ";
  text += "\xc3\xb6\xf0\x9f\x98\x80 e. ";
  const ReportedRun run = subject(std::make_shared<model::ByteTokenizer>(),
                                  text + text + "x" + text, std::ssize(text) + 1);
  const Data data = data_of(run);
  CHECK(data.text("runs", 0, "surprise", "first") == "x");
  const Words shown = {"a", "b", " ", "c", "\n", "<", "d", ">", " ", "ö", "😀", " ", "e", ".", " "};
  REQUIRE(data.value("runs", 0, "surprise", "words").size() == std::ssize(shown));
  std::vector<std::int32_t> ids;
  for (const char c : "x" + text) ids.push_back(static_cast<unsigned char>(c));
  const std::vector<Prediction> expected = predictions(run.model.gpt, ids, 5);
  std::size_t token = 0;
  for (int i = 0; i < static_cast<int>(shown.size()); ++i) {
    const std::string& word = shown[std::size_t(i)];
    INFO("word " << i << ": " << word);
    const auto part = [&](auto... path) {
      return data.value("runs", 0, "surprise", "words", i, path...);
    };
    CHECK(part(0).string() == word);
    const std::size_t tokens = word == "ö" ? 2 : word == "😀" ? 4 : 1;
    CHECK(part(1).integer() == static_cast<Index>(tokens));
    const Prediction& first = expected[token];
    double loss = 0;
    for (std::size_t k = 0; k < tokens; ++k) loss += expected[token++].loss;
    CHECK(part(2).number() == rounded(loss));
    REQUIRE(part(3).size() == 10);
    for (int k = 0; k < 5; ++k) {
      const Prediction::Choice& choice = first.choices[engine::unsigned_size(k)];
      CHECK(part(3, 2 * k).string() == clean(label_of(run.tokenizer().token_bytes(choice.token))));
      CHECK(part(3, 2 * k + 1).number() == rounded(choice.probability));
    }
  }
  CHECK(token == expected.size());
}

TEST_CASE("report: surprise is of 600 tokens at most, and of none without a text") {
  ReportedRun run = subject(characters("ab"), alternating(2500), 2000);
  CHECK(data_of(run).value("runs", 0, "surprise", "words").size() == 600);
  run.corpus.reset();
  CHECK(data_of(run).is_null("runs", 0, "surprise"));
  CHECK(data_of(run).is_null("runs", 0, "context"));
}

TEST_CASE("report: loss by position stands beside the n-grams with as many tokens of context") {
  ReportedRun run = subject(characters("ab"), alternating(400), 200);
  run.info.ngrams = {{0.75, 0.5, 0.25}, "token"};
  const auto check = [&](Index each) {
    const Data data = data_of(run);
    Numbers from, to, losses;
    for (const PositionLoss& mean : position_losses(run.model.gpt, *run.corpus, each)) {
      from.push_back(double(mean.first));
      to.push_back(double(mean.last));
      losses.push_back(rounded(mean.loss));
    }
    CHECK(data.numbers("runs", 0, "context", "from") == from);
    CHECK(data.numbers("runs", 0, "context", "to") == to);
    CHECK(data.numbers("runs", 0, "context", "loss") == losses);
    return data.numbers("runs", 0, "context", "ngrams");
  };
  CHECK(check(2500) == Numbers{0.5, 0.25});
  // Of as many tokens as symbols.
  run.info.ngrams.symbol = "character";
  CHECK(check(2500) == Numbers{0.5, 0.25});
  run.info.ngrams.symbol = "byte";
  CHECK(check(2500).empty());
  run.info.ngrams = {};
  CHECK(check(2500).empty());
  run.plan.n_embd = 1 << 16;
  run.plan.n_layer = 8;
  check(0);  // 4e11 weights: a window
}

TEST_CASE("report: attention is that of the model, for each layer and head") {
  ReportedRun run = subject(characters("ab <"), "ab <ab <ab <", 4);
  const std::int32_t shown[] = {2, 0, 1, 3, 2, 2};
  for (const bool causal : {true, false}) {
    run.model.gpt.config.causal = run.plan.causal = causal;
    const Data data(run_report(run, shown, {}));
    CHECK(data.text("runs", 0, "attention", "text") == run.tokenizer().decode(shown));
    Words labels;
    for (const std::int32_t id : shown) labels.push_back(label_of(run.tokenizer().token_bytes(id)));
    CHECK(data.texts("runs", 0, "attention", "tokens") == labels);
    const auto weights = model::attention_weights(run.model.gpt, shown);
    CHECK(data.value("runs", 0, "attention", "layers").size() == 2);
    for (int layer = 0; layer < 2; ++layer) {
      const auto all = engine::at(weights, layer).values();
      CHECK(data.texts("runs", 0, "attention", "layers", layer) ==
            Words{weights_text(all.first(36), 6, causal), weights_text(all.last(36), 6, causal)});
    }
  }
  CHECK(Data(run_report(run, std::span(shown).first(1), {})).is_null("runs", 0, "attention"));
}

TEST_CASE("report: whatever a text and a name contain is text") {
  const std::string hostile = "</script><!--<script>&\xe2\x80\xa8\xe2\x80\xa9\x01\xff\"\\\r\n'";
  ReportedRun run =
      subject(std::make_shared<model::ByteTokenizer>(), hostile + hostile, std::ssize(hostile));
  run.name = run.no_corpus = run.info.validation = hostile;
  run.samples = {{1, hostile}};
  run.info.texts = {{hostile, 1, 1}};
  run.sessions = {{.utc = hostile, .command = {hostile}}};
  std::vector<std::int32_t> ids;
  for (const char c : hostile.substr(0, 6)) ids.push_back(static_cast<unsigned char>(c));
  for (const std::string& page : {run_report(run, ids, ids), comparison_report({&run, 1})}) {
    for (const char* raw : {"<!--", "<script>&", "\x01", "\xff", "\r"})
      CHECK(page_data::count(page, raw) == 0);
    const std::string json = page_data::between(page, "id=\"data\">", "</script>");
    for (const char* raw : {"<", ">", "&", "\xe2\x80\xa8", "\xe2\x80\xa9"})
      CHECK(page_data::count(json, raw) == 0);
    CHECK(page_data::count(page, "</script>") == 2);
    const Data data(page);
    CHECK(data.text("runs", 0, "name") == clean(hostile));
    CHECK(data.texts("runs", 0, "samples", "text") == Words{clean(hostile)});
  }
}
