// The data of a page: the record, the settings and the outcome of a run, from a log.csv and settings in
// this file.
#include "train/report/data.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/tokenizer/byte_tokenizer.h"

#include "tests/catch.h"

#include "tests/unit/train/loop/counting.h"
#include "tests/unit/train/report/page_data.h"
#include "train/report/report.h"

using namespace train;
using engine::joined;
using page_data::characters;
using page_data::Data;
using page_data::data_of;
using page_data::Numbers;
using page_data::rounded;
using page_data::rounded_text;
using page_data::Words;

namespace {

// 3 x 2 sequences of 8 tokens in an update: 48. 300 ids, the last 60 for validation; the model is that
// of step 5.
ReportedRun subject(const std::string& name, model::TokenizerHandle tokenizer = characters("abcd"),
                    Index bytes = 60) {
  model::Config config{.vocab_size = tokenizer->vocabulary_size(),
                       .block_size = 8,
                       .n_layer = 1,
                       .n_head = 1,
                       .n_embd = 4};
  ReportedRun run(name, {model::GPT(config), tokenizer, {}});
  static_cast<model::Config&>(run.plan) = config;
  run.plan.batch_size = 3;
  run.plan.gradient_accumulation_steps = 2;
  run.plan.max_iters = 2000;
  run.plan.grad_clip = 0.75;
  run.log = read_log(
      "step,loss,learning_rate,gradient_norm,train_loss,val_loss\n"
      "0,,,,5.5,5.25\n5,3,0.5,1.5,2.5,2.25\n7,2.123456789,0.5,1.25,,\n1200,1.5,0.25,0.5,1,2.375\n");
  run.times = read_times("step,seconds,utc\n0,0.5,\n5,2,\n1200,7384,\n");
  run.model_step = 5;
  run.kept.loss = 2.25;
  run.step = 1200;
  run.info.texts = {{"/home/a/tale.txt", 300, 1}};
  const auto token = [](Index i) { return i % 2; };
  run.corpus.emplace(tokens_of(240 + bytes, config.vocab_size, token), Index(240));
  return run;
}

// Without what it recorded.
ReportedRun unrecorded() {
  ReportedRun run = subject("run");
  run.log.clear();
  run.times.clear();
  return run;
}

Data compared(ReportedRun first, ReportedRun second) {
  std::vector<ReportedRun> runs;
  runs.push_back(std::move(first));
  runs.push_back(std::move(second));
  return Data(comparison_report(runs));
}

std::string text_of_fables() {
  std::string text;
  for (int i = 0; i < 300; ++i) text += joined("The f\xc3\xb6x said ", i * i % 97, " words. ");
  return text;
}

// With the last tokens of a text for validation.
void set_text(ReportedRun& run, const std::string& text, Index validation) {
  model::TokenIds ids = run.tokenizer().encode(text);
  const Index n = ids.size();
  std::size_t bytes = 0;
  for (Index i = n - validation; i < n; ++i) bytes += run.tokenizer().token_bytes(ids[i]).size();
  const TextUnits units = units_of(std::string_view(text).substr(text.size() - bytes), validation);
  run.corpus.emplace(std::move(ids), n - validation, units);
}

}  // namespace

