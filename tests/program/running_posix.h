// A line for the shell, run in a process of its own.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/program/result.h"

namespace program {

// A shell that was started and may still run. It is ended after five minutes.
class Running {
 public:
  Running(const std::filesystem::path& directory, const std::string& line)
      : out_(directory / ".out"), err_(directory / ".err") {
    write(directory / ".line", line + "\n");
    write(err_, "");  // wait_for must not read what an earlier one wrote
    child_ = fork();
    if (child_ != 0) return;
    // From here to exec nothing that a lock of another thread could hold up.
    setsid();                      // a group of its own, to be ended as one; no terminal
    std::signal(SIGHUP, SIG_DFL);  // ignored if the tests run under nohup
    const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    const bool ready = chdir(directory.c_str()) == 0 && dup2(in, 0) == 0 &&
                       dup2(open(out_.c_str(), flags, 0666), 1) == 1 &&
                       dup2(open(err_.c_str(), flags, 0666), 2) == 2;
    if (ready) execl("/bin/sh", "sh", ".line", nullptr);
    _exit(99);
  }
  Running(const Running&) = delete;
  ~Running() {
    if (!ended_) ::kill(-child_, SIGKILL), (void)end();
  }

  // Until it has written the text to standard error, or has ended. False: it never did.
  bool wait_for(const std::string& text) {
    while (read(err_).find(text) == std::string::npos)
      if (has_ended()) return read(err_).find(text) != std::string::npos;
    return true;
  }
  void signal(int number) const { ::kill(child_, number); }
  void kill() const { signal(SIGKILL); }
  // After two milliseconds.
  bool has_ended() {
    if (ended_) return true;
    usleep(2'000);
    if (++waited_ == 150'000) ::kill(-child_, SIGKILL);
    return ended_ = waitpid(child_, &code_, WNOHANG) != 0;
  }
  Result end() {
    while (!has_ended()) {
    }
    const int status = WIFEXITED(code_) ? WEXITSTATUS(code_) : 128 + WTERMSIG(code_);
    return {status, read(out_), read(err_)};
  }

 private:
  std::filesystem::path out_, err_;
  pid_t child_;
  bool ended_ = false;
  int code_ = 0, waited_ = 0;
};

}  // namespace program
