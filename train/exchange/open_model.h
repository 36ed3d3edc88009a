// A trained model, read from a run's directory, from a file, or from another program's.
#pragma once

#include <string>

#include "train/exchange/open_foreign.h"

namespace train {

// Opens the model at `path`: a run's directory, which stands for its model.safetensors or, if there
// is none yet, its checkpoint; a .safetensors file of ours; a directory or file of another program.
// What it is follows from its contents. Errors name the file.
OpenedModel open_model(const std::string& path);

// "; did you mean out/NAME?" of a path where no run is, if there is one: runs lie in out/ unless
// out_dir says otherwise.
std::string maybe_in_out(const std::string& path);

}  // namespace train
