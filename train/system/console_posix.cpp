#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/control_groups.h"
#include "engine/base/index.h"
#include "model/base/system.h"
#include "train/system/console.h"

namespace train::system {

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
  if (static_cast<double>(model::total_memory()) < group) return;
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

}  // namespace train::system
