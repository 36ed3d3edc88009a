#include "train/run/make_plan.h"

#include <algorithm>
#include <bit>

#include "train/loop/gradient_sum.h"

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

// Sets what was not given.
template <auto member>
void derive(const PlanRequest& request, Plan& plan, auto value) {
  if (!request.given.has<member>()) plan.*member = value;
}

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
  const bool nanogpt = request.recipe == Recipe::nanogpt;
  derive<&Plan::lr_decay_iters>(request, plan, plan.max_iters);
  const Index length = plan.lr_decay_iters > 0 ? plan.lr_decay_iters : plan.max_iters;
  // At most half of the run: with a shorter warm-up, Adam's first updates raise the loss of a short
  // run again (measured on texts of 2 to 150 KB, 30 to 500 updates; a third leaves jumps of 0.3 at
  // 30).
  derive<&Plan::warmup_iters>(request, plan, std::min<Index>(100, length / 2));
  derive<&Plan::eval_interval>(request, plan, default_eval_interval(plan, nanogpt, corpus, length));
  derive<&Plan::sample_interval>(request, plan, plan.eval_interval);
  if (!nanogpt && !request.given.has<&Plan::eval_interval>())
    derive<&Plan::eval_tokens>(request, plan, default_eval_tokens(plan, corpus, length));
  if (nanogpt) return;
  const Index tokens = corpus.size(Split::train);
  derive<&Plan::dropout>(request, plan, dropout_for(overfitting(plan, length, tokens)));
  if (plan.optimizer == OptimizerKind::muon && request.recipe == Recipe::best)
    derive<&Plan::weight_decay>(request, plan, weight_decay_for(plan, tokens));
}

void fit_to_minutes(const PlanRequest& request, double minutes, double spent, const Speed& speed,
                    const Corpus& corpus, Plan& plan, Notes& notes) {
  const auto seconds_with = [&](Index max_iters) {
    plan.max_iters = max_iters;
    complete_schedule(plan, request, corpus);
    return spent + seconds_left(plan, 0, speed);
  };
  const double needed = seconds_with(updates_in(60 * minutes, 10, seconds_with));
  if (needed > 1.1 * 60 * minutes)
    notes.add("--minutes ", short_text(minutes),
              ": too short for this text, the shortest useful run takes about ",
              duration_text(needed));
}

namespace {

void derive_rates(const PlanRequest& request, OptimizerKind usual_optimizer, Plan& plan) {
  if (plan.optimizer != usual_optimizer)
    derive<&Plan::learning_rate>(request, plan, learning_rate_of(plan));
  // The best recipe's beta2 is for runs with Muon, where AdamW trains only embeddings and norms.
  if (plan.optimizer == OptimizerKind::adamw) derive<&Plan::beta2>(request, plan, Plan().beta2);
  derive<&Plan::min_lr>(request, plan,
                        request.recipe == Recipe::nanogpt ? plan.learning_rate / 10 : 0.0);
}

// By default, each of several processes takes a micro-batch, and the batch is divided among them,
// so that an update reads as many tokens as in one process.
void share_micro_batches(const PlanRequest& request, Plan& plan) {
  if (request.processes == 1) return;
  if (!request.given.has<&Plan::gradient_accumulation_steps>()) {
    check(std::has_single_bit(static_cast<unsigned>(request.processes)), request.processes,
          " processes, expected a power of two: 2, 4, 8, ...");
    plan.gradient_accumulation_steps = request.processes;
    derive<&Plan::batch_size>(request, plan,
                              std::max<Index>(1, plan.batch_size / request.processes));
  }
  check_shares(plan, request.processes);
}

// The default plan, what was given in its place, and what is derived from both. derive_sizes: of
// the model.
Plan completed(Plan plan, const PlanRequest& request, auto derive_sizes) {
  const Plan usual = plan;
  for (const Holds holds : {Holds::for_the_model, Holds::for_the_run, Holds::until_resumed})
    take_given(request, holds, plan);
  plan.vocab_size = usual.vocab_size;
  plan.dtype = request.values.dtype;
  derive_sizes(plan, usual);
  derive_rates(request, usual.optimizer, plan);
  share_micro_batches(request, plan);
  plan.validate();
  return plan;
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
  for (const model::Setting<model::Config>& setting : model::config_settings)
    check(!request.given.has(setting.key) || setting.key == key_of<&Plan::dropout> ||
              setting.get(request.values) == setting.get(base),
          "--", setting.name, ": ", setting.get(request.values), ", but ", name, " has ",
          setting.get(base));
  plan = completed(plan, request, [](Plan&, const Plan&) {});
  if (knows_text && request.recipe == Recipe::fine_tuning)
    derive<&Plan::learning_rate>(request, plan, plan.learning_rate / 4);
  return plan;
}

Plan make_plan(const PlanRequest& request, Index characters, Index vocabulary) {
  Plan plan = default_plan(characters, vocabulary, request.recipe, request.flops);
  plan.block_size = std::min(plan.block_size, std::max<Index>(1, request.longest_context));
  if (request.arch) model::set_architecture(plan, *request.arch);
  return completed(plan, request, [&](Plan& sized, const Plan& usual) {
    // If only one of width and number of heads is given, the other follows from it.
    if (request.given.has<&Plan::n_head>()) {
      derive<&Plan::n_embd>(request, sized,
                            sized.n_head * std::max<Index>(1, usual.n_embd / sized.n_head));
    } else {
      const auto fits = [&] {
        return (sized.head_dim > 0 || sized.n_embd % sized.n_head == 0) &&
               (sized.position == nn::PositionKind::learned || sized.head_size() % 2 == 0);
      };
      while (sized.n_head > 1 && !fits()) --sized.n_head;
    }
    // Rotary positions rotate pairs of features.
    if (sized.head_size() % 2 != 0 && !request.arch)
      derive<&Plan::position>(request, sized, nn::PositionKind::learned);
  });
}

}  // namespace train
