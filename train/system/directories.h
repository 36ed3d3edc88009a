// Directories to write in: created with their parents, locked against other processes, and removed
// again if a command leaves them empty. (new_directory.h: a directory that appears whole.)
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "model/base/files.h"
#include "model/base/unfinished.h"

namespace train {

// Creates the directory and the missing ones above it; returns those it created, outermost first.
// After an error none of them is left.
std::vector<std::string> make_directories(const std::string& path);

// The lock of a directory. Only the process that holds it may write there; the lock ends when that
// process ends, in whatever way. Take the lock before reading anything that decides what to write.
// Where the file system has no locks, nothing keeps two processes apart.
class DirectoryLock {
 public:
  explicit DirectoryLock(const std::string& path);   // an error if another process holds it
  bool is_possible() const { return is_possible_; }  // false: the file system has no locks
  // Whether the locked directory is still at the path: it may be moved or removed at any time.
  bool is_at(const std::string& path) const noexcept { return directory_.is_at(path); }

 private:
  model::Descriptor directory_;
  bool is_possible_;
};

// The directories on a path, created where they are missing. The destructor, or a signal that ends
// the program, removes those that were created here and are still empty: a command that is refused
// or interrupted leaves nothing behind.
class MadeDirectories {
 public:
  explicit MadeDirectories(const std::string& path);
  MadeDirectories(const MadeDirectories&) = delete;
  MadeDirectories& operator=(const MadeDirectories&) = delete;
  ~MadeDirectories() { remove_empty(); }
  void remove_empty();
  void keep() { made_.clear(); }

 private:
  std::vector<std::string> made_;
  std::deque<model::Unfinished> unfinished_;
};

// A directory to write in: created as above, and locked.
class OutputDirectory {
 public:
  explicit OutputDirectory(const std::string& path);
  // Removes what is empty while it is locked. Windows lets a locked directory go only when its lock
  // is closed; its parents are removed after that, by MadeDirectories.
  ~OutputDirectory();
  const DirectoryLock& lock() const { return lock_; }

 private:
  std::string path_;
  MadeDirectories made_;
  DirectoryLock lock_;
};

}  // namespace train
