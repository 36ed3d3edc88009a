// A program, or a line for the shell, run in a process of its own.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <vector>

#include "tests/program/result.h"

namespace program {

// What was started and may still run. It is ended after five minutes.
class Running {
 public:
  // A line for the shell. What it writes goes to .out and .err there.
  Running(const std::filesystem::path& directory, const std::string& line);
  // A program, called by the first of the words, in `here`.
  Running(const std::filesystem::path& directory, const std::filesystem::path& here,
          const std::filesystem::path& binary, std::vector<std::string> words,
          const std::filesystem::path& input);
  Running(const Running&) = delete;
  ~Running();

  // Until it has written the text to standard error, or has ended. False: it never did.
  bool wait_for(const std::string& text);
  void signal(int number) const;
  void kill() const;
  bool has_ended();  // after two milliseconds
  Result end();

 private:
  std::filesystem::path out_, err_;
  pid_t child_;
  bool ended_ = false;
  int code_ = 0, waited_ = 0;
};

}  // namespace program
