// The page of a run and of several: each number of its tables, from a log.csv and settings that stand
// here.
#include "train/report/report.h"

#include "model/tokenizer/char_tokenizer.h"
#include "tests/catch.h"
#include "tests/unit/train/report/markup.h"
#include "train/report/sections.h"

using namespace train;
using engine::joined;
using markup::all_between;
using markup::between;
using markup::count;

namespace {

using Words = std::vector<std::string>;

// 3 x 2 sequences of 8 tokens in an update: 48. 300 ids, the last 60 for validation; the model is that
// of step 5.
ReportedRun subject(const std::string& name, model::TokenizerHandle tokenizer, Index bytes = 60) {
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
  run.log = read_log(
      "step,loss,learning_rate,gradient_norm,train_loss,val_loss\n"
      "0,,,,5.5,5.25\n5,3,0.5,1.5,2.5,2.25\n1200,1.5,0.25,0.5,1,2.375\n");
  run.times = read_times("step,seconds,utc\n0,0.5,\n5,2,\n1200,7384,\n");
  run.model_step = 5;
  run.kept.loss = 2.25;
  run.step = 1200;
  run.info.texts = {{"/home/a/tale.txt", 300, 1}};
  model::TokenIds ids(tokenizer->vocabulary_size());
  for (int i = 0; i < 240 + bytes; ++i) ids.push_back(i % 2);
  run.corpus.emplace(std::move(ids), Index(240));
  return run;
}

model::TokenizerHandle characters(std::string_view text = "abcd") {
  return model::CharTokenizer::train({&text, 1});
}

ReportedRun subject(const std::string& name) { return subject(name, characters()); }

std::vector<ReportedRun> both(ReportedRun first, ReportedRun second) {
  std::vector<ReportedRun> runs;
  runs.push_back(std::move(first));
  runs.push_back(std::move(second));
  return runs;
}

// The rows of the table with this label: their heads and cells.
std::vector<Words> table(const std::string& html, const std::string& label) {
  std::vector<Words> rows;
  const std::string body =
      between(html.substr(html.find("aria-label=\"" + label)), "<tbody>", "</tbody>");
  for (const std::string& row : all_between(body, "<tr", "</tr>")) {
    Words& cells = rows.emplace_back();
    for (std::size_t at = row.find("<t"); at != row.npos; at = row.find("<t", at + 1)) {
      const std::size_t begin = row.find('>', at) + 1;
      cells.push_back(row.substr(begin, row.find('<', begin) - begin));
    }
  }
  return rows;
}

std::string summary(const ReportedRun& run) {
  return between(run_report(run, {}, {}), "<p>", "</p>");
}

std::string setting(const ReportedRun& run, const std::string& name) {
  return between(run_report(run, {}, {}), "<th scope=\"row\">" + name + "</th><td>", "</td>");
}

std::string verdict_of(const ReportedRun& run) {
  return between(run_report(run, {}, {}), "What came of it</h2>", "</section>");
}

}  // namespace

TEST_CASE("report: a run's first sentences, number by number") {
  ReportedRun run = subject("out/a");
  // Embeddings 4 V and, of positions, 4 T; a block's norms 8, attention 64, hidden layer 128; a norm 4.
  CHECK(summary(run) ==
        "A GPT of 1 layer, 1 head and 4 channels, 252 parameters, which reads 8 tokens at a time "
        "(char, 4 distinct). Trained on tale.txt, 240 tokens, validated on the last 10 % of "
        "tale.txt, 60 tokens, to step 1,200 of 2,000, in 2 h 3 min.");
  run.step = 1250;  // a checkpoint after the last row
  run.times.erase(run.times.begin());
  run.info.texts = {{"a", 1, 1}, {"b/", 1, 1}, {"c", 1, 1}, {"d", 1, 1}, {"e/e.txt", 1, 1}};
  run.info.validation = "the last tenth of each";
  CHECK_THAT(summary(run),
             Catch::Contains("Trained on a, a text, c, d, e.txt, 240 tokens, validated on the last "
                             "tenth of each, 60") &&
                 Catch::EndsWith("to step 1,250 of 2,000, in at least 2 h 3 min."));
  run.info.texts.push_back({"f", 1, 1});
  run.info.texts.push_back({"g", 1, 1});
  run.info.val_texts = {{"v.txt", 1, 1}};
  run.corpus.reset();
  run.times.clear();
  CHECK_THAT(summary(run), Catch::Contains("Trained on a, a text, c, d, e.txt and 2 more, "
                                           "validated on v.txt, to step 1,250 of 2,000."));
  run.log.clear();
  run.step = 7;
  CHECK_THAT(summary(run), Catch::EndsWith("to step 7 of 2,000. Nothing is recorded: log.csv is "
                                           "empty or missing."));
}