TEST_CASE("report: what a run is, number by number") {
  ReportedRun run = subject("out/a");
  // Embeddings 4 V and, of positions, 4 T; a block's norms 8, attention 64, hidden layer 128; a norm 4.
  Data data = data_of(run);
  data.check_raw(R"({"name":"out/a","model":{"layers":1,"heads":1,"channels":4,"parameters":252,)"
                 R"("context":8,"tokenizer":"char","vocabulary":4,"causal":true},)"
                 R"("text":{"train":"tale.txt","validation":"the last 10 % of tale.txt",)"
                 R"("train_tokens":240,"validation_tokens":60,"bytes_per_token":1,)"
                 R"("characters_per_token":null},"missing":"",)"
                 R"("step":1200,"max_iters":2000,"seconds":7384,"from_the_start":true,)"
                 R"("tokens_per_update":48,)",
                 "runs", 0);
  CHECK(data.number("runs", 0, "flops_per_update") == rounded(run.plan.update_flops()));
  CHECK(data.number("runs", 0, "grad_clip") == 0.75);
  CHECK(data.number("format") == 1);
  CHECK(data.is_null("comparison"));
  CHECK_FALSE(data.is_true("watched"));
  CHECK(Data(run_report(run, {}, {}, true)).is_true("watched"));
  run.step = 1250;  // a checkpoint after the last row
  run.times.erase(run.times.begin());
  run.info.texts = {{"a", 1, 1}, {"b/", 1, 1}, {"c", 1, 1}, {"d", 1, 1}, {"e/e.txt", 1, 1}};
  run.info.validation = "the last tenth of each";
  const Data later = data_of(run);
  CHECK(later.text("runs", 0, "text", "train") == "a, a text, c, d, e.txt");
  CHECK(later.text("runs", 0, "text", "validation") == "the last tenth of each");
  CHECK(later.number("runs", 0, "step") == 1250);
  CHECK_FALSE(later.is_true("runs", 0, "from_the_start"));
  for (const char* const path : {"f", "g"}) run.info.texts.push_back({path, 1, 1});
  run.info.val_texts = {{"v.txt", 1, 1}};
  run.corpus.reset();
  run.no_corpus = "it is gone";
  run.times.clear();
  run.log.clear();
  data_of(run).check_raw(R"({"train":"a, a text, c, d, e.txt and 2 more","validation":"v.txt",)"
                         R"("train_tokens":null,"validation_tokens":null,"bytes_per_token":null,)"
                         R"("characters_per_token":null},"missing":"it is gone",)"
                         R"("step":1250,"max_iters":2000,"seconds":null,"from_the_start":false,)",
                         "runs", 0, "text");
}

TEST_CASE("report: settings with the sizes that 0 stands for, and the architecture's name") {
  ReportedRun run = subject("a");
  run.plan.n_head = 2;
  const Data data = data_of(run);
  for (const auto& [name, value] : {std::pair("arch", "gpt2"),
                                    {"n_kv_head", "2"},
                                    {"head_dim", "2"},
                                    {"n_inner", "16"},
                                    {"init_from", "none"},
                                    {"text", "tale.txt"}}) {
    INFO(name);
    CHECK(data.setting(0, name) == value);
  }
  run.info.init_from = "/models/other";
  CHECK(data_of(run).setting(0, "init_from") == "other");
  for (const model::Family family : {model::Family::llama, model::Family::qwen3}) {
    set_architecture(run.plan, family);
    CHECK(data_of(run).setting(0, "arch") == engine::name_of(family));
  }
  run.plan.position = nn::PositionKind::learned;  // of Qwen3 and Llama neither has it
  CHECK(data_of(run).setting(0, "arch") == "");
  run.sessions = {{.utc = "2026-11-22T17:40:00Z", .command = {"gradus", "a b"}}};
  CHECK(data_of(run).texts("runs", 0, "sessions") == Words{description(run.sessions[0])});
}

