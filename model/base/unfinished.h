// Files and directories that are removed if a signal ends the program before they are finished.
#pragma once

#include <string_view>

namespace model {

// While an Unfinished lives, remove_unfinished removes the file or empty directory at its path.
// Paths of 4,096 bytes or more, and more than 16 at a time, are not removed.
class Unfinished {
 public:
  explicit Unfinished(std::string_view path);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

 private:
  struct Slot;
  static Slot slots[];
  friend void remove_unfinished() noexcept;
  Slot* slot_ = nullptr;
};

// Only makes calls that a signal handler may make.
void remove_unfinished() noexcept;

}  // namespace model
