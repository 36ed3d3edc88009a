#include "model/base/new_directory.h"

#include <cerrno>
#include <filesystem>

#include "model/base/directories.h"
#include "model/base/files.h"
#include "model/base/system_calls.h"
#include "model/base/words.h"

namespace model {

namespace {

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

void check_is_free(const std::string& path) {
  const std::string name = without_slashes(path);
  std::error_code error;
  const bool is_free = is_directory(name) ? std::filesystem::is_empty(name, error)
                                          : !file_exists(name) && !is_link(name);
  check(is_free, printable(path), ": exists already; it is not replaced");
  check(is_directory(directory_of(name)), printable(path), ": ", printable(directory_of(name)),
        " is not a directory");
}

NewDirectory::NewDirectory(const std::string& path)
    : path_((check_is_free(path), without_slashes(path))),
      temporary_(path_, Temporary::Kind::directory) {}

void NewDirectory::write(const std::string& name, std::span<const std::string_view> pieces) {
  const std::string path = temporary_.name() + '/' + name;
  for (const std::string& made : make_directories(directory_of(path))) written_.emplace_back(made);
  written_.emplace_back(path);
  write_file(path, pieces);
}

void NewDirectory::commit() {
  temporary_.descriptor().flush();
  temporary_.put_in_place();
  const std::string parent = directory_of(path_);
  Descriptor(parent, O_RDONLY | O_DIRECTORY, parent).flush();
}

}  // namespace model
