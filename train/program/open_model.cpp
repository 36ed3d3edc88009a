#include "train/program/open_model.h"

#include "engine/base/check.h"
#include "engine/base/utf8.h"
#include "train/run/checkpoint.h"
#include "train/run/run_files.h"
#include "train/system/files.h"

namespace train {
namespace {

std::string model_path(const std::string& where) {
  if (!is_directory(where)) return where;
  const RunFiles files(where);
  if (file_exists(files.model)) return files.model;
  engine::check(file_exists(files.checkpoint), engine::printable(where),
                ": holds no model, expected the directory of a run or a .safetensors file");
  return files.checkpoint;
}

}  // namespace

OpenedModel open_model(const std::string& where) {
  const std::string path = model_path(where);
  FileBytes bytes = read_large_file(path, max_file_size());
  try {
    const model::SafetensorsFile file(view(bytes));
    OpenedModel opened{path, std::ssize(bytes), model::load_model(file, moment_prefixes)};
    FileBytes().swap(bytes);
    engine::pool::trim();  // gives the file's memory back
    return opened;
  } catch (const engine::Error& error) {
    engine::fail(engine::printable(path), ": ", error.what());
  }
}

}  // namespace train
