// A trained model, read from a run's directory or from a file.
#pragma once

#include <string>

#include "model/model_file.h"
#include "train/program/settings.h"

namespace train {

struct OpenedModel {
  std::string path;   // of the file it was read from
  std::int64_t size;  // in bytes
  model::LoadedModel model;
};

// Opens settings.model_path, a run's directory, which stands for its model.safetensors or, if there
// is none yet, its checkpoint; or a file. Errors name the file. Then writes settings.notes.
OpenedModel open_model(const Settings& settings);

}  // namespace train
