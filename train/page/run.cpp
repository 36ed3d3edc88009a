// A page's run: what it would cost, its beginning, its updates. page.h says what each answers.
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/storage.h"
#include "engine/base/text.h"
#include "model/base/utf8.h"
#include "train/loop/evaluation.h"
#include "train/loop/trainer.h"
#include "train/page/page.h"
#include "train/run/kept_model.h"
#include "train/run/make_plan.h"
#include "train/run/verdict.h"
#include "train/text/ngrams.h"
#include "train/text/sources.h"
#include "train/text/text_kind.h"

namespace {

using engine::Index;
using model::json_array, model::JsonObject, model::JsonText;

train::Sources sources_of(std::string_view text) {
  train::Texts texts;
  texts.name = "The text";
  texts.joined = train::decode(std::string(text)).text;
  engine::check(!texts.joined.empty(), "The text is empty.");
  texts.paths = {"text"};
  texts.ends = {texts.joined.size()};
  return train::split_texts(std::move(texts), {}, train::Plan().val_fraction);
}

// A text, and its tokens by the rules of `train`.
struct Text {
  explicit Text(std::string_view text)
      : sources(sources_of(text)),
        tokenizer(train::make_tokenizer({}, sources, notes)),
        corpus(train::encode(sources, *tokenizer, false, notes)) {
    engine::check(corpus.longest_context() > 0,
                  "The text is too short: a tenth of it, which is not ",
                  "trained on, must have two tokens.");
  }

  train::Notes notes;
  train::Sources sources;
  model::TokenizerHandle tokenizer;
  train::Corpus corpus;
};

// `train`'s plan for a text and a budget of floating-point operations, before complete_schedule.
train::Plan plan_for(const Text& text, double flops = train::default_flops) {
  return train::make_plan({.flops = flops, .longest_context = text.corpus.longest_context()},
                          text.sources.characters, text.tokenizer->vocabulary_size());
}

// Completes the plan, with evaluations short enough for the page.
train::Plan completed(train::Plan plan, const train::Corpus& corpus) {
  train::PlanRequest request;
  request.given = train::Given::of<&train::Plan::eval_interval, &train::Plan::eval_tokens>();
  plan.eval_interval = std::max<Index>(1, plan.max_iters / 12);
  plan.eval_tokens = 10'000;
  train::complete_schedule(plan, request, corpus);
  return plan;
}

// The flags with which ./gradus makes the same run in a terminal: settings in which `plan`, before
// its schedule is completed, differs from the usual plan, and settings that the page chooses
// differently.
std::string flags_of(const train::Plan& plan, const train::Plan& usual,
                     const train::Plan& completed) {
  std::string flags = "--dtype float32";
  const auto add = [&](const auto& setting) {
    if (setting.get(plan) != setting.get(usual) || setting.name == "eval_interval" ||
        setting.name == "eval_tokens")
      flags += engine::joined(" --", setting.name, " ", setting.get(completed));
  };
  for (const auto& setting : model::config_settings) add(setting);
  for (const train::PlanSetting& setting : train::plan_settings) add(setting);
  return flags;
}

}  // namespace

struct page::Run final : train::Trainer::Listener {
  Run(std::string_view bytes, double flops) : text(bytes) {
    const train::Plan chosen = plan_for(text, flops);
    const train::Corpus& corpus = text.corpus;
    plan = completed(chosen, corpus);
    flags = flags_of(chosen, plan_for(text), plan);
    ngrams = train::count_ngrams(corpus.ids(), corpus.size(train::Split::train), *text.tokenizer,
                                 plan.vocab_size);
    training.emplace(plan, corpus);
    trainer.emplace(*training, corpus);
    kept.emplace(plan);
  }

  void evaluated(const train::Evaluation& e) override {
    log.push_back({e.step, {}, {}, {}, e.train_loss, e.val_loss});
    if (e.best) model::copy_weights(training->gpt, *kept);
    evaluations.push_back(JsonObject().add("step", e.step, "train", bits(e.train_loss), "val",
                                           bits(e.val_loss), "nats", e.val_loss));
  }
  // The number that the page follows: the first weight of the first block's attention.
  engine::Tensor watched() const { return training->gpt.h.front().attn.c_attn.weight; }
  void differentiated() override {
    before = double(watched().data()[0]);
    gradient = double(watched().gradient().value().data()[0]);
  }
  void updated(const train::Update& u) override {
    losses.push_back(json_array(std::array{double(u.step + 1), bits(u.loss)}));
    last = u;
  }
  train::Trainer::Next next(bool, int) override {
    return {.stop = training->step >= until || Clock::now() >= deadline};
  }