TEST_CASE("report: settings with the sizes that 0 stands for, and the architecture's name") {
  ReportedRun run = subject("a");
  run.plan.n_head = 2;
  CHECK(setting(run, "arch") == "gpt2");
  CHECK(setting(run, "n_kv_head") == "2");
  CHECK(setting(run, "head_dim") == "2");
  CHECK(setting(run, "n_inner") == "16");
  CHECK(setting(run, "init_from") == "none");
  CHECK(setting(run, "text") == "tale.txt");
  CHECK(setting(run, "tokenizer") == "char");
  run.info.init_from = "/models/other";
  CHECK(setting(run, "init_from") == "other");
  for (const model::Family family : {model::Family::llama, model::Family::qwen3}) {
    set_architecture(run.plan, family);
    CHECK(setting(run, "arch") == engine::name_of(family));
  }
  run.plan.position = nn::PositionKind::learned;  // of Qwen3 and Llama neither has it
  CHECK(setting(run, "arch") == "");
  CHECK_THAT(run_report(run, {}, {}), !Catch::Contains("When and where it was trained"));
  run.sessions = {{.utc = "2026-11-22T17:40:00Z"}};
  CHECK_THAT(run_report(run, {}, {}), Catch::Contains("When and where it was trained"));
}

TEST_CASE("report: the verdict's loss and step, what goes on, and what takes how long", "[posix]") {
  ReportedRun run = subject("out/a b");
  CHECK(verdict_of(run) ==
        "<p>Validation loss 2.2500 nats per token at step 5, its lowest. The run is at step 1,200 "
        "of 2,000; gradus train --resume &#39;out/a b&#39; goes on with it.</p>");
  run.plan.max_iters = 1200;
  run.log.back().val_loss = 2;
  run.model_step = 1200;
  run.kept.loss = 2;
  run.next_run = [](const Change& change) { return "gradus train 'a b' " + change.text(); };
  // 1,200 updates took 7,383.5 s: 2,400 take 14,767 s.
  CHECK(
      verdict_of(run) ==
      "<p>Validation loss 2.0000 nats per token at step 1,200. The training text is predicted far "
      "better (train loss 1.0000, val loss 2.0000): the model knows it by heart, where more text "
      "helps, or the validation text is of another kind (--val_text takes one of the same).</p>");
  run.log.back().train_loss = 1.5;
  CHECK_THAT(verdict_of(run),
             Catch::EndsWith("<p>To try it, in about 4 h 6 min:</p><pre dir=\"auto\">\ngradus "
                             "train &#39;a b&#39; --max_iters 2400</pre>"));
  run.times.resize(1);
  CHECK_THAT(verdict_of(run), Catch::Contains("<p>To try it:</p>"));
  run.times = read_times("step,seconds,utc\n5,2,\n1200,7384,\n");
  run.sessions = {{.minutes = 120}};
  CHECK_THAT(verdict_of(run),
             Catch::Contains("<p>To try it:</p>") && Catch::Contains("--minutes 240</pre>"));
  run.model_step = 7;  // no evaluation's
  CHECK_THAT(run_report(run, {}, {}), !Catch::Contains("What came of it"));
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
  CHECK_THAT(verdict_of(run),
             Catch::Contains("<p>To try it, in about " + model::duration_text(seconds) + ":") &&
                 Catch::Contains("--n_layer 20"));
}

TEST_CASE("report: results of several runs, by bits per byte, the best first; what has none last") {
  ReportedRun worse = subject("worse"), better = subject("better", characters("abcdef"), 90);
  better.kept.loss = 2;
  better.log[1].train_loss = 1.75;
  better.plan.batch_size = 6;
  better.times.clear();
  std::vector<ReportedRun> runs = both(std::move(worse), std::move(better));
  runs.push_back(subject("gone"));
  runs.back().corpus.reset();
  runs.push_back(subject("new"));
  runs.back().log.clear();
  const std::string html = comparison_report(runs);
  // Two more of the alphabet: 8 parameters. 48 and 96 tokens an update. A character is a byte.
  CHECK(
      table(html, "Results of the runs") ==
      std::vector<Words>{{"better", "260", "2.0000", "5", "2.8854", "1.7500", "115,200", "–"},
                         {"worse", "252", "2.2500", "5", "3.2461", "2.5000", "57,600", "2 h 3 min"},
                         {"gone", "252", "2.2500", "5", "–", "2.5000", "57,600", "2 h 3 min"},
                         {"new", "252", "no evaluation yet"}});
  CHECK(all_between(between(html, "aria-label=\"Results of the runs", "</thead>"),
                    "<th scope=\"col\">",
                    "</th>") == Words{"run", "parameters", "validation loss", "at step",
                                      "bits per byte", "training loss", "tokens read", "time"});
  CHECK(count(html, "<tr class=\"us\"><th scope=\"row\">better</th>") == 1);
  CHECK(count(html, "<tr class=\"us\">") == 1);
  CHECK_THAT(html, Catch::Contains("<h1>Comparison of 4 runs</h1>") &&
                       Catch::Contains("<title>gradus: worse, better, gone, new</title>"));
  CHECK(table(html, "Settings of the runs") ==
        std::vector<Words>{{"vocab_size", "4", "6", "4", "4"}, {"batch_size", "3", "6", "3", "3"}});
  CHECK(all_between(between(html, "aria-label=\"Settings of the runs", "</thead>"),
                    "<th scope=\"col\">",
                    "</th>") == Words{"setting", "worse", "better", "gone", "new"});
}

