#include "train/program/open_model.h"

#include "engine/base/check.h"
#include "engine/base/files.h"
#include "engine/base/utf8.h"
#include "train/run/checkpoint.h"
#include "train/run/run_files.h"
#include "train/system/process.h"

namespace train {
namespace {

// What is said of a path that does not exist: runs lie in out/ unless out_dir says otherwise.
std::string where_it_may_be(const std::string& path) {
  return engine::is_directory("out/" + path) ? "; did you mean out/" + engine::printable(path) + "?"
                                             : "";
}

std::string model_path(const std::string& where) {
  if (!engine::is_directory(where)) return where;
  const RunFiles files(where);
  if (engine::file_exists(files.model)) return files.model;
  engine::check(engine::file_exists(files.checkpoint), engine::printable(where),
                ": holds no model, expected the directory of a run or a .safetensors file");
  return files.checkpoint;
}

engine::FileBytes read_model(const std::string& path) try {
  return engine::read_large_file(path, engine::max_file_size());
} catch (const engine::SystemError& error) {
  engine::fail(error.what(), where_it_may_be(path));
}

}  // namespace

OpenedModel open_model(const Settings& settings) {
  const std::string path = model_path(settings.model_path);
  engine::FileBytes bytes = read_model(path);
  try {
    const model::SafetensorsFile file(view(bytes));
    OpenedModel opened{path, std::ssize(bytes), model::load_model(file, state_prefixes)};
    engine::FileBytes().swap(bytes);
    engine::pool::trim();  // gives the file's memory back
    for (const std::string& note : settings.notes) write_line(note);
    if (path == RunFiles(settings.model_path).checkpoint)
      write_line(engine::joined(engine::printable(settings.model_path),
                                ": no evaluation after step 0 yet, the model is that of the "
                                "checkpoint"));
    return opened;
  } catch (const engine::Error& error) {
    const std::string_view first = view(bytes).substr(0, 1000);
    const bool is_text = engine::valid_utf8_prefix(first) + 3 >= first.size() &&
                         first.find('\0') == std::string_view::npos;
    engine::fail(engine::printable(path), ": ", error.what(),
                 is_text ? "; a model is made of a text by gradus train" : "");
  }
}

}  // namespace train
