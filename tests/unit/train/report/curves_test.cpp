// The charts of what a run recorded: which value stands at which step, time or number of tokens.
#include "train/report/sections.h"

#include <algorithm>
#include <cmath>

#include "model/tokenizer/char_tokenizer.h"
#include "tests/catch.h"
#include "tests/unit/train/report/markup.h"
#include "train/report/measures.h"

using namespace train;
using engine::joined;

namespace {

using Points = std::vector<std::pair<double, double>>;

// (x, y) of the marks of a series that are drawn; of several charts, in that of this id.
Points points(const std::string& html, std::string_view series, const std::string& chart = "") {
  Points found;
  const std::size_t begin = html.find(joined("id=\"", chart));
  for (const markup::Mark& mark :
       markup::marks_of(html.substr(begin, html.find("</figure>", begin) - begin)))
    if (mark.series == series && mark.drawn) found.push_back({mark.x, mark.y});
  return found;
}

ReportedRun subject(const std::string& name) {
  const std::string_view text = "ab";
  model::GPT gpt({.vocab_size = 2, .block_size = 8, .n_layer = 1, .n_head = 1, .n_embd = 8});
  ReportedRun run(name, {std::move(gpt), model::CharTokenizer::train({&text, 1}), {}});
  run.plan.batch_size = 3;
  run.plan.gradient_accumulation_steps = 2;
  run.plan.block_size = 8;
  run.plan.grad_clip = 0.75;
  run.log = {{0, {}, {}, {}, 4, 4.25},
             {3, 3, 0.25, 2},
             {5, 2.5, 0.5, 1.5, 2, 2.25},
             {12, 1.5, 0, 0.25, 1, 2.5}};
  run.times = {{0, 0.5, ""}, {3, 2, ""}, {12, 7.25, ""}};
  return run;
}

}  // namespace

TEST_CASE("curves: losses over steps, seconds and tokens") {
  ReportedRun run = subject("run");
  run.info.ngrams.losses = {2.75, 3, 5};  // 5 is above all of the curve
  const std::string loss = loss_chart(run);
  CHECK(points(loss, "each update") == Points{{3, 3}, {5, 2.5}, {12, 1.5}});
  CHECK(points(loss, "training") == Points{{3, 3}, {5, 2.5}, {12, 1.5}});
  // The loss before training would squeeze the rest: it is in the table only.
  CHECK(points(loss, "validation") == Points{{5, 2.25}, {12, 2.5}});
  CHECK_THAT(loss, Catch::Contains("<td class=\"n\">4.2500</td>"));
  // Of the n-grams the best.
  CHECK(markup::count(loss, "<path class=\"level\"") == 1);
  CHECK_THAT(loss, Catch::Contains(">1-gram 2.7500</text>"));
  CHECK_THAT(loss, Catch::Contains("a 1-gram of tokens."));
  // As high as the picture, and above it.
  run.info.ngrams.losses = {3, 5};
  CHECK(markup::count(loss_chart(run), "<path class=\"level\"") == 1);
  run.info.ngrams.losses = {3.001, 5};
  CHECK(markup::count(loss_chart(run), "<path class=\"level\"") == 0);
  const std::string all = losses_charts({&run, 1}, false);
  // The time of step 5 is not known.
  CHECK_THAT(markup::between(all, "id=\"loss-by-time\"", "</figure>"),
             Catch::Contains("<th scope=\"row\">7.25</th><td class=\"n\">2.5000</td>"));
  CHECK(points(all, "validation", "loss-by-time") == Points{{0.5, 4.25}, {7.25, 2.5}});
  CHECK(points(all, "validation", "loss-by-tokens") ==
        Points{{5 * 3 * 2 * 8, 2.25}, {12 * 3 * 2 * 8, 2.5}});
}

TEST_CASE("curves: how far the losses are apart at the end, and whether that is overfitting") {
  ReportedRun run = subject("run");
  CHECK_THAT(loss_chart(run), !Catch::Contains("overfit"));  // it has no model
  run.model_step = 5;
  CHECK_THAT(loss_chart(run),
             Catch::Contains("At step 12 they are 1.5000 apart, training at 1.0000, validation at "
                             "2.5000, 0.2500 above its lowest: the run overfits."));
  run.log.back().train_loss = 2;  // has not fallen either
  CHECK_THAT(loss_chart(run),
             Catch::Contains("0.2500 above its lowest, and so has the training loss risen: that is "
                             "not overfitting."));
  run.log.back() = {12, 1.5, 0, 0.25, 1, 2.26};  // by less than a hundredth
  CHECK_THAT(loss_chart(run),
             Catch::Contains("0.0100 above its lowest: too little to call it overfitting."));
  run.model_step = 12;
  run.log.back().val_loss = 2;
  CHECK_THAT(loss_chart(run),
             Catch::Contains("1.0000 apart, training at 1.0000, validation at 2.0000, its lowest "
                             "so far: the run is not past its best."));
}

TEST_CASE("curves: the training line is a mean of a fiftieth of the updates") {
  ReportedRun run = subject("run");
  run.log.clear();
  for (Index step = 1; step <= 400; ++step)
    run.log.push_back({step, step % 2 == 0 ? 2.5 : 1.5, 0.1, 1});
  const Points line = points(loss_chart(run), "training");
  REQUIRE(line.size() > 100);
  for (const auto& [step, loss] : line)
    if (step > 5 && step < 396) CHECK(std::abs(loss - 2) < 0.06);
}

