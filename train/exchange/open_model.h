// A trained model, read from a run's directory, a file, or another program's file or directory.
#pragma once

#include <string>

#include "train/exchange/open_foreign.h"

namespace train {

// Opens the model at `path`: a run's directory (its model.safetensors or, if there is none yet, its
// checkpoint), a .safetensors file of ours, or a directory or file of another program. The contents
// decide which it is. Errors name the file.
OpenedModel open_model(const std::string& path);

// "; did you mean out/NAME?" if there is a run there and none at `path`: runs are in out/ unless
// out_dir says otherwise.
std::string maybe_in_out(const std::string& path);

}  // namespace train