TEST_CASE("report: the curves are the columns of the log") {
  ReportedRun run = subject("run");
  run.info.ngrams = {{2.75, 3, 5.123456789}, "byte"};
  const Data data = data_of(run);
  for (const auto& [name, json] :
       {std::pair("updates",
                  R"({"count":3,"step":[5,7,1200],"loss":[3,2.1234568,1.5],"mean":null})"),
        {"learning_rate", R"({"count":3,"step":[5,7,1200],"value":[0.5,0.5,0.25]})"},
        {"gradient_norm", R"({"count":3,"step":[5,7,1200],"value":[1.5,1.25,0.5]})"},
        {"evaluations",
         R"({"count":3,"step":[0,5,1200],"train":[5.5,2.5,1],"val":[5.25,2.25,2.375]})"},
        {"times", R"({"count":3,"step":[0,5,1200],"seconds":[0.5,2,7384]})"},
        // 5 updates of 48 tokens in 1.5 seconds, 1,195 in 7,382.
        {"speed", R"({"step":[5,1200],"tokens_per_second":[160,8]})"},
        {"ngrams", R"({"symbol":"byte","losses":[2.75,3,5.1234568]})"},
        {"best", R"({"step":5,"loss":2.25,"train":2.5,"val":2.25,"measured_on":0})"}})
    data.check_raw(json, "runs", 0, name);
  run.model_step = 7;  // no evaluation's
  CHECK(data_of(run).is_null("runs", 0, "best"));
  run.log.clear();
  run.times.clear();
  const Data none = data_of(run);
  for (const auto& [name, json] :
       {std::pair("updates", R"({"count":0,"step":[],"loss":[],"mean":null})"),
        {"speed", R"({"step":[],"tokens_per_second":[]})"},
        {"evaluations", R"({"count":0,"step":[],"train":[],"val":[]})"},
        {"card", "[]"}})
    none.check_raw(json, "runs", 0, name);
}

