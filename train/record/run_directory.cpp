#include "train/record/run_directory.h"

#include "model/base/files.h"
#include "model/base/system_calls.h"
#include "model/format/safetensors.h"
#include "train/record/record.h"
#include "train/system/files.h"

namespace train {

namespace {

// The step at which gradus train wrote the file; -1 if it did not, or if the file is damaged.
Index step_of(const std::string& path) try {
  if (!file_exists(path)) return -1;
  return model::metadata_value<Index>(model::read_metadata(path), "step");
} catch (const model::SystemError&) {
  throw;  // a failure to read says nothing about the contents
} catch (const Error&) {
  return -1;
}

bool is_free(const std::string& path) { return !file_exists(path) && !model::is_link(path); }

}  // namespace

std::string free_name(const std::string& path) {
  for (int number = 2;; ++number)
    if (std::string name = joined(path, number); is_free(name)) return name;
}

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

std::string keep_aside(const std::string& path, std::string_view why) {
  std::string name = path + ".bak";
  if (!is_free(name)) name = free_name(name);
  if (model::system_calls.rename(path.c_str(), name.c_str()) == -1)
    throw model::SystemError(path, "rename", errno);
  return joined(why, "; it is now ", printable(name));
}

std::vector<std::string> keep_files_of_others(const RunFiles& files) {
  std::vector<std::string> lines;
  for (const std::string& path : files_of_others(files))
    lines.push_back(keep_aside(path, joined(printable(path), ": was not written by gradus")));
  return lines;
}

void check_no_link(const std::string& path) {
  check(!model::is_link(path), printable(path), ": is a link, expected a file");
}

void check_outputs(const RunFiles& files, Index step) {
  for (const std::string& path : files.with_report()) {
    // A new run removes the page of the old one.
    if (path == files.report && (step > 0 || !is_our_page(path))) continue;
    check_no_link(path);
    probe_output(path);
  }
}

void remove_old_run(const RunFiles& files, bool resumed) {
  // If a run is resumed before its first update, the sessions it finds are its own, unless the
  // model of an old run is still there.
  if (file_exists(files.sessions) && (!resumed || step_of(files.model) > 0))
    model::replace_file(files.sessions, {});
  model::remove_file(files.model);
  if (is_our_page(files.report)) model::remove_file(files.report);
}

bool is_our_page(const std::string& path) {
  if (!file_exists(path) || is_directory(path)) return false;
  char head[1000];
  const model::Descriptor file(path, model::system::reading, path);
  return std::string_view(head, file.read(head, sizeof head)).find(page_mark) !=
         std::string_view::npos;
}

}  // namespace train
