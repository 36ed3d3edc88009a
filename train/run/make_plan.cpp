#include "train/run/make_plan.h"

#include <algorithm>
#include <bit>
#include <chrono>

#include "train/loop/gradient_sum.h"
#include "train/system/activity.h"

namespace train {

using model::key_of;

void take_given(const PlanRequest& request, Holds holds, Plan& plan) {
  const auto take = [&](const auto& setting) {
    if (request.given.has(setting.key)) setting.copy(request.values, plan);
  };
  if (holds == Holds::for_the_model) std::ranges::for_each(model::config_settings, take);
  for (const PlanSetting& setting : plan_settings)
    if (setting.holds == holds) take(setting);
}

namespace {

// Tokens that all evaluations of a run may read: they take a twentieth of its time, since training
// on a token takes as long as predicting three.
double tokens_to_evaluate(const Plan& plan, Index length) {
  return 0.05 * 3 * static_cast<double>(length * plan.sequences_per_update() * plan.block_size);
}

// The loss of fewer tokens would say little.
constexpr Index least_eval_tokens = 10'000;

// Our own default: an evaluation at step 0 and sixteen after it, at most 250 updates apart
// (nanoGPT's interval), or down to four where evaluations of least_eval_tokens are too expensive. A
// curve with many points shows when a run has stopped learning, and the final loss is measured on
// the whole validation text anyway (kept_model.h).
Index default_eval_interval(const Plan& plan, bool nanogpt, const Corpus& corpus, Index length) {
  if (nanogpt) return std::clamp<Index>(length / 8, 1, 250);
  const Index least = std::min(least_eval_tokens, corpus.size(Split::validation));
  const auto affordable =
      static_cast<Index>(tokens_to_evaluate(plan, length) / static_cast<double>(least));
  const Index most = std::max<Index>(16, engine::ceil_div(length, 250));
  const Index intervals = std::clamp<Index>(affordable - 1, 4, most);
  return std::max<Index>(1, engine::ceil_div(length, intervals));
}

// 0 for the whole validation text, or as many tokens as are affordable.
Index default_eval_tokens(const Plan& plan, const Corpus& corpus, Index length) {
  const Index each = std::max(least_eval_tokens,
                              static_cast<Index>(tokens_to_evaluate(plan, length) /
                                                 static_cast<double>(evaluations_left(plan, 0))));
  return each >= corpus.size(Split::validation) ? 0 : each;
}

}  // namespace

void complete_schedule(Plan& plan, const PlanRequest& request, const Corpus& corpus) {
  const auto set_default = [&](model::SettingKey key, auto& value, auto otherwise) {
    if (!request.given.has(key)) value = otherwise;
  };
  const bool nanogpt = request.recipe == Recipe::nanogpt;
  set_default(key_of<&Plan::lr_decay_iters>, plan.lr_decay_iters, plan.max_iters);
  const Index length = plan.lr_decay_iters > 0 ? plan.lr_decay_iters : plan.max_iters;
  // At most half of the run: with a shorter warm-up, Adam's first updates raise the loss of a short
  // run again (measured on texts of 2 to 150 KB, 30 to 500 updates; a third leaves jumps of 0.3 at
  // 30).
  set_default(key_of<&Plan::warmup_iters>, plan.warmup_iters, std::min<Index>(100, length / 2));
  set_default(key_of<&Plan::eval_interval>, plan.eval_interval,
              default_eval_interval(plan, nanogpt, corpus, length));
  set_default(key_of<&Plan::sample_interval>, plan.sample_interval, plan.eval_interval);
  if (!nanogpt && !request.given.has<&Plan::eval_interval>())
    set_default(key_of<&Plan::eval_tokens>, plan.eval_tokens,
                default_eval_tokens(plan, corpus, length));
  if (nanogpt) return;
  const Index tokens = corpus.size(Split::train);
  set_default(key_of<&Plan::dropout>, plan.dropout, dropout_for(overfitting(plan, length, tokens)));
  if (plan.optimizer == OptimizerKind::muon && request.recipe == Recipe::best)
    set_default(key_of<&Plan::weight_decay>, plan.weight_decay, weight_decay_for(plan, tokens));
}

Speed choose_max_iters(const PlanRequest& request, double minutes,
                       std::chrono::steady_clock::time_point start_time, const Corpus& corpus,
                       const MeasureSpeed& measure, Plan& plan, Notes& notes) {
  const double requested = 60 * minutes;
  const Activity measuring("measuring the speed of this machine");
  const Speed speed = measure(plan, std::clamp(requested / 20, 0.1, 2.0));
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_time;
  const auto seconds_with = [&](Index max_iters) {
    plan.max_iters = max_iters;
    complete_schedule(plan, request, corpus);
    return seconds_left(plan, 0, speed);
  };
  const double needed =
      spent.count() + seconds_with(updates_in(requested - spent.count(), seconds_with));
  if (needed > 1.1 * requested)
    notes.add("--minutes ", short_text(minutes),
              ": too short for this text, the shortest useful run takes about ",
              duration_text(needed));
  return speed;
}

namespace {

void complete_rates(Plan& plan, const PlanRequest& request, OptimizerKind usual_optimizer) {
  if (plan.optimizer != usual_optimizer && !request.given.has<&Plan::learning_rate>())
    plan.learning_rate = learning_rate_of(plan);
  // The best recipe's beta2 is for runs with Muon, where AdamW trains only embeddings and norms.
  if (plan.optimizer == OptimizerKind::adamw && !request.given.has<&Plan::beta2>())
    plan.beta2 = Plan().beta2;
  if (!request.given.has<&Plan::min_lr>())
    plan.min_lr = request.recipe == Recipe::nanogpt ? plan.learning_rate / 10 : 0;
}

// By default, each of several processes takes a micro-batch, and the batch is divided among them, so
// that an update reads as many tokens as in one process.
void share_micro_batches(Plan& plan, const PlanRequest& request) {
  if (request.processes == 1) return;
  if (!request.given.has<&Plan::gradient_accumulation_steps>()) {
    check(std::has_single_bit(static_cast<unsigned>(request.processes)), request.processes,
          " processes, expected a power of two: 2, 4, 8, ...");
    plan.gradient_accumulation_steps = request.processes;
    if (!request.given.has<&Plan::batch_size>())
      plan.batch_size = std::max<Index>(1, plan.batch_size / request.processes);
  }
  check_shares(plan, request.processes);
}

}  // namespace

void check_shares(const Plan& plan, int processes) {
  const Index N = plan.gradient_accumulation_steps;
  if (GradientSum::can_share(N, processes)) return;
  std::string possible = "1";
  for (int count = 2; count <= N && count <= 1 << 20; count *= 2)
    if (GradientSum::can_share(N, count)) possible += joined(", ", count);
  fail("--gradient_accumulation_steps: ", N, " micro-batches cannot be divided among ", processes,
       " processes; expected a number of processes that is a power of two and divides ", N, ": ",
       possible);
}

Plan make_fine_tuning_plan(const PlanRequest& request, Index tokens, const model::Config& config,
                           bool knows_text, const std::string& name) {
  model::Config base = config;
  if (request.given.has<&Plan::block_size>()) {
    check(request.values.block_size <= config.block_size,
          "--block_size: ", request.values.block_size, ", but ", name, " has a context of ",
          config.block_size, " tokens at most");
    base.block_size = request.values.block_size;
  }
  Plan plan = fine_tuning_plan(base, tokens, request.recipe, request.flops);
  const OptimizerKind usual_optimizer = plan.optimizer;
  for (const model::Setting<model::Config>& setting : model::config_settings)
    check(!request.given.has(setting.key) || setting.key == key_of<&Plan::dropout> ||
              setting.get(request.values) == setting.get(base),
          "--", setting.name, ": ", setting.get(request.values), ", but ", name, " has ",
          setting.get(base));
  for (const Holds holds : {Holds::for_the_model, Holds::for_the_run, Holds::until_resumed})
    take_given(request, holds, plan);
  plan.vocab_size = config.vocab_size;
  plan.dtype = request.values.dtype;
  complete_rates(plan, request, usual_optimizer);
  share_micro_batches(plan, request);
  if (knows_text && request.recipe == Recipe::fine_tuning &&
      !request.given.has<&Plan::learning_rate>())
    plan.learning_rate /= 4;
  plan.validate();
  return plan;
}

Plan make_plan(const PlanRequest& request, Index characters, Index vocabulary) {
  Plan plan = default_plan(characters, vocabulary, request.recipe, request.flops);
  plan.block_size = std::min(plan.block_size, std::max<Index>(1, request.longest_context));
  if (request.arch) model::set_architecture(plan, *request.arch);
  const Index default_width = plan.n_embd;
  const OptimizerKind usual_optimizer = plan.optimizer;
  for (const Holds holds : {Holds::for_the_model, Holds::for_the_run, Holds::until_resumed})
    take_given(request, holds, plan);
  plan.vocab_size = vocabulary;
  plan.dtype = request.values.dtype;
  // If only one of width and number of heads is given, the other follows from it.
  if (request.given.has<&Plan::n_head>()) {
    if (!request.given.has<&Plan::n_embd>())
      plan.n_embd = plan.n_head * std::max<Index>(1, default_width / plan.n_head);
  } else {
    const auto fits = [&] {
      return (plan.head_dim > 0 || plan.n_embd % plan.n_head == 0) &&
             (plan.position == nn::PositionKind::learned || plan.head_size() % 2 == 0);
    };
    while (plan.n_head > 1 && !fits()) --plan.n_head;
  }
  // Rotary positions rotate pairs of features.
  if (plan.head_size() % 2 != 0 && !request.given.has<&Plan::position>() && !request.arch)
    plan.position = nn::PositionKind::learned;
  complete_rates(plan, request, usual_optimizer);
  share_micro_batches(plan, request);
  plan.validate();
  return plan;
}

}  // namespace train
