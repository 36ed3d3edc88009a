// The tokens of a run's texts for other programs, in the files that nanoGPT's data/<dataset> holds.
#pragma once

#include <string>

#include "train/system/notes.h"

namespace train {

// Writes the directory `path`: train.bin and val.bin, the tokens of the training and of the
// validation part, 16 bits each, little-endian, without a header. Throws Error if run_path is not
// the directory of a run, its texts have changed, or its vocabulary has more than 65,536 tokens.
void save_tokens(const std::string& run_path, const std::string& path, Notes& notes);

}  // namespace train
