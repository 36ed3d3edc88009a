#include "engine/base/new_directory.h"

#include <cerrno>
#include <filesystem>

#include "engine/base/check.h"
#include "engine/base/files.h"
#include "engine/base/text.h"

namespace engine {

namespace {

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

void flush_directory(const std::string& path) {
  Descriptor(path, O_RDONLY | O_DIRECTORY, path).flush();
}

// Also what an export that was killed has left.
void remove_all(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error) throw SystemError(path, "remove", error.value());
}

}  // namespace

void check_is_free(const std::string& path) {
  const std::string name = without_slashes(path);
  std::error_code error;
  const bool is_free = !file_exists(name) || std::filesystem::is_empty(name, error);
  check(is_free && !(file_exists(name) && !is_directory(name)), printable(path),
        ": is there already, and not replaced");
  check(is_directory(parent_of(name)), printable(path), ": ", printable(parent_of(name)),
        " is not a directory");
}

NewDirectory::NewDirectory(const std::string& path)
    : path_(without_slashes(path)), temporary_(path_ + ".gradus-new") {
  check_is_free(path);
  remove_all(temporary_);
  make_directories(temporary_);
}

NewDirectory::~NewDirectory() {
  std::error_code error;  // a destructor reports none
  if (!committed_) std::filesystem::remove_all(temporary_, error);
}

void NewDirectory::write(const std::string& name, std::span<const std::string_view> pieces) {
  const std::string path = temporary_ + '/' + name;
  make_directories(parent_of(path));
  write_file(path, pieces);
}

void NewDirectory::commit() {
  flush_directory(temporary_);
  if (system_calls.rename(temporary_.c_str(), path_.c_str()) == -1)
    throw SystemError(path_, "create", errno);
  committed_ = true;
  flush_directory(parent_of(path_));
}

}  // namespace engine
