// --minutes: how many updates this machine makes in so many minutes. Nowhere else does a measured
// speed decide anything; max_iters is then stored with the run like any other setting.
#pragma once

#include "train/loop/corpus.h"
#include "train/loop/plan.h"

namespace train {

// Floating-point operations that training does in so many minutes on a machine of that peak,
// roughly: for choosing the model's size.
double flops_in(double minutes, double peak_flops);

// Updates that fit into so many minutes, evaluations included: measured by training a model of the
// plan for a second or two. At least 10.
Index updates_in(double minutes, const Plan& plan, const Corpus& corpus);

}  // namespace train
