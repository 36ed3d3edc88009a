#include "train/run/budget.h"

#include <algorithm>
#include <chrono>

#include "train/loop/trainer.h"

namespace train {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Trains for a while and remembers how long evaluations and updates took.
struct Stopwatch : Trainer::Listener {
  static constexpr double long_enough = 2;  // seconds
  Clock::time_point start = Clock::now(), first_update = start;
  double evaluation = 0, update = 0;
  Index updates = 0;

  void evaluated(const Evaluation&) override { evaluation = seconds_since(start); }
  void updated(const Update&) override {
    // The first update takes memory from the system; it does not count.
    if (updates++ == 0) first_update = Clock::now();
    if (updates > 1) update = seconds_since(first_update) / static_cast<double>(updates - 1);
  }
  bool between_steps(bool) override {
    return updates < 4 || seconds_since(first_update) < long_enough;
  }
};

}  // namespace

double flops_in(double minutes, double peak_flops) {
  constexpr double usual_share = 0.5;  // of the peak that a step reaches
  return minutes * 60 * usual_share * peak_flops;
}

Index updates_in(double minutes, const Plan& plan, const Corpus& corpus) {
  constexpr double evaluations = 9;  // at the start and after every eighth of the run
  Plan trial = plan;
  trial.eval_interval = trial.max_iters = 1'000'000;
  Training training(trial, corpus);
  Trainer trainer(training, corpus);
  Stopwatch watch;
  trainer.run(watch);
  const double left = minutes * 60 - seconds_since(watch.start) - evaluations * watch.evaluation;
  return static_cast<Index>(std::clamp(left / watch.update, 10.0, 1e9));
}

}  // namespace train
