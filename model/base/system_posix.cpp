#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "engine/base/control_groups.h"
#include "engine/base/index.h"
#include "model/base/system.h"

namespace model {

std::size_t total_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || bytes <= 0) return 0;
  return static_cast<std::size_t>(std::min(
      {static_cast<double>(pages) * static_cast<double>(bytes), engine::group_limits().memory,
       static_cast<double>(std::numeric_limits<std::size_t>::max())}));
}

namespace {

// Linux's value for this process under a key, in bytes; 0 if there is none.
std::size_t of_process([[maybe_unused]] std::string_view key) {
#ifdef __linux__
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key))
      return engine::unsigned_size(std::strtoull(line.c_str() + key.size(), nullptr, 10) * 1024);
#endif
  return 0;
}

}  // namespace

void limit_memory() {
#ifdef __linux__
  const double group = engine::group_limits().memory;
  if (static_cast<double>(total_memory()) < group) return;
  const std::size_t used = of_process("RssAnon:"), mapped = of_process("VmData:");
  rlimit limit{};
  if (mapped == 0 || getrlimit(RLIMIT_DATA, &limit) != 0) return;
  // Memory that is mapped but not yet touched, like most of a stack, does not count against the
  // group.
  const double left = std::max(group - static_cast<double>(used), 0.0);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, mapped + static_cast<rlim_t>(left));
  setrlimit(RLIMIT_DATA, &limit);
#endif
}

std::size_t peak_memory() {
  if (const std::size_t peak = of_process("VmHWM:"); peak > 0) return peak;
  // Without /proc. This peak survives exec: it may belong to the program that started this one.
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#ifdef __APPLE__
  return engine::unsigned_size(usage.ru_maxrss);
#else
  return engine::unsigned_size(usage.ru_maxrss) * 1024;
#endif
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
constinit const std::string_view end_of_input = "Ctrl-D";
constinit const std::string_view makes_utf8 = "iconv -f LATIN1 -t UTF-8 makes it UTF-8";

std::string shell_quotes(std::string_view word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + '\'';
}

std::vector<std::string> arguments(int argc, char** argv) { return {argv, argv + argc}; }

void prepare_streams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF)
      // open returns the lowest free number, which is this one.
      if (::open("/dev/null", O_RDONLY) != descriptor) std::_Exit(1);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void handle_signals(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

bool is_notice(int signal) { return signal == SIGUSR1 || signal == SIGUSR2 || signal == SIGXCPU; }

void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  raise(signal);
}
void end_now(int status) { std::_Exit(status); }

bool is_terminal(int descriptor) { return isatty(descriptor) == 1; }

bool obeys_escapes(int descriptor) {
  const char* const kind = std::getenv("TERM");
  return is_terminal(descriptor) && kind != nullptr && kind != std::string_view("dumb");
}

int terminal_width(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace system
}  // namespace model
