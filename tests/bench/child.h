// A process to talk to, line by line: the contenders of a benchmark run in processes of their own,
// so that each has its own threads, settings and memory, and take turns.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "engine/base/check.h"

namespace bench {

class Child {
 public:
  explicit Child(std::vector<std::string> command) {
    int to[2], from[2];
    engine::check(pipe(to) == 0 && pipe(from) == 0, "bench: cannot make a pipe");
    // Our ends are not for the children after this one: held open there, they would keep it alive.
    for (const int end : {to[1], from[0]}) fcntl(end, F_SETFD, FD_CLOEXEC);
    process_ = fork();
    engine::check(process_ >= 0, "bench: cannot start ", command[0]);
    if (process_ == 0) {
      dup2(to[0], 0);
      dup2(from[1], 1);
      for (const int end : {to[0], to[1], from[0], from[1]}) close(end);
      std::vector<char*> arguments;
      for (std::string& argument : command) arguments.push_back(argument.data());
      arguments.push_back(nullptr);
      execvp(arguments[0], arguments.data());
      _exit(127);
    }
    close(to[0]);
    close(from[1]);
    to_ = fdopen(to[1], "w");
    from_ = fdopen(from[0], "r");
  }
  ~Child() {
    fclose(to_);
    fclose(from_);
    waitpid(process_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void say(const std::string& line) {
    std::fputs((line + "\n").c_str(), to_);
    std::fflush(to_);
  }
  // Its next line; empty once it has ended.
  std::string listen() {
    std::string line;
    for (int c; (c = std::fgetc(from_)) != EOF && c != '\n';) line.push_back(static_cast<char>(c));
    return line;
  }
  std::string ask(const std::string& line) {
    say(line);
    return listen();
  }

 private:
  pid_t process_;
  std::FILE *to_, *from_;
};

}  // namespace bench
