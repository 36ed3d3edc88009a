// Files, over POSIX: the only place where they are opened. What is read is read whole; what is
// written is either there completely, and durably, or not at all.
//
// Errors are a SystemError, `PATH: cannot WHAT: the system's reason`, or an engine::Error where the
// system is content and we are not: `notes: is a directory, expected a file`.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/storage.h"

namespace train {

class SystemError : public engine::Error {
 public:
  SystemError(std::string_view path, std::string_view what, int code);
  int code() const { return code_; }  // an errno

 private:
  int code_;
};

// More than fits in memory is no use to read: a file's limit where nothing smaller suits.
std::int64_t largest_file();

// The whole of a regular file, if it has at most `limit` bytes. Pipes, devices, sockets and
// directories are refused. A file that does not say its size (/proc) is read to its end.
std::string read_file(const std::string& path, std::int64_t limit);

// Memory from the engine's pool that is not set to zero before it is written: for files of many
// megabytes, large pages and one pass less.
template <class T>
struct RawAllocator : engine::PoolAllocator<T> {
  template <class U>
  struct rebind {
    using other = RawAllocator<U>;
  };
  void construct(T*) {}
  void construct(T* to, const T& from) { *to = from; }
};
using FileBytes = std::vector<char, RawAllocator<char>>;

// The same for files of that size. Freed, the memory stays with the pool until engine::pool::trim.
FileBytes read_large_file(const std::string& path, std::int64_t limit);
inline std::string_view view(const FileBytes& bytes) { return {bytes.data(), bytes.size()}; }

// All regular files in a directory and in those below it, by the bytes of their names. Left out are
// hidden names (those with a dot first), and links to directories, so that no link leads in circles.
std::vector<std::string> files_in(const std::string& directory);

// Replaces the file, or creates it, with the pieces one after another: they are written to
// PATH.tmp, which takes PATH's place when every byte is known to be on the disk. On an error PATH
// is what it was and PATH.tmp is gone; killed at any moment, PATH is the old file or the new one.
// Two processes must not write one PATH at a time (DirectoryLock).
void write_file(const std::string& path, std::span<const std::string_view> pieces);

// An error now if write_file(path) would fail, but for lack of space.
void probe_output(const std::string& path);

bool file_exists(const std::string& path);   // of whatever kind
bool is_directory(const std::string& path);  // false as well if there is nothing
void remove_file(const std::string& path);   // if it is there
std::string absolute_path(const std::string& path);

// Makes the directory and those above it, where missing; returns those it made, outermost first. If
// it fails, they are gone again.
std::vector<std::string> make_directories(const std::string& path);

// An open file.
class Descriptor {
 public:
  // flags: of open(2). Errors speak of `name`.
  Descriptor(const std::string& path, int flags, const std::string& name);
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();

  struct stat status() const;
  std::size_t read(char* bytes, std::size_t size) const;  // 0: the end
  void write(std::string_view bytes) const;
  void flush() const;  // until it is on the disk
  void truncate(std::int64_t size) const;
  bool lock() const;  // for this process alone; false if another has it
  void close();       // with the check that a destructor cannot make

 private:
  std::string name_;
  int descriptor_;
};

// A log: grows at its end, and every piece is on the disk when append returns.
class AppendFile {
 public:
  // Opens or creates it and cuts it back to `size` bytes. An error if it has fewer.
  AppendFile(const std::string& path, std::int64_t size);

  // If this fails, the file has its old size again.
  void append(std::string_view bytes);
  std::int64_t size() const { return size_; }

 private:
  Descriptor file_;
  std::int64_t size_;
};

// Held by the one process that may write in a directory, until it ends, however it ends. What such
// a process decides by looking at the directory it has to look at under the lock.
class DirectoryLock {
 public:
  explicit DirectoryLock(const std::string& path);  // an error if another process holds it

 private:
  Descriptor directory_;
};

// A directory to write in: made where missing, and locked. In the end, directories that it made and
// in which there is nothing are removed again: a command that is refused leaves no trace.
class OutputDirectory {
 public:
  explicit OutputDirectory(const std::string& path) : made_(make_directories(path)), lock_(path) {}
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;
  ~OutputDirectory();

 private:
  std::vector<std::string> made_;
  DirectoryLock lock_;  // still held while the destructor removes directories
};

// Writes all of it to an open descriptor; 0, or the errno that kept it from doing so.
int write_all(int descriptor, std::string_view bytes);

// The system calls behind all this. A test puts its own in to see any of them fail.
struct SystemCalls {
  int (*open)(const char*, int, mode_t) = [](const char* path, int flags, mode_t mode) {
    return ::open(path, flags, mode);
  };
  int (*fstat)(int, struct stat*) = [](int file, struct stat* status) {
    return ::fstat(file, status);
  };
  ssize_t (*read)(int, void*, std::size_t) = ::read;
  ssize_t (*write)(int, const void*, std::size_t) = ::write;
  int (*ftruncate)(int, off_t) = ::ftruncate;
  int (*fsync)(int) = ::fsync;
  int (*flock)(int, int) = ::flock;
  int (*close)(int) = ::close;
  int (*rename)(const char*, const char*) = ::rename;
  int (*unlink)(const char*) = ::unlink;
  int (*mkdir)(const char*, mode_t) = ::mkdir;
};
extern SystemCalls system_calls;

}  // namespace train
