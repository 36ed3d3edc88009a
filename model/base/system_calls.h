// The system calls by which files are read and written (POSIX). Tests replace them to let any of them
// fail.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string_view>

namespace model {

// Writes all bytes to an open descriptor. Returns 0, or the errno of the failure.
int write_all(int descriptor, std::string_view bytes);

// fsync; on macOS F_FULLFSYNC, since fsync leaves the bytes in the disk's own memory there.
int flush_to_disk(int descriptor);

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
  int (*fsync)(int) = flush_to_disk;
  int (*flock)(int, int) = ::flock;
  int (*close)(int) = ::close;
  int (*rename)(const char*, const char*) = ::rename;
  int (*unlink)(const char*) = ::unlink;
  int (*mkdir)(const char*, mode_t) = ::mkdir;
};
extern SystemCalls system_calls;

// Repeats a system call as long as a handled signal interrupts it.
template <class Call>
auto uninterrupted(Call call) {
  for (;;) {
    const auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

}  // namespace model
