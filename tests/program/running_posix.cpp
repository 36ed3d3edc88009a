#if __has_include(<sys/wait.h>)
#include "tests/program/running_posix.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace program {

namespace {

std::string in_file(const std::filesystem::path& directory, const std::string& line) {
  write(directory / ".line", line + "\n");
  return ".line";
}

}  // namespace

Running::Running(const std::filesystem::path& directory, const std::string& line)
    : Running(directory, directory, "/bin/sh", {"sh", in_file(directory, line)}, "/dev/null") {}

Running::Running(const std::filesystem::path& directory, const std::filesystem::path& here,
                 const std::filesystem::path& binary, std::vector<std::string> words,
                 const std::filesystem::path& input)
    : out_(directory / ".out"), err_(directory / ".err") {
  write(err_, "");  // wait_for must not read what an earlier one wrote
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  child_ = fork();
  if (child_ != 0) return;
  // From here to exec nothing that a lock of another thread could hold up.
  setsid();                      // a group of its own, to be ended as one; no terminal
  std::signal(SIGHUP, SIG_DFL);  // ignored if the tests run under nohup
  const int in = open(input.c_str(), O_RDONLY | O_CLOEXEC);
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  const bool ready = chdir(here.c_str()) == 0 && dup2(in, 0) == 0 &&
                     dup2(open(out_.c_str(), flags, 0666), 1) == 1 &&
                     dup2(open(err_.c_str(), flags, 0666), 2) == 2;
  if (ready) execv(binary.c_str(), arguments.data());
  _exit(99);
}

Running::~Running() {
  if (!ended_) ::kill(-child_, SIGKILL), (void)end();
}

bool Running::wait_for(const std::string& text) {
  while (read(err_).find(text) == std::string::npos)
    if (has_ended()) return read(err_).find(text) != std::string::npos;
  return true;
}

void Running::signal(int number) const { ::kill(child_, number); }
void Running::kill() const { signal(SIGKILL); }

bool Running::has_ended() {
  if (ended_) return true;
  usleep(2'000);
  if (++waited_ == 150'000) ::kill(-child_, SIGKILL);
  return ended_ = waitpid(child_, &code_, WNOHANG) != 0;
}

Result Running::end() {
  while (!has_ended()) {
  }
  const int status = WIFEXITED(code_) ? WEXITSTATUS(code_) : 128 + WTERMSIG(code_);
  return {status, read(out_), read(err_)};
}

}  // namespace program
#endif
