// A model, or a run that nanoGPT is to go on with, as the files of nanoGPT.
#pragma once

#include <string>

#include "train/system/notes.h"

namespace train {

// Writes the directory `path`: ckpt.pt and meta.pkl, and data/<dataset> of a run whose texts are still
// what they were. Notes say what nanoGPT lacks, and how it speaks with the model.
void save_nanogpt(const std::string& model_path, const std::string& dataset,
                  const std::string& path, Notes& notes);

}  // namespace train
