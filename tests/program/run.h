// Runs the built program as a user would, in a directory of its own.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/program/proposals.h"
#include "tests/program/result.h"
#include "tests/program/words.h"
#include "tests/temporary.h"
#if __has_include(<sys/wait.h>)
#include "tests/program/running_posix.h"
#else
#include "tests/program/running_windows.h"
#endif

namespace program {

// A directory that is empty at first and gone at last, and the program run inside it.
class Sandbox {
 public:
  Sandbox() {
    const char* const binary = std::getenv("GRADUS");
    binary_ = std::filesystem::absolute(binary != nullptr ? binary : "./gradus");
    if (!std::filesystem::exists(binary_)) FAIL("there is no " << binary_ << "; run make first");
  }
  Sandbox(const Sandbox&) = delete;

  std::filesystem::path operator/(const std::string& name) const {
    return std::filesystem::path(directory_.path()) / std::u8string(name.begin(), name.end());
  }

  const std::filesystem::path& binary() const { return binary_; }
  // The program with these words in a directory of the sandbox, without a shell.
  Running start(std::vector<std::string> words, const std::filesystem::path& here,
                const std::filesystem::path& input) const {
    return Running(directory_.path(), here, binary_, std::move(words), input);
  }

#if __has_include(<sys/wait.h>)
  // `gradus arguments`, as a shell reads them.
  Result gradus(const std::string& arguments) const {
    Result result = shell("\"$GRADUS\" " + arguments);
    check_proposals(result.err, directory_.path());
    return result;
  }
  // A line for the shell, where "$GRADUS" is the program.
  Result shell(const std::string& line) const {
    return Running(directory_.path(), with_name(line)).end();
  }
  // `gradus arguments`, to be sent signals. (A shell lets what it runs in the background ignore
  // SIGINT.)
  Running start(const std::string& arguments) const {
    return Running(directory_.path(), with_name("exec \"$GRADUS\" " + arguments));
  }
#else
  Result gradus(const std::string& arguments) const { return start(arguments).end(); }
  Result shell(const std::string& line) const {
    FAIL("needs a shell, and the tag [shell]: " << line);
    return {};
  }
  Running start(const std::string& arguments) const {
    std::vector<std::string> words = {"gradus"};
    for (const Word& word : words_in(arguments)) {
      if (word.is_plain && word.text.find_first_of("|<>&;$`*\\") != word.text.npos)
        FAIL("needs a shell, and the tag [shell]: " << arguments);
      words.push_back(word.text);
    }
    return start(words, directory_.path(), "NUL");
  }
#endif

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

  TemporaryDirectory directory_;
  std::filesystem::path binary_;
};

}  // namespace program
