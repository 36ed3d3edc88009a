// A directory of several files that appears whole or not at all: they are written to
// PATH.gradus-new, which is renamed to PATH when every byte is on the disk.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace engine {

// An error if anything but an empty directory is at the path of a directory to be made, or if the
// directory that it is to be made in is not there.
void check_is_free(const std::string& path);

class NewDirectory {
 public:
  explicit NewDirectory(const std::string& path);  // check_is_free
  NewDirectory(const NewDirectory&) = delete;
  NewDirectory& operator=(const NewDirectory&) = delete;
  ~NewDirectory();  // removes what was written, unless commit() was called

  // name: relative; may have directories in it, which are made.
  void write(const std::string& name, std::span<const std::string_view> pieces);
  void write(const std::string& name, std::string_view bytes) { write(name, std::span(&bytes, 1)); }
  void commit();

 private:
  std::string path_, temporary_;
  bool committed_ = false;
};

}  // namespace engine
