#include "train/record/make_way.h"

#include "engine/base/check.h"
#include "engine/base/files.h"
#include "engine/base/utf8.h"
#include "model/format/safetensors.h"

namespace train {

using engine::file_exists;
using engine::Index;

namespace {

// The step at which gradus train wrote the file; -1 if it did not, or if the file is damaged.
Index step_of(const std::string& path) try {
  if (!file_exists(path)) return -1;
  return model::metadata_value<Index>(model::read_metadata(path), "step");
} catch (const engine::SystemError&) {
  throw;  // that it cannot be read says nothing about it
} catch (const engine::Error&) {
  return -1;
}

std::string free_name(const std::string& path) {
  std::string name = path + ".bak";
  for (int number = 2; file_exists(name); ++number) name = engine::joined(path, ".bak", number);
  return name;
}

}  // namespace

bool holds_run(const RunFiles& files) {
  return file_exists(files.checkpoint) || step_of(files.model) >= 0;
}

bool has_begun(const RunFiles& files) {
  return file_exists(files.checkpoint) ? step_of(files.checkpoint) != 0 : step_of(files.model) > 0;
}

bool has_model_of(const RunFiles& files, Index step) { return step_of(files.model) >= step; }

std::vector<std::string> files_of_others(const RunFiles& files) {
  std::vector<std::string> others;
  if (holds_run(files)) return others;
  for (const std::string& path : files.all())
    if (file_exists(path)) others.push_back(path);
  return others;
}

std::vector<std::string> keep_files_of_others(const RunFiles& files) {
  std::vector<std::string> lines;
  for (const std::string& path : files_of_others(files)) {
    const std::string name = free_name(path);
    if (engine::system_calls.rename(path.c_str(), name.c_str()) == -1)
      throw engine::SystemError(path, "rename", errno);
    lines.push_back(engine::joined(engine::printable(path), ": is of no run; it is now ",
                                   engine::printable(name)));
  }
  return lines;
}

void remove_old_run(const RunFiles& files) {
  engine::remove_file(files.model);
  if (is_our_page(files.report)) engine::remove_file(files.report);
}

bool is_our_page(const std::string& path) {
  constexpr std::size_t head = 1000;
  if (!file_exists(path) || engine::is_directory(path)) return false;
  const engine::FileBytes bytes = engine::read_large_file(path, engine::max_file_size());
  return view(bytes).substr(0, head).find(page_mark) != std::string_view::npos;
}

}  // namespace train
