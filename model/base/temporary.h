// A file or directory that is created under a hidden name beside its place, .NAME.gradus-1, and
// then renamed: nobody ever sees it half written.
//
// The name belongs to this process (if it is taken, the next number is tried), and the file is
// locked while the Temporary lives. A temporary file without a lock was left by a killed process;
// the next process that writes to the same place removes it. (Where the file system has no locks,
// it stays.)
#pragma once

#include <optional>
#include <string>

#include "model/base/files.h"
#include "model/base/unfinished.h"

namespace model {

class Temporary {
 public:
  enum class Kind { file, directory };
  // Creates it, empty. A file takes the permissions of the file at `path` or, if there is none, at
  // `like`. Errors begin with `path`.
  Temporary(const std::string& path, Kind kind, const std::string& like = {});
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary();  // removes it and everything in it, unless it was renamed

  const std::string& name() const { return name_; }
  const Descriptor& descriptor() const { return *descriptor_; }
  void put_in_place();

 private:
  bool make(Kind kind, const std::string& like);  // false if the name is taken

  std::string path_, name_;
  std::optional<Descriptor> descriptor_;
  std::optional<Unfinished> unfinished_;
};

// The path itself; for a symbolic link, even a broken one, the path of its target.
std::string link_target(const std::string& path);

}  // namespace model
