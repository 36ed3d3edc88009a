// The two files of a run. model.safetensors holds what is needed to sample and what is good to know;
// checkpoint.safetensors holds besides all that the next steps depend on, so that a run that was
// stopped ends in the same bytes as one that was not.
#pragma once

#include <string_view>

#include "model/model_file.h"
#include "train/run/run.h"

namespace train {

// What the names of a checkpoint's moments begin with: PyTorch's names for them.
inline constexpr std::string_view moment_prefixes[] = {"exp_avg.", "exp_avg_sq."};

// Files ready to be written. The run must stay as it is until the writer's pieces are written.
model::SafetensorsWriter model_file(Run& run, double val_loss);
model::SafetensorsWriter checkpoint_file(Run& run);

// Throws engine::Error for whatever no run could have written.
Run read_checkpoint(const model::SafetensorsFile& file);

}  // namespace train
