#include "train/run/budget.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "engine/kernels/gemm/gemm.h"
#include "train/loop/evaluation.h"
#include "train/loop/optimizer.h"
#include "train/loop/trainer.h"

namespace train {
namespace {

using Clock = std::chrono::steady_clock;

// The share of the peak that a step reaches. Everything except the products takes as long in
// bfloat16.
double usual_share() {
  return engine::kernels::product_precision() == engine::kernels::Precision::bfloat16 ? 0.4 : 0.5;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Trains for a while and remembers how long an update took.
struct Stopwatch : Trainer::Listener {
  explicit Stopwatch(double seconds) : enough(seconds) {}

  double enough, update = 0;
  Clock::time_point start = Clock::now(), first_update = start;
  Index updates = 0;

  void updated(const Update&) override {
    // The first update takes memory from the system; it counts only if there is no other.
    if (updates++ == 0) {
      first_update = Clock::now();
      update = seconds_since(start);
    } else {
      update = seconds_since(first_update) / static_cast<double>(updates - 1);
    }
  }
  Trainer::Next next(bool, int) override {
    // Makes at least one update, four if they are quick, and more until the time is up.
    const bool goes_on =
        updates == 0 || (updates < 4 && update < enough) || seconds_since(start) < enough;
    return {.stop = !goes_on};
  }
};

// Tokens that an evaluation predicts.
double evaluated_tokens(const Plan& plan, const Corpus& corpus) {
  if (plan.eval_iters > 0)  // of both splits
    return 2 * static_cast<double>(plan.eval_iters) *
           static_cast<double>(plan.batch_size * plan.block_size);
  const Index all = corpus.size(Split::validation);
  return static_cast<double>(plan.eval_tokens > 0 ? std::min(plan.eval_tokens, all) : all);
}

// Seconds for checkpoint, model and a sample, which packs the weights: measured 1.3 s with 25
// million parameters, 0.1 s with 5.
double seconds_to_save(const Plan& plan) {
  return 50e-9 * static_cast<double>(plan.parameter_count());
}

}  // namespace

double flops_in(double minutes, double peak_flops) {
  return minutes * 60 * usual_share() * peak_flops;
}

Speed guess_speed(const Plan& plan, const Corpus& corpus, double peak_flops) {
  // A logit's part in the softmax takes as long as some 50 operations of a product, and in the
  // backward pass twice as long (measured with 221,000 tokens and n_embd 8).
  const double logits =
      static_cast<double>(plan.sequences_per_update() * plan.block_size * plan.vocab_size);
  const double update = (plan.update_flops() + 3 * 50 * logits) / (usual_share() * peak_flops);
  // A third of an update is its forward pass.
  const auto tokens = static_cast<double>(plan.sequences_per_update() * plan.block_size);
  return {update, update * evaluated_tokens(plan, corpus) / (3 * tokens) + seconds_to_save(plan)};
}

Training trial_of(Plan plan, const Corpus& corpus) {
  plan.eval_interval = plan.max_iters = 1'000'000'000;
  Training trial(plan, corpus);
  trial.step = 1;  // at 0 there is an evaluation
  return trial;
}

Speed measure_speed(Training& trial, const Plan& plan, const Corpus& corpus, double seconds,
                    const Processes& processes) {
  Stopwatch watch(seconds);
  Trainer(trial, corpus, processes).run(watch);
  const auto seconds_per_token = [&](Index windows) {
    const Clock::time_point start = Clock::now();
    const WindowLoss part =
        window_loss(trial.gpt, corpus, Split::validation, plan.batch_size, windows);
    return seconds_since(start) / static_cast<double>(part.tokens);
  };
  // From the time of one batch, the number of windows that take a quarter of the time.
  const double window = seconds_per_token(plan.batch_size) * static_cast<double>(plan.block_size);
  const auto windows = static_cast<Index>(std::min(seconds / 4 / window, 1e9));
  const double per_token = seconds_per_token(std::max(windows, plan.batch_size));
  return {watch.update,
          per_token * evaluated_tokens(plan, corpus) / processes.count + seconds_to_save(plan)};
}

std::string speed_text(const Plan& plan, double seconds, double peak_flops) {
  const auto tokens = static_cast<double>(plan.sequences_per_update() * plan.block_size);
  const std::string per_second = count_text(static_cast<Index>(tokens / seconds)) + " tokens/s";
  const double share = (plan.update_flops() + Optimizers::flops(plan)) / seconds / peak_flops;
  // More than the peak: other work slowed the machine while the peak was measured.
  if (share > 1) return per_second;
  return joined(per_second, ", ", fixed_text(100 * share, 0), " % of peak");
}

Index evaluations_left(const Plan& plan, Index step) {
  const Index interval = plan.eval_interval;
  const Index on_grid = plan.max_iters / interval - engine::ceil_div(step, interval) + 1;
  return plan.max_iters % interval == 0 ? on_grid : on_grid + 1;
}

double seconds_left(const Plan& plan, Index step, const Speed& speed) {
  return static_cast<double>(plan.max_iters - step) * speed.update +
         static_cast<double>(evaluations_left(plan, step)) * speed.evaluation;
}

std::string overrun(double seconds, double minutes) {
  if (minutes == 0 || seconds <= 1.1 * 60 * minutes) return "";
  return joined(", ", duration_text(seconds - 60 * minutes), " over --minutes");
}

Index updates_in(double seconds, Index least, const std::function<double(Index)>& seconds_with) {
  Index fits = least, beyond = 1'000'000'001;
  while (beyond - fits > 1) {
    const Index middle = fits + (beyond - fits) / 2;
    (seconds_with(middle) <= seconds ? fits : beyond) = middle;
  }
  return fits;
}

Index length_in_time(Plan plan, Index step, const Speed& speed, double spent, double minutes) {
  const Index planned = plan.max_iters;
  const auto seconds_with = [&](Index max_iters) {
    plan.max_iters = max_iters;
    return spent + speed.update + seconds_left(plan, step + 1, speed);
  };
  const double requested = 60 * minutes;
  if (minutes < shortest_to_plan_again || step >= planned ||
      std::abs(seconds_with(planned) - requested) <= 0.1 * requested)
    return planned;
  return updates_in(requested, step + 1, seconds_with);
}

}  // namespace train