  double bits(double nats) const { return text.corpus.units().bits(nats); }
  bool is_over() const { return training->step >= plan.max_iters; }
  // The model that writes: at the end, as in a terminal, the best of those that were evaluated.
  model::GPT& gpt() { return is_over() ? *kept : training->gpt; }
  // At the end, as in a terminal: the loss of the kept model on the whole validation text
  // (evaluations may have read a part of it), and the verdict on it.
  double kept_loss() const {
    if (plan.eval_tokens >= text.corpus.size(train::Split::validation))
      return training->best_val_loss;
    const Index windows = engine::ceil_div(train::most_measured_tokens, plan.block_size);
    return train::window_loss(*kept, text.corpus, train::Split::validation, plan.batch_size,
                              windows)
        .loss;
  }
  train::Verdict verdict(double kept_loss) const {
    return train::verdict(plan, ngrams, kept_loss, train::best_row(*training, log), log,
                          text.corpus.units());
  }

  using Clock = std::chrono::steady_clock;
  Text text;
  train::Plan plan;
  std::string flags;
  train::Ngrams ngrams;
  std::optional<train::Training> training;
  std::optional<train::Trainer> trainer;
  std::optional<model::GPT> kept;
  std::vector<train::LogRow> log;  // of evaluations
  Index until = 0;
  Clock::time_point deadline;
  std::vector<JsonObject> evaluations;
  std::vector<JsonText> losses;
  double before = 0, gradient = 0;
  std::optional<train::Update> last;
};

std::shared_ptr<page::Run> page::run;
using page::run, page::Run;

std::optional<page::Model> page::model_of_run() {
  return run ? std::optional(Model{*run->text.tokenizer, run->gpt()}) : std::nullopt;
}

const char* estimate(const char* text, int size, double small, double medium, double large) {
  return page::answer_of([&] {
    Text read(page::text_at(text, size));
    const double flops[] = {small, medium, large};
    const auto cost = [&](Index i) {
      const train::Plan plan = plan_for(read, flops[i]);
      return plan.update_flops() * static_cast<double>(plan.max_iters);
    };
    return JsonObject().add("costs", json_array(3, cost));
  });
}

const char* begin(const char* text, int size, double flops) {
  return page::answer_of([&] {
    run = std::make_shared<Run>(page::text_at(text, size), flops);
    page::close_opened();
    engine::pool::trim();
    const train::Plan& plan = run->plan;
    return JsonObject().add("tokens", run->text.corpus.ids().size(), "kind",
                            engine::name_of(run->text.tokenizer->kind()), "vocabulary",
                            plan.vocab_size, "parameters", plan.parameter_count(), "layers",
                            plan.n_layer, "channels", plan.n_embd, "heads", plan.n_head, "steps",
                            plan.max_iters, "flops", plan.update_flops(), "unit",
                            run->text.corpus.units().unit(), "ngram",
                            run->bits(run->ngrams.best_loss()), "flags", run->flags);
  });
}

const char* advance(int steps, double seconds) {
  return page::answer_of([&] {
    engine::check(run != nullptr, "There is no run yet.");
    page::close_opened();
    run->evaluations.clear();
    run->losses.clear();
    run->until = run->training->step + steps;
    run->deadline = Run::Clock::now() + std::chrono::duration_cast<Run::Clock::duration>(
                                            std::chrono::duration<double>(seconds));
    run->trainer->run(*run);
    JsonObject json;
    json.add("step", run->training->step, "steps", run->plan.max_iters, "losses",
             json_array(run->losses), "evaluations", json_array(run->evaluations), "best",
             run->training->best_step);
    if (run->is_over()) {
      const double kept_loss = run->kept_loss();
      const train::Verdict verdict = run->verdict(kept_loss);
      // The page has no flags: it advises in its own words.
      json.add("kept", run->bits(kept_loss), "verdict", verdict.found, "advice",
               verdict.advice.empty() ? "none" : verdict.change.name, "value",
               verdict.change.value);
    }
    if (run->last)
      json.add("number",
               JsonObject().add("before", run->before, "gradient", run->gradient, "norm",
                                run->last->gradient_norm, "rate", run->last->learning_rate, "after",
                                double(run->watched().data()[0])));
    return json;
  });
}
