// A run's directory: model.safetensors (the best model so far), checkpoint.safetensors (to continue
// from), log.csv (losses at each evaluation).
#pragma once

#include <array>
#include <string>

namespace train {

struct RunFiles {
  explicit RunFiles(const std::string& directory_)
      : directory(directory_),
        model(directory_ + "/model.safetensors"),
        checkpoint(directory_ + "/checkpoint.safetensors"),
        log(directory_ + "/log.csv") {}
  std::string directory, model, checkpoint, log;

  // In the order in which --force removes them: without its checkpoint a run cannot be continued.
  std::array<std::string, 3> all() const { return {checkpoint, model, log}; }
};

}  // namespace train
