// Runs the built program as a user would, in a directory of its own.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/catch.h"

namespace program {

inline std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

inline void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

struct Result {
  int status;  // of exit; 128 + the signal's number if one ended it
  std::string out, err;
};

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
    if (!ended_) kill(-child_, SIGKILL), (void)end();
  }

  // Until it has written the text to standard error, or has ended. False: it never did.
  bool wait_for(const std::string& text) {
    while (read(err_).find(text) == std::string::npos)
      if (has_ended()) return read(err_).find(text) != std::string::npos;
    return true;
  }
  void signal(int number) const { kill(child_, number); }
  // After two milliseconds.
  bool has_ended() {
    if (ended_) return true;
    usleep(2'000);
    if (++waited_ == 150'000) kill(-child_, SIGKILL);
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

// A directory that is empty at first and gone at last, and the program run inside it.
class Sandbox {
 public:
  Sandbox() {
    std::string name = std::filesystem::temp_directory_path() / "gradus-test-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) FAIL("cannot make a directory in " << name);
    directory_ = name;
    const char* const binary = std::getenv("GRADUS");
    binary_ = std::filesystem::absolute(binary != nullptr ? binary : "./gradus");
    if (!std::filesystem::exists(binary_)) FAIL("there is no " << binary_ << "; run make first");
  }
  ~Sandbox() { std::filesystem::remove_all(directory_); }
  Sandbox(const Sandbox&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return directory_ / name; }

  // `gradus arguments`, as a shell reads them.
  Result gradus(const std::string& arguments) const { return shell("\"$GRADUS\" " + arguments); }
  // A line for the shell, where "$GRADUS" is the program.
  Result shell(const std::string& line) const { return Running(directory_, with_name(line)).end(); }
  // `gradus arguments`, to be sent signals. (A shell lets what it runs in the background ignore
  // SIGINT.)
  Running start(const std::string& arguments) const {
    return Running(directory_, with_name("exec \"$GRADUS\" " + arguments));
  }

 private:
  // Within single quotes.
  static std::string quoted(std::string text) {
    for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 4)
      text.replace(at, 1, "'\\''");
    return text;
  }

  // By its name, as a user calls it who has it in PATH.
  std::string with_name(const std::string& line) const {
    return "PATH='" + quoted(binary_.parent_path().string()) + "':$PATH\nGRADUS='" +
           quoted(binary_.filename().string()) + "'\n" + line;
  }

  std::filesystem::path directory_, binary_;
};

}  // namespace program
