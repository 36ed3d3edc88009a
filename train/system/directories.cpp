#include "train/system/directories.h"

#include <cerrno>

#include "model/base/system_calls.h"
#include "train/system/files.h"
#include "train/system/words.h"

namespace train {

using model::Descriptor;
using model::directory_of;
using model::SystemError;

namespace {

// Removes nested directories, given outermost first, up to one that is not empty. Those that stay
// are left in the list.
void remove_empty(std::vector<std::string>& directories) {
  while (!directories.empty() &&
         (model::system::remove_directory(directories.back().c_str()) == 0 || errno == ENOENT))
    directories.pop_back();
}

// The directory and its parents, as far as they are missing, outermost first.
std::vector<std::string> missing_directories(const std::string& path) {
  std::vector<std::string> missing;
  for (std::size_t slash = 0; slash != std::string::npos;) {
    slash = path.find_first_of(model::system::separators, slash + 1);
    if (!is_directory(path.substr(0, slash))) missing.push_back(path.substr(0, slash));
  }
  return missing;
}

}  // namespace

std::vector<std::string> make_directories(const std::string& path) {
  std::vector<std::string> made;
  try {
    for (const std::string& directory : missing_directories(path)) {
      if (is_directory(directory)) continue;  // for example a/ after a
      if (model::system_calls.make_directory(directory.c_str()) == -1) {
        const int code = errno;
        if (code == EEXIST && is_directory(directory))
          continue;  // made by another process just now
        throw SystemError(directory, "create", code);
      }
      made.push_back(directory);
      const std::string parent = directory_of(directory);
      Descriptor(parent, model::system::directory, parent).flush();
    }
  } catch (...) {
    remove_empty(made);
    throw;
  }
  return made;
}

DirectoryLock::DirectoryLock(const std::string& path)
    : directory_(path, model::system::directory, path) {
  const Descriptor::Lock lock = directory_.lock();
  is_possible_ = lock != Descriptor::Lock::none;
  // The process that held the lock before may have removed the directory: then the path is free or
  // names another directory.
  check(lock != Descriptor::Lock::of_another && directory_.is_at(path), printable(path),
        ": another gradus is writing to this directory");
}

MadeDirectories::MadeDirectories(const std::string& path)
    : made_(make_directories(path)), unfinished_(made_.begin(), made_.end()) {}

void MadeDirectories::remove_empty() { train::remove_empty(made_); }

OutputDirectory::OutputDirectory(const std::string& path) : path_(path), made_(path), lock_(path) {}

OutputDirectory::~OutputDirectory() {
  // Another process may have created a directory in its place.
  if (lock_.is_at(path_))
    made_.remove_empty();
  else
    made_.keep();
}

}  // namespace train
