#include "train/system/files.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>

#include "engine/base/check.h"
#include "model/base/system_calls.h"
#include "model/base/system_path.h"
#include "model/base/temporary.h"
#include "model/base/text.h"

namespace train {

using engine::fail;
using model::Descriptor;
using model::directory_of;
using model::printable;
using model::Status;
using model::status_at;
using model::system_calls;
using model::SystemError;

FileIdentity file_identity(const std::string& path) {
  const Status status = model::status_of(path);
  return {status.device, status.number};
}

std::vector<std::string> files_in(const std::string& directory) {
  std::vector<std::string> files;
  std::string place = directory;
  std::error_code error, no_file;
  std::filesystem::recursive_directory_iterator entry(model::system_path(directory), error);
  while (!error && entry != std::filesystem::end(entry)) {
    place = model::name_of(entry->path());
    if (model::name_of(entry->path().filename()).starts_with('.'))
      entry.disable_recursion_pending();
    else if (entry->is_regular_file(no_file) ||  // also through a link; a broken one is not a file
             (entry->is_symlink(no_file) && entry->is_directory(no_file)))
      files.push_back(place);
    entry.increment(error);
  }
  if (error) throw SystemError(place, "list", error.value());
  std::ranges::sort(files);
  return files;
}

void probe_output(const std::string& path) {
  if (const std::optional<Status> there = status_at(path)) {
    model::check_regular(path, *there);
    const Descriptor may_be_written(path, model::system::writing, path);
    // Removes no file, but says whether the user may: not somebody else's in a sticky directory.
    if (model::system::remove_directory(path.c_str()) == -1 && errno == EPERM)
      throw SystemError(path, "replace", errno);
  }
  const std::string target = model::link_target(path);
  const Descriptor directory(directory_of(target), model::system::directory, directory_of(target));
  const model::Temporary temporary(target, model::Temporary::Kind::file);
}

void check_apart(std::span<const std::string> inputs, std::span<const std::string> outputs) {
  std::map<FileIdentity, std::string> written;
  for (const std::string& path : outputs)
    if (const auto there = status_at(path)) written[{there->device, there->number}] = path;
  for (const std::string& path : inputs) {
    const auto there = status_at(path);
    const auto same = there ? written.find({there->device, there->number}) : written.end();
    if (same != written.end())
      fail(printable(path),
           ": is read by this command, and would be replaced by what it writes as ",
           printable(same->second));
  }
}

bool is_empty_directory(const std::string& path) {
  std::error_code error;
  return is_directory(path) && std::filesystem::is_empty(model::system_path(path), error);
}

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(model::system_path(path), error);
  if (error) throw SystemError(path, "find the absolute path", error.value());
  return model::name_of(absolute.lexically_normal());
}

std::string last_name(const std::string& path) {
  const std::string absolute = model::without_separators(absolute_path(path));
  return absolute.substr(last_separator(absolute) + 1);  // npos + 1 is 0
}

bool append_to_file(const std::string& path, std::int64_t size, std::string_view bytes) {
  const int descriptor = model::uninterrupted([&] {
    return system_calls.open(path.c_str(), model::system::appending | model::system::no_link, 0);
  });
  if (descriptor == -1) return false;
  const Descriptor file(descriptor, path);
  const Status status = file.status();
  if (status.kind != Status::Kind::file || status.size != size) return false;
  if (bytes.empty()) return true;
  try {
    file.write(bytes);
    file.flush();
  } catch (...) {
    try {
      file.truncate(size);
    } catch (const SystemError&) {  // the first error is reported
    }
    throw;
  }
  return true;
}

}  // namespace train