TEST_CASE("report: of a long curve the extremes stay, beside the means of all (thinned_test.cpp)") {
  for (const Index rows : {500, 24'000}) {
    ReportedRun run = unrecorded();
    for (Index step = 1; step <= rows; ++step) {
      const double x = std::cos(double(step));
      // The training loss is no extreme where the validation loss is one.
      run.log.push_back({step, x, x, x, -std::abs(x), x});
      run.times.push_back({step, double(step), ""});
    }
    run.log[100].loss = run.log[100].learning_rate = run.log[100].gradient_norm =
        run.log[100].val_loss = -2;
    const std::string page = run_report(run, {}, {});
    CHECK(page.size() < 400'000);
    const Data data(page);
    for (const auto& [name, value] : {std::pair("updates", "loss"),
                                      {"learning_rate", "value"},
                                      {"gradient_norm", "value"},
                                      {"evaluations", "val"},
                                      {"times", "seconds"}}) {
      INFO(name << ", " << rows << " rows");
      const Numbers shown = data.numbers("runs", 0, name, value);
      CHECK((std::ssize(shown) == rows) == (rows == 500));
      CHECK(data.numbers("runs", 0, name, "step").size() == shown.size());
      CHECK(data.number("runs", 0, name, "count") == double(rows));
      if (std::string(name) != "times") CHECK(std::ranges::count(shown, -2) == 1);
    }
    // Of updates, a mean for each if some are left out.
    const bool has_means = !data.is_null("runs", 0, "updates", "mean");
    CHECK(has_means == (rows > 500));
    if (has_means)
      CHECK(data.numbers("runs", 0, "updates", "mean").size() ==
            data.numbers("runs", 0, "updates", "loss").size());
  }
}

TEST_CASE("report: the speed is that of most updates, in sixty stretches at most") {
  for (const Index rows : {2, 3, 60, 61, 62, 150}) {
    INFO(rows << " rows");
    ReportedRun run = unrecorded();
    double now = 0;  // now and then a row has an evaluation, or no time at all
    for (Index i = 0; i < rows; ++i) {
      now += rows < 150 ? 1 : i % 5 == 3 ? 100 : i % 5 == 4 ? 0 : 1;
      run.times.push_back({4 + 3 * i, now, ""});
    }
    const Data data = data_of(run);
    const Numbers steps = data.numbers("runs", 0, "speed", "step"),
                  speeds = data.numbers("runs", 0, "speed", "tokens_per_second");
    CHECK(steps.size() == speeds.size());
    if (rows < 150) CHECK(std::ssize(steps) == std::min<Index>(rows - 1, 60));
    CHECK(steps.back() == double(4 + 3 * (rows - 1)));
    CHECK(std::ranges::adjacent_find(steps, std::greater_equal()) == steps.end());
    // Three updates of 48 tokens a second.
    CHECK(std::ranges::count(speeds, 144) >= std::ssize(speeds) * 2 / 3);
  }
}

TEST_CASE("report: the verdict, what goes on, what to try and how long it takes", "[posix]") {
  ReportedRun run = subject("out/a b");
  CHECK(data_of(run).is_null("runs", 0, "verdict"));
  CHECK(data_of(run).text("runs", 0, "resume") == "gradus train --resume 'out/a b'");
  run.plan.max_iters = 1200;
  run.log.back().val_loss = 2;
  run.model_step = 1200;
  run.kept.loss = 2;
  run.next_run = [](const Change& change) { return "gradus train 'a b' " + change.text(); };
  const Data over = data_of(run);
  CHECK(over.text("runs", 0, "resume") == "");
  CHECK_THAT(over.text("runs", 0, "verdict", "text"), Catch::Contains("--val_text"));
  CHECK_THAT(over.raw("runs", 0, "verdict"),
             Catch::Contains(R"("command":"","seconds":null,"overfits":false})"));
  run.log.back().train_loss = 1.5;
  // 1,200 updates took 7,383.5 s: 2,400 take 14,767 s.
  const auto check_tried = [&](const std::string& flag, const std::string& seconds) {
    CHECK_THAT(data_of(run).raw("runs", 0, "verdict"),
               Catch::Contains(joined(R"("command":"gradus train 'a b' )", flag, R"(","seconds":)",
                                      seconds, ",")));
  };
  check_tried("--max_iters 2400", "14767");
  run.times.resize(1);
  check_tried("--max_iters 2400", "null");
  run.times = read_times("step,seconds,utc\n5,2,\n1200,7384,\n");
  run.sessions = {{.minutes = 120}, {.minutes = 0}};  // resumed without --minutes
  check_tried("--minutes 240", "null");
  run.model_step = 6;  // no evaluation's
  CHECK(data_of(run).is_null("runs", 0, "verdict"));
}

TEST_CASE("report: whether a run overfits") {
  ReportedRun run = subject("run");
  run.plan.max_iters = 1200;
  const auto overfits = [&](double train_loss, double val_loss) {
    run.log.back().train_loss = train_loss;
    run.log.back().val_loss = val_loss;
    return data_of(run).is_true("runs", 0, "verdict", "overfits");
  };
  CHECK(overfits(1, 2.375));
  CHECK_FALSE(overfits(2.5, 2.375));  // has not fallen either
  CHECK_FALSE(overfits(1, 2.26));     // risen by less than a hundredth
  CHECK(overfits(1, 2.28));
  run.model_step = 0;  // it never learned
  CHECK_FALSE(overfits(1, 6));
}

TEST_CASE("report: how long it takes with another number of layers is by their operations") {
  ReportedRun run = subject("a");
  run.plan.max_iters = 1200;
  run.plan.n_layer = 10;
  run.log = read_log(
      "step,loss,learning_rate,gradient_norm,train_loss,val_loss\n"
      "0,,,,5,5\n600,2,0.5,1,2,2\n1200,1.9,0.5,1,1.9,2.005\n");
  run.model_step = 600;
  run.kept.loss = 2;
  run.next_run = [](const Change& change) { return change.text(); };
  // Twice the layers: all but the head's 2 V C a token is twice as much. 1,200 updates of 100 s each
  // take 33 h 20 min; of a layer a token has 2 x 12 C C + 4 T C.
  run.times = {{0, 10, ""}, {1200, 120'010, ""}};
  const double head = 2 * 4 * 4, layer = 2 * 12 * 4 * 4 + 4 * 8 * 4;
  const double seconds = 120'000 * (head + 20 * layer) / (head + 10 * layer);
  const Data data = data_of(run);
  CHECK(data.text("runs", 0, "verdict", "command") == "--n_layer 20");
  CHECK(data.number("runs", 0, "verdict", "seconds") == rounded(seconds));
}

TEST_CASE("report: the card has each loss in all units, and the sizes they come to") {
  const std::string text = text_of_fables();
  constexpr Index validation = 1500;  // characters, some of two bytes
  ReportedRun run = subject("run", characters(text));
  set_text(run, text, validation);
  run.info.ngrams.losses = {3, 2.75};
  std::size_t begin = text.size();
  for (Index left = validation; left > 0; --left) do
      --begin;
    while (static_cast<unsigned char>(text[begin]) >> 6 == 2);
  const auto bytes = double(text.size() - begin);
  REQUIRE(bytes > validation);
  const auto row = [&](const std::string& name, double loss) {
    const double bits = loss / std::numbers::ln2;
    return joined(R"({"name":")", name, R"(","loss":)", rounded_text(loss), R"(,"perplexity":)",
                  rounded_text(std::exp(loss)), R"(,"bits_per_character":)", rounded_text(bits),
                  R"(,"bits_per_byte":)", rounded_text(bits * validation / bytes), R"(,"bytes":)",
                  std::lround(bits * validation / 8), '}');
  };
  const std::string model = row("this model", 2.25),
                    grams = row("1-gram", 3) + ',' + row("2-gram", 2.75);
  const std::string as_it_is =
      joined(R"({"name":"the text as it is","loss":null,"perplexity":null,"bits_per_character":)",
             rounded_text(8 * bytes / validation), R"(,"bits_per_byte":8,"bytes":)",
             std::lround(bytes), "}]");
  // Of the best, not the last.
  data_of(run).check_raw('[' + model + ',' + grams + ',' + as_it_is, "runs", 0, "card");
  // A model that sees the tokens that it predicts cannot compress a text: no size is shown.
  run.plan.causal = false;
  CHECK(data_of(run).is_null("runs", 0, "card", 0, "bytes"));
  data_of(run).check_raw(grams, "runs", 0, "card", 1);
  CHECK(data_of(run).is_null("runs", 0, "estimated"));
  run.plan.eval_iters = 20;
  CHECK(data_of(run).number("runs", 0, "estimated", "batches") == 20);
  run.plan.eval_iters = 0;
  run.plan.eval_tokens = validation - 1;
  run.kept.measured_on = 1499;
  CHECK(data_of(run).number("runs", 0, "estimated", "batches") == 0);
  CHECK(data_of(run).number("runs", 0, "best", "measured_on") == 1499);
}

TEST_CASE("report: the card of a text that is not UTF-8, or is gone, knows less") {
  std::string text;
  for (int i = 0; i < 200; ++i) text += joined("caf\xe9 ", i, " ");
  ReportedRun run = subject("run", std::make_shared<model::ByteTokenizer>());
  set_text(run, text, 700);
  const double bits = 2.25 / std::numbers::ln2;
  const std::string begin = joined(R"([{"name":"this model","loss":2.25,"perplexity":)",
                                   rounded_text(std::exp(2.25)), R"(,"bits_per_character":null,)");
  data_of(run).check_raw(joined(begin, R"("bits_per_byte":)", rounded_text(bits), R"(,"bytes":)",
                                std::lround(bits * 700 / 8), '}'),
                         "runs", 0, "card");
  run.corpus.reset();
  data_of(run).check_raw(begin + R"("bits_per_byte":null,"bytes":null}])", "runs", 0, "card");
}

TEST_CASE("report: several runs are compared where they can be") {
  struct Case {
    void (*change)(ReportedRun& second);
    bool same_text, same_tokens, same_aim;
  };
  const Case cases[] = {
      {[](ReportedRun&) {}, true, true, true},
      {[](ReportedRun& run) { run.info.texts[0].size = 301; }, false, true, true},
      {[](ReportedRun& run) { run.plan.val_fraction = 0.2; }, false, true, true},
      {[](ReportedRun& run) {
         run.info.val_texts.push_back({"v", 1, 1});
       },
       false, true, true},
      {[](ReportedRun& run) { run.plan.causal = false; }, true, true, false},
      {[](ReportedRun& run) { run = subject("b", characters("abcdef")); }, true, false, true},
  };
  for (const Case& one : cases) {
    ReportedRun second = subject("b");
    one.change(second);
    const Data data = compared(subject("a"), std::move(second));
    INFO("case " << &one - cases);
    CHECK(data.is_true("comparison", "same_text") == one.same_text);
    CHECK(data.is_true("comparison", "same_tokens") == one.same_tokens);
    CHECK(data.is_true("comparison", "same_aim") == one.same_aim);
  }
  // The same validation text, for any training text.
  ReportedRun first = subject("a"), second = subject("b");
  first.info.val_texts = second.info.val_texts = {{"v", 1, 1}};
  second.info.texts[0].size = 301;
  second.plan.val_fraction = 0.5;
  CHECK(compared(std::move(first), std::move(second)).is_true("comparison", "same_text"));
}

TEST_CASE("report: of each run of several there is what it recorded, and its last sample") {
  ReportedRun first = subject("out/a"), second = subject("out/b", characters("abcdef"), 90);
  first.name = "a";
  second.name = "b";
  second.samples = {{5, "early"}, {1200, "late <"}};
  second.log[1].train_loss = 1.75;
  second.kept.loss = 2;
  second.plan.batch_size = 6;
  std::vector<ReportedRun> runs;
  runs.push_back(std::move(first));
  runs.push_back(std::move(second));
  const std::string page = comparison_report(runs);
  const Data data(page);
  CHECK_THAT(page, Catch::Contains("<title>gradus: a, b</title>"));
  CHECK(data.text("runs", 1, "name") == "b");
  CHECK(data.text("runs", 1, "resume") == "gradus train --resume out/b");
  data.check_raw(R"({"count":0,"step":[],"text":[]})", "runs", 0, "samples");
  data.check_raw(R"({"count":2,"step":[1200],"text":["late \u003c"]})", "runs", 1, "samples");
  // 48 and 96 tokens an update.
  CHECK(data.number("runs", 0, "tokens_per_update") == 48);
  CHECK(data.number("runs", 1, "tokens_per_update") == 96);
  CHECK(data.number("runs", 1, "best", "train") == 1.75);
  for (const int run : {0, 1}) {
    CHECK(data.text("runs", run, "kept_sample") == "");
    for (const char* key : {"prompt", "surprise", "context", "attention"})
      CHECK(data.is_null("runs", run, key));
  }
  std::string differing;
  for (const auto row : data.value("runs", 0, "settings").elements()) {
    const std::string name((*row.elements().begin()).string());
    if (data.setting(0, name) != data.setting(1, name)) differing += name + ' ';
  }
  CHECK(differing == "vocab_size batch_size ");
}

TEST_CASE("report: without a script there are the losses and eleven samples at most") {
  ReportedRun run = subject("<run>");
  run.plan.max_iters = 1200;
  for (Index n = 1; n <= 30; ++n) run.samples.push_back({5 * (n - 1), joined("<", n, ">\n")});
  const std::string page = run_report(run, {}, {}),
                    table = page_data::between(page, "<noscript>", "</noscript>");
  for (const std::string text : {"&lt;run&gt;", "5.5000", "5.2500", "2.3750", "&lt;1&gt;",
                                 "&lt;30&gt;", ">1,200<", "After update 145"})
    CHECK_THAT(table, Catch::Contains(text));
  CHECK(page_data::count(table, "&gt;\n") == 11);
  for (Index step = 2000; step < 3000; ++step) run.log.push_back({step, {}, {}, {}, 3, 3.5});
  CHECK(page_data::count(run_report(run, {}, {}), "3.5000") <= 200);
  CHECK(page_data::count(run_report(run, {}, {}), "3.5000") > 90);
}