TEST_CASE("curves: the learning rate, the gradient beside what it is clipped to, the speed") {
  const ReportedRun run = subject("run");
  CHECK(points(learning_rate_chart({&run, 1}), "learning rate") ==
        Points{{3, 0.25}, {5, 0.5}, {12, 0}});
  const std::string gradient = gradient_chart({&run, 1});
  CHECK(points(gradient, "gradient norm") == Points{{3, 2}, {5, 1.5}, {12, 0.25}});
  CHECK_THAT(gradient, Catch::Contains("clipped to"));
  ReportedRun unclipped = subject("run");
  unclipped.plan.grad_clip = 0;
  CHECK_THAT(gradient_chart({&unclipped, 1}), !Catch::Contains("clipped to"));
  // 3 updates of 3 x 2 x 8 tokens in 1.5 seconds, 9 in 5.25.
  CHECK(points(speed_chart(run), "tokens per second") == Points{{3, 96}, {12, 82}});
}

TEST_CASE("curves: several runs share a chart, each under its own name") {
  ReportedRun first = subject("out/a"), second = subject("out/b");
  second.log = {{0, {}, {}, {}, 3, 3.5}, {10, 1, 0.1, 1, 1.5, 1.75}};
  std::vector<ReportedRun> runs;
  runs.push_back(std::move(first));
  runs.push_back(std::move(second));
  const std::string loss = losses_charts(runs, false);
  CHECK(points(loss, "out/a") == Points{{5, 2.25}, {12, 2.5}});
  CHECK(points(loss, "out/b") == Points{{10, 1.75}});
  CHECK(points(loss, "out/b, training") == Points{{10, 1.5}});
  CHECK(points(learning_rate_chart(runs), "out/b") == Points{{10, 0.1}});
  CHECK(markup::count(loss, ">loss (nats per token)</text>") == 3);
}

TEST_CASE("curves: of different tokens all charts of losses are in bits per byte") {
  std::vector<ReportedRun> runs;
  for (const char* name : {"a", "b", "gone"}) {
    runs.push_back(subject(name));
    runs.back().times = {{0, 0, ""}, {5, 2, ""}, {12, 7.25, ""}};
    if (std::string(name) == "gone") continue;
    model::TokenIds ids(2);
    for (int i = 0; i < 400; ++i) ids.push_back(i % 2);
    runs.back().corpus.emplace(std::move(ids), Index(200));
  }
  const std::string html = losses_charts(runs, true);
  CHECK(markup::count(html, ">loss (bits per byte)</text>") == 3);
  CHECK(markup::count(html, "nats") == 0);
  for (const char* chart : {"loss", "loss-by-time", "loss-by-tokens"}) {
    const Points line = points(html, "b", joined(chart, "\""));
    INFO(chart);
    REQUIRE(line.size() == 2);  // a byte for each token
    CHECK(line[0].second == Approx(2.25 / std::log(2)).epsilon(1e-4));
    CHECK(points(html, "gone", joined(chart, "\"")).empty());
  }
}

TEST_CASE("curves: of 10,000 updates 500 are shown, the extremes of each stretch among them") {
  ReportedRun run = subject("run");
  run.log.clear();
  for (Index step = 0; step < 10'000; ++step)
    run.log.push_back({step, 3 + std::sin(static_cast<double>(step)), 0.1, 1});
  run.log[6789].loss = 0.5;
  run.log[3210].loss = 9;
  const std::string html = loss_chart(run);
  const Points shown = points(html, "each update");
  CHECK(shown.size() == 500);
  CHECK(points(html, "training").size() == 500);
  CHECK(markup::count(markup::between(html, "<tbody>", "</tbody>"), "<tr>") == 500);
  CHECK(std::ranges::is_sorted(shown));
  CHECK(shown.front().first == 0);
  CHECK(shown.back().first == 9999);
  CHECK(std::ranges::count(shown, std::pair(6789.0, 0.5)) == 1);
  CHECK(std::ranges::count(shown, std::pair(3210.0, 9.0)) == 1);
  CHECK_THAT(html, Catch::Contains(
                       "Of 10,000 points 500 are shown, the lowest and the highest among them."));
  run.log.resize(500);
  CHECK(points(loss_chart(run), "each update").size() == 500);
  CHECK_THAT(loss_chart(run), !Catch::Contains(" are shown"));
}

TEST_CASE("curves: loss by position stands beside the n-grams with as many tokens of context") {
  ReportedRun run = subject("run");
  CHECK(position_chart(run).empty());  // without a text
  engine::Generator generator(1);
  model::initialise(run.model.gpt, generator, 1);
  model::TokenIds ids(2);
  for (int i = 0; i < 400; ++i) ids.push_back(i * i % 7 % 2);
  run.corpus.emplace(std::move(ids), Index(200));
  run.info.ngrams.losses = {0.75, 0.5, 0.25};
  const std::string html = position_chart(run);
  CHECK(points(html, "n-grams") == Points{{1, 0.5}, {2, 0.25}});
  // On 30,000 tokens, of a large model on fewer.
  const auto means_of = [&](Index tokens) {
    Points means;
    for (const PositionLoss& mean : position_losses(run.model.gpt, *run.corpus, tokens))
      means.push_back({double(mean.first + mean.last) / 2, mean.loss});
    return means;
  };
  const auto check = [&](Index tokens) {
    const Points shown = points(position_chart(run), "this model"), means = means_of(tokens);
    REQUIRE(shown.size() == means.size());
    for (std::size_t i = 0; i < shown.size(); ++i) {
      CHECK(shown[i].first == means[i].first);
      CHECK(std::abs(shown[i].second - means[i].second) <= 0.5001e-4);
    }
  };
  check(30'000);
  run.plan.n_embd = 1 << 16;
  run.plan.n_layer = 8;
  CHECK(std::abs(means_of(0)[0].second - means_of(30'000)[0].second) > 1e-3);
  check(0);  // 4e11 weights: a window
}
