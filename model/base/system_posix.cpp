#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include "engine/base/control_groups.h"
#include "model/base/system.h"

namespace model {

std::size_t total_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || bytes <= 0) return 0;
  return static_cast<std::size_t>(std::min(
      {static_cast<double>(pages) * static_cast<double>(bytes), engine::group_limits().memory,
       static_cast<double>(std::numeric_limits<std::size_t>::max())}));
}

namespace system {

namespace {

int fill(Status& status, const struct stat& of) {
  using enum Status::Kind;
  status.kind = S_ISREG(of.st_mode)    ? file
                : S_ISDIR(of.st_mode)  ? directory
                : S_ISLNK(of.st_mode)  ? link
                : S_ISFIFO(of.st_mode) ? pipe
                : S_ISSOCK(of.st_mode) ? socket
                                       : device;
  status.size = of.st_size;
  status.device = of.st_dev;
  status.number = of.st_ino;
  status.permissions = of.st_mode & 0777;
  status.group = of.st_gid;
  return 0;
}

}  // namespace

int open(const char* path, int opening, int permissions) {
  const int flags = (opening & appending   ? O_WRONLY | O_APPEND
                     : opening & writing   ? O_WRONLY
                     : opening & directory ? O_RDONLY | O_DIRECTORY
                                           : O_RDONLY) |
                    (opening & creating ? O_CREAT : 0) | (opening & new_only ? O_EXCL : 0) |
                    (opening & no_link ? O_NOFOLLOW : 0);
  return ::open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, permissions);
}

int status(int descriptor, Status& status) {
  struct stat of {};
  return fstat(descriptor, &of) == 0 ? fill(status, of) : -1;
}

int status_at(const char* path, Status& status) {
  struct stat of {};
  return stat(path, &of) == 0 ? fill(status, of) : -1;
}

int status_of_link(const char* path, Status& status) {
  struct stat of {};
  return lstat(path, &of) == 0 ? fill(status, of) : -1;
}

std::ptrdiff_t read(int descriptor, void* bytes, std::size_t size) {
  return ::read(descriptor, bytes, size);
}

std::ptrdiff_t write(int descriptor, const void* bytes, std::size_t size) {
  return ::write(descriptor, bytes, size);
}

void wait_until_writable(int descriptor) {
  pollfd ready = {descriptor, POLLOUT, 0};
  poll(&ready, 1, -1);
}

int truncate(int descriptor, std::int64_t size) { return ftruncate(descriptor, size); }

int flush(int descriptor) {
#ifdef F_FULLFSYNC  // macOS, where fsync leaves the bytes in the disk's own memory
  if (fcntl(descriptor, F_FULLFSYNC) == 0) return 0;  // else the file system does not have it
#endif
  return fsync(descriptor);
}

int lock(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB); }
int close(int descriptor) { return ::close(descriptor); }
int rename(const char* from, const char* to) { return ::rename(from, to); }
int unlink(const char* path) { return ::unlink(path); }
int make_directory(const char* path) { return mkdir(path, 0777); }
int remove_directory(const char* path) { return rmdir(path); }
void set_permissions(int descriptor, const Status& like) {
  // If the user cannot give the file to the old group, the user's own group does not get its
  // permissions.
  const bool given = fchown(descriptor, static_cast<uid_t>(-1), like.group) == 0;
  fchmod(descriptor, static_cast<mode_t>(like.permissions & (given ? 0777 : 0707)));
}

std::string link_target(const std::string& path) {
  std::error_code error;
  const std::filesystem::path next = std::filesystem::read_symlink(path, error);
  if (!error) return (std::filesystem::path(path).parent_path() / next).string();
  errno = error.value();
  return "";
}

std::string message(int error) { return std::generic_category().message(error); }

constinit const std::string_view separators = "/";
}  // namespace system
}  // namespace model
