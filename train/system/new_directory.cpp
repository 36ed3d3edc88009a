#include "train/system/new_directory.h"

#include <cerrno>

#include "model/base/system_calls.h"
#include "train/system/files.h"
#include "train/system/words.h"

namespace train {

using model::directory_of;
using model::without_separators;

void check_is_free(const std::string& path) {
  const std::string name = without_separators(path);
  const bool is_free = is_empty_directory(name) || (!file_exists(name) && !model::is_link(name));
  check(is_free, printable(path), ": exists already; it is not replaced");
  std::string above = directory_of(name);
  while (!file_exists(above) && directory_of(above) != above) above = directory_of(above);
  check(is_directory(above), printable(path), ": ", printable(above), " is not a directory");
}

NewDirectory::NewDirectory(const std::string& path)
    : path_((check_is_free(path), without_separators(path))),
      above_(directory_of(path_)),
      temporary_(path_, model::Temporary::Kind::directory) {}

void NewDirectory::write(const std::string& name, std::span<const std::string_view> pieces) {
  const std::string path = inside(temporary_.name(), name);
  for (const std::string& made : make_directories(directory_of(path))) written_.emplace_back(made);
  written_.emplace_back(path);
  write_file(path, pieces);
}

void NewDirectory::commit() {
  temporary_.descriptor().flush();
  temporary_.put_in_place();
  const std::string parent = directory_of(path_);
  model::Descriptor(parent, model::system::directory, parent).flush();
}

}  // namespace train
