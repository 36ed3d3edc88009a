// The result of a run: the loss of the model that it keeps, on the whole validation text.
// Evaluations on the way may read a part, or random batches, so their losses are not comparable
// with another run's.
#pragma once

#include <optional>

#include "model/format/safetensors.h"
#include "train/loop/corpus.h"
#include "train/loop/plan.h"
#include "train/record/run_files.h"
#include "train/system/words.h"

namespace train {

// Whether the run's evaluations estimate the loss, instead of computing it on the whole text.
bool estimates_loss(const Plan& plan, const Corpus& corpus);

struct KeptLoss {
  double loss;            // in nats per token
  Index measured_on = 0;  // tokens; 0: the loss is that of the evaluation that chose the model
};
inline constexpr Index most_measured_tokens = 500'000;  // a few seconds
// Measures the model in model.safetensors on the validation text, of a longer one on this number of
// evenly spread tokens, and writes the loss into the file.
KeptLoss measure_kept_model(const RunFiles& files, const Plan& plan, const Corpus& corpus);
// From the metadata of a model file; empty if it has none.
std::optional<KeptLoss> kept_loss(const model::Metadata& metadata);

}  // namespace train
