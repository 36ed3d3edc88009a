// How long training takes on this machine: to announce the time, and to fit a plan to --minutes.
// Nowhere else does a measured speed decide anything; the max_iters that --minutes gives is stored
// with the run like any other setting.
#pragma once

#include <functional>
#include <string>

#include "train/loop/corpus.h"
#include "train/loop/training.h"
#include "train/system/processes.h"
#include "train/system/words.h"

namespace train {

// Floating-point operations that training does in `minutes` on a machine with this peak, roughly:
// for choosing the model's size.
double flops_in(double minutes, double peak_flops);

// Seconds for an update and for an evaluation with its checkpoint and sample.
struct Speed {
  double update, evaluation;
};
// Guessed from the machine's peak.
Speed guess_speed(const Plan& plan, const Corpus& corpus, double peak_flops);
// Measured in two parts: a training by the plan, and its speed over about `seconds`, at least one
// update; process 0 measures while the others train too.
Training trial_of(Plan plan, const Corpus& corpus);
Speed measure_speed(Training& trial, const Plan& plan, const Corpus& corpus, double seconds,
                    const Processes& processes);

// "31,400 tokens/s, 62 % of peak": the speed of a run with updates of `seconds` each.
std::string speed_text(const Plan& plan, double seconds, double peak_flops);

// Seconds from this step to the end of the run.
double seconds_left(const Plan& plan, Index step, const Speed& speed);

// ", 12 s over --minutes" for a run that takes `seconds` in all, if that is more than a tenth over;
// "" if it is not, or if the run was given no minutes (0).
std::string overrun(double seconds, double minutes);

// Evaluations to come: at every multiple of eval_interval from this step on, and at the end.
Index evaluations_left(const Plan& plan, Index step);

// The most updates that fit into `seconds`, at least `least`. seconds_with(n): the seconds of a run
// of n updates, with its evaluations and saves.
Index updates_in(double seconds, Index least, const std::function<double(Index)>& seconds_with);

// A run with fewer --minutes keeps its first plan.
inline constexpr double shortest_to_plan_again = 0.5;

// The updates of a run with --minutes that has spent `spent` seconds until the evaluation at this
// step: max_iters, or, if that would miss the time by more than a tenth, as many as fit.
Index length_in_time(Plan plan, Index step, const Speed& speed, double spent, double minutes);

}  // namespace train
