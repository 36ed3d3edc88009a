// A run comes back from its checkpoint with each of its settings and what is known of its texts; of a model
// file what a model holds. (That nothing else is lost, the bytes of resumed runs show:
// tests/program/random_runs_test.cpp.)
#include "train/run/checkpoint.h"

#include "model/tokenizer/char_tokenizer.h"
#include "tests/catch.h"
#include "tests/pieces.h"
#include "tests/unit/train/loop/counting.h"
#include "tests/unit/train/loop/settings.h"
#include "tests/unit/train/run/other_value.h"
#include "train/run/kept_model.h"

using namespace train;

namespace {

Plan plan_of_three() {
  Plan plan = sized({.vocab_size = 3, .block_size = 4, .n_layer = 1, .n_head = 2, .n_embd = 8});
  plan.batch_size = 2;
  return plan;
}

Run run_of(const Plan& plan, RunInfo info = {}) {
  const std::string_view letters = "abc";
  return {Training(plan, Corpus(counting(40, 3), 30)), model::CharTokenizer::train({&letters, 1}),
          std::move(info)};
}

Run read_back(Run& run) {
  const std::string file = joined_pieces(checkpoint_file(run).pieces());
  return read_checkpoint(model::SafetensorsFile(file));
}

model::Metadata metadata_of_model(Run& run) {
  const std::string file = joined_pieces(model_file(run, 2.5).pieces());
  return model::SafetensorsFile(file).metadata();
}

}  // namespace

TEST_CASE("checkpoint: each setting of the plan comes back, of a model those of the run") {
  const auto check = [](const auto& setting, Holds holds) {
    Plan plan = plan_of_three();
    const std::string value = other_value(setting, plan);
    INFO(setting.name << ' ' << value);
    REQUIRE(value != setting.get(plan));
    setting.set(plan, value, setting.name);
    Run run = run_of(plan);
    CHECK(setting.get(read_back(run).plan) == value);
    const model::Metadata metadata = metadata_of_model(run);
    CHECK(metadata.contains(setting.name) == (holds != Holds::until_resumed));
    if (holds == Holds::until_resumed) return;
    CHECK(metadata.at(std::string(setting.name)) == value);
    CHECK(setting.get(read_description(metadata, run.gpt.config).plan) == value);
  };
  for (const PlanSetting& setting : plan_settings) check(setting, setting.holds);
  for (const model::Setting<model::Config>& setting : model::config_settings)
    if (setting.name != "vocab_size") check(setting, Holds::for_the_model);
}

TEST_CASE("checkpoint: the losses since the last evaluation come back") {
  Run run = run_of(plan_of_three());
  for (const Index n : {0, 1, 3}) {
    run.since_evaluation = {0.1 * double(n), n};
    const Run again = read_back(run);
    CHECK(again.since_evaluation.count == n);
    CHECK(again.since_evaluation.sum == run.since_evaluation.sum);
  }
}

TEST_CASE("checkpoint: what is known of the texts comes back, in a model without paths") {
  for (std::size_t n = 0; n <= 3; ++n) {
    INFO(n << " texts, validation texts and n-grams");
    RunInfo info;
    for (std::size_t i = 0; i < n; ++i) {
      info.texts.push_back({joined("/home/a/text ", i), 10 + i, 20 + i});
      info.val_texts.push_back({joined("/home/a/val ", i), 30 + i, 40 + i});
      info.ngrams.losses.push_back(2.5 - 0.25 * double(i));
    }
    if (n > 0) info.ngrams.symbol = n == 1 ? "byte" : n == 2 ? "character" : "token";
    if (n > 0) info.end_token = EndToken{2 - Index(n) / 2, Index(n) - 1};
    info.record_interval = Index(n) + 1;
    if (n > 1) info.validation = "the last tenth";
    if (n > 2) info.init_from = "/home/models/m";
    Run run = run_of(plan_of_three(), info);
    const Run again = read_back(run);
    CHECK(again.begins_with_a_model == (n > 2));
    const auto check = [&](const RunInfo& found, const std::string& prefix) {
      REQUIRE(found.texts.size() == n);
      REQUIRE(found.val_texts.size() == n);
      for (std::size_t i = 0; i < n; ++i) {
        CHECK(found.texts[i] == TextIdentity{joined(prefix, "text ", i), 10 + i, 20 + i});
        CHECK(found.val_texts[i] == TextIdentity{joined(prefix, "val ", i), 30 + i, 40 + i});
      }
      CHECK(found.ngrams.losses == info.ngrams.losses);
      CHECK(found.ngrams.symbol == info.ngrams.symbol);
      CHECK(found.end_token == info.end_token);
      CHECK(found.record_interval == info.record_interval);
      CHECK(found.validation == info.validation);
      CHECK(found.init_from == (n > 2 && prefix.empty() ? "m" : info.init_from));
    };
    check(again.info, "/home/a/");
    const model::Metadata metadata = metadata_of_model(run);
    check(read_info(metadata), "");
    CHECK(kept_loss(metadata)->loss == 2.5);
    CHECK(kept_loss(metadata)->measured_on == 0);
  }
}
