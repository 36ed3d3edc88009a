// A directory of several files that appears whole or not at all: it is made under a temporary name
// (model/base/temporary.h) and renamed when every byte is on the disk.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>

#include "model/base/temporary.h"
#include "train/system/directories.h"

namespace train {

// Throws Error unless a directory can be created at the path: nothing or an empty directory is
// there, and nothing above it is a file.
void check_is_free(const std::string& path);

class NewDirectory {
 public:
  explicit NewDirectory(const std::string& path);  // calls check_is_free

  // name: relative to the directory. Directories in the name are made.
  void write(const std::string& name, std::span<const std::string_view> pieces);
  void write(const std::string& name, std::string_view bytes) { write(name, std::span(&bytes, 1)); }
  void commit();  // without it, the destructor removes what was written

 private:
  std::string path_;
  MadeDirectories above_;
  model::Temporary temporary_;
  std::deque<model::Unfinished> written_;
};

}  // namespace train
