// Models of other programs on disk: recognised by what is in the files, and read.
#pragma once

#include <optional>
#include <string>

#include "engine/base/check.h"
#include "engine/base/files.h"
#include "model/model_file.h"

namespace train {

// Returns read(). Its errors begin with the path.
auto within(const std::string& path, auto read) try {
  return read();
} catch (const engine::SystemError&) {
  throw;
} catch (const engine::Error& error) {
  engine::fail(engine::printable(path), ": ", error.what());
}

struct OpenedModel {
  std::string path;   // of the file, or of the directory of another program, that it was read from
  std::int64_t size;  // in bytes
  model::LoadedModel model;
};

// A model in a directory of transformers (it has config.json) or of nanoGPT (ckpt.pt); nullopt if
// it is neither.
std::optional<OpenedModel> open_foreign_directory(const std::string& directory);

// The model in a file, if it is a .gguf or a ckpt.pt, whose meta.pkl lies beside it; nullopt if it
// is neither. `bytes`: the contents of the file.
std::optional<OpenedModel> open_foreign_file(const std::string& path, std::string_view bytes);

}  // namespace train
