// The two files of a run. model.safetensors holds the model, its tokenizer and how it was trained;
// checkpoint.safetensors holds in addition everything that the next steps depend on, so that a run
// that was stopped and resumed ends in the same bytes as one that was not stopped.
#pragma once

#include <optional>
#include <string_view>

#include "model/model_file.h"
#include "train/run/run.h"
#include "train/system/words.h"

namespace train {

// A checkpoint also holds each weight's moments, under the weight's name after one of these
// prefixes (PyTorch's names; Muon has the first only).
inline constexpr std::string_view first_moment = "exp_avg.", second_moment = "exp_avg_sq.";
inline constexpr std::string_view state_prefixes[] = {first_moment, second_moment};

// The files, to be written. The run must not change until the writer's pieces are written.
// val_loss: none if the model was not evaluated.
model::SafetensorsWriter model_file(Run& run, std::optional<double> val_loss);
model::SafetensorsWriter checkpoint_file(Run& run);

// Raised with every change of a run's files or of its next update (the random numbers it draws, the
// order of its batches, the steps of Muon). A run of another version cannot be resumed, since it
// would end in other bytes. (Model files need no version: settings that they lack have their
// defaults.)
inline constexpr Index format_version = 5;
// Throws Error if a checkpoint's metadata are of another version; the directory is the run's.
void check_format(const model::Metadata& metadata, std::string_view directory);

// Throws Error if the file is not what a run could have written.
Run read_checkpoint(const model::SafetensorsFile& file);

}  // namespace train