TEST_CASE("report: runs are compared where they can be, each warning where it holds") {
  const std::string texts = "are validated on different texts", cut = "losses per token cannot",
                    aim = "Where causal is false";
  struct Case {
    void (*change)(ReportedRun& second);
    bool texts, cut, aim, per_byte;
  };
  const Case cases[] = {
      {[](ReportedRun&) {}, false, false, false, false},
      {[](ReportedRun& run) { run.info.texts[0].size = 301; }, true, false, false, false},
      {[](ReportedRun& run) { run.plan.val_fraction = 0.2; }, true, false, false, false},
      {[](ReportedRun& run) {
         run.info.val_texts = {{"v", 1, 1}};
       },
       true, false, false, false},
      {[](ReportedRun& run) { run.plan.causal = false; }, false, false, true, false},
      {[](ReportedRun& run) { run = subject("b", characters("abcdef")); }, false, true, false,
       true},
  };
  for (const Case& one : cases) {
    ReportedRun second = subject("b");
    one.change(second);
    const std::string html = comparison_report(both(subject("a"), std::move(second)));
    INFO("case " << &one - cases);
    CHECK((count(html, texts) == 1) == one.texts);
    CHECK((count(html, cut) == 1) == one.cut);
    CHECK((count(html, aim) == 1) == one.aim);
    CHECK((count(html, "<figure id=\"loss") > 0) == !(one.texts || one.aim));
    CHECK((count(html, "<tr class=\"us\">") == 1) == !(one.texts || one.aim));
    CHECK((count(html, "bits per byte)</text>") == 3) == one.per_byte);
  }
  // The same validation text: whatever was trained on.
  std::vector<ReportedRun> runs = both(subject("a"), subject("b"));
  for (ReportedRun& run : runs) run.info.val_texts = {{"v", 1, 1}};
  runs[1].info.texts[0].size = 301;
  runs[1].plan.val_fraction = 0.5;
  CHECK_THAT(comparison_report(runs), !Catch::Contains(texts));
  CHECK_THAT(comparison_report(both(subject("a"), subject("a"))),
             Catch::Contains("<p>All settings are the same.</p>"));
}

TEST_CASE("report: of each run of several the last sample; sections are where the list says") {
  std::vector<ReportedRun> runs = both(subject("a"), subject("b"));
  CHECK_THAT(comparison_report(runs), !Catch::Contains("What they write"));
  runs[1].samples = {{5, "early"}, {1200, "late <"}};
  const std::string html = comparison_report(runs);
  CHECK(all_between(html, "<h3>", "</pre>") ==
        Words{"b, step 1,200</h3><pre dir=\"auto\">\nlate &lt;"});
  for (const std::string& page : {html, run_report(runs[0], {}, {})}) {
    Words links, sections;
    for (const std::string& link : all_between(page, "<li><a href=\"#", "</a>"))
      links.push_back(link.substr(0, link.find('"')) + link.substr(link.find('>')));
    for (const std::string& head : all_between(page, "<h2 id=\"", "</h2>"))
      sections.push_back(head.substr(0, head.find('"')) + head.substr(head.find('>')));
    CHECK(links == sections);
    CHECK(links.size() >= 4);
    for (const std::string& section : sections)
      CHECK(count(page, "<section aria-labelledby=\"" + section.substr(0, section.find('>')) +
                            "\"><h2") == 1);
  }
}

TEST_CASE("report: a model without weights looks at all tokens alike; the scale of the maps") {
  ReportedRun run = subject("a");
  const std::int32_t prompt[] = {0, 1, 0};
  // The mean of log 1, log 2 and log 3, or log 3.
  for (const auto& [causal, entropy] : {std::pair(true, "0.60"), {false, "1.10"}}) {
    run.model.gpt.config.causal = causal;
    const std::string html = attention_section(run, prompt);
    CHECK(count(html, joined("one token only, ", entropy, " if each looks at all alike")) == 1);
    CHECK(count(html, joined(">layer 1, head 1, entropy ", entropy, "</figcaption>")) == 1);
    // Fifteen shades, by the root of the weight.
    for (const auto& [weight, percent] :
         {std::pair("0.02", 13), {"0.05", 20}, {"0.1", 33}, {"0.25", 53}, {"0.5", 73}, {"1", 100}})
      CHECK(count(html, joined("var(--shade) ", percent, "%,var(--panel))\"></span> ", weight,
                               weight[0] == '1' ? "." : " <")) == 1);
    CHECK(count(html, "Below 0.083, a quarter of an even share") == 1);
  }
  CHECK(attention_section(run, std::span(prompt).first(1)).empty());
}
