// A file or directory that is made under a hidden name beside its place, .NAME.gradus-1, and then
// renamed to its place: nobody ever sees a part of it there.
//
// The name is this process's own (O_EXCL; the next number if it is taken), and it is locked while it
// lives. One that is not locked was left by a process that was killed: the next one to write to the
// same place removes it.
#pragma once

#include <optional>
#include <string>

#include "engine/base/files.h"
#include "engine/base/unfinished.h"

namespace engine {

class Temporary {
 public:
  enum class Kind { file, directory };
  // Makes it, empty; a file takes the permissions of the file in its place, if there is one. Errors
  // begin with `path`.
  Temporary(const std::string& path, Kind kind);
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary();  // removes it with all that is in it, unless it was put in place

  const std::string& name() const { return name_; }
  const Descriptor& descriptor() const { return *descriptor_; }
  void put_in_place();

 private:
  bool make(Kind kind);  // false if the name is taken

  std::string path_, name_;
  std::optional<Descriptor> descriptor_;
  std::optional<Unfinished> unfinished_;
};

// The directory that a path lies in.
std::string directory_of(const std::string& path);
// The path itself, or that to which it leads if it is a symbolic link, also one to nothing.
std::string link_target(const std::string& path);

}  // namespace engine
