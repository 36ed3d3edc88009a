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
  // A line for the shell, where "$GRADUS" is the program: in quotes, since its path may hold
  // spaces. The line is ended after five minutes.
  Result shell(const std::string& line) const {
    const std::string out = directory_ / ".out", err = directory_ / ".err";
    write(directory_ / ".line", "GRADUS='" + quoted(binary_.string()) + "'\n" + line + "\n");
    const pid_t child = fork();
    if (child == 0) {  // from here to exec nothing that a lock of another thread could hold up
      setpgid(0, 0);   // a group of its own, to be ended as one
      std::signal(SIGHUP, SIG_DFL);  // ignored if the tests run under nohup
      const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
      constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
      const bool ready = chdir(directory_.c_str()) == 0 && dup2(in, 0) == 0 &&
                         dup2(open(out.c_str(), flags, 0666), 1) == 1 &&
                         dup2(open(err.c_str(), flags, 0666), 2) == 2;
      if (ready) execl("/bin/sh", "sh", ".line", nullptr);
      _exit(99);
    }
    int code = 0;
    for (int waited = 0; waitpid(child, &code, WNOHANG) == 0; ++waited) {
      usleep(2'000);
      if (waited == 150'000) kill(-child, SIGKILL);
    }
    const int status = WIFEXITED(code) ? WEXITSTATUS(code) : 128 + WTERMSIG(code);
    return {status, read(out), read(err)};
  }

 private:
  // Within single quotes.
  static std::string quoted(std::string text) {
    for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 4)
      text.replace(at, 1, "'\\''");
    return text;
  }

  std::filesystem::path directory_, binary_;
};

}  // namespace program
