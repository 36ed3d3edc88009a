// Runs the built program as a user would, in a directory of its own.
#pragma once

#include <sys/wait.h>

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
  Result gradus(const std::string& arguments) const {
    return shell("'" + binary_.string() + "' " + arguments);
  }
  // A line for the shell, where $GRADUS is the program.
  Result shell(const std::string& line) const {
    const std::string out = directory_ / ".out", err = directory_ / ".err";
    write(directory_ / ".line",
          "cd '" + directory_.string() + "'\nGRADUS='" + binary_.string() + "'\n" + line + "\n");
    const int code = std::system(
        ("sh '" + (directory_ / ".line").string() + "' >'" + out + "' 2>'" + err + "' </dev/null")
            .c_str());
    const int status = WIFEXITED(code) ? WEXITSTATUS(code) : 128 + WTERMSIG(code);
    return {status, read(out), read(err)};
  }

 private:
  std::filesystem::path directory_, binary_;
};

}  // namespace program
