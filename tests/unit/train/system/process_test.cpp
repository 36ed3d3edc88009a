// Streams and signals, tried out in child processes.
#include "train/system/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "engine/base/check.h"
#include "engine/base/cpu.h"
#include "engine/base/thread_pool.h"
#include "model/base/files.h"
#include "tests/catch.h"
#include "tests/temporary.h"
#include "train/system/directories.h"

namespace {

// Runs the body in a child process; its result, or minus the signal that ended it. Other threads
// would be missing in the child, and ThreadSanitizer then delivers no signals: they end before.
template <class Body>
int status_of(Body body) {
  engine::set_thread_count(1);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGHUP, SIG_DFL);  // ignored if the tests run under nohup
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  engine::set_thread_count(engine::available_cpus());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

TEST_CASE("process: a closed standard descriptor is never given to a file", "[native]") {
  for (int closed = 1; closed < 8; ++closed) {
    INFO("closed, by bits: " << closed);
    CHECK(status_of([&] {
            for (int descriptor = 0; descriptor <= 2; ++descriptor)
              if (closed >> descriptor & 1) close(descriptor);
            train::prepare_process();
            train::write_message("");
            return open("/dev/null", O_RDONLY);
          }) > 2);
  }
}

TEST_CASE("process: a reader that leaves is told apart from a failure", "[native]") {
  CHECK(status_of([] {
          int ends[2];
          if (pipe(ends) != 0 || dup2(ends[1], 1) != 1) return 10;
          train::prepare_process();
          if (!train::write_output("heard")) return 11;
          close(ends[0]);
          return train::write_output("unheard") ? 12 : 0;
        }) == 0);
#ifdef __linux__
  CHECK(status_of([] {
          dup2(open("/dev/full", O_WRONLY), 1);
          train::prepare_process();
          try {
            (void)train::write_output("x");
          } catch (const model::SystemError& error) {
            return std::string(error.what()) ==
                           "standard output: cannot write: No space left on device"
                       ? 0
                       : 11;
          }
          return 12;
        }) == 0);
#endif
}

TEST_CASE("process: a signal removes what is unfinished, and ends the program", "[native]") {
  const TemporaryDirectory directory;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU}) {
    CHECK(status_of([&] {
            train::prepare_process();
            const train::OutputDirectory run(directory / "out/run");
            raise(signal);
            return 1;
          }) == -signal);
    CHECK_FALSE(model::file_exists(directory / "out"));
    CHECK(status_of([&] {
            std::signal(signal, SIG_IGN);
            train::prepare_process();
            raise(signal);
            return 7;
          }) == 7);
  }
}

TEST_CASE("process: the first signal is remembered, the second ends, but for notices", "[native]") {
  for (const int first : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU})
    for (const int second : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU})
      CHECK(status_of([&] {
              dup2(open("/dev/null", O_WRONLY), 2);
              train::catch_signals("saves", "last words");
              if (train::caught_signal() != 0) return 10;
              raise(first);
              if (train::caught_signal() != first) return 11;
              raise(second);
              usleep(1);  // ThreadSanitizer delivers it no later than here
              return train::caught_signal() == first ? 0 : 12;
            }) == (second == SIGUSR1 || second == SIGUSR2 || second == SIGXCPU ? 0 : 128 + second));
}

TEST_CASE("process: standard input may be as long as its limit and no longer", "[native]") {
  const auto read_with_limit = [](std::size_t limit) {
    return status_of([&] {
      int ends[2];
      if (pipe(ends) != 0 || write(ends[1], "0123456789", 10) != 10) return 10;
      dup2(ends[0], 0);
      close(ends[1]);
      try {
        return train::read_input(limit) == "0123456789" ? 0 : 11;
      } catch (const engine::Error& error) {
        return std::string(error.what()) == "standard input: a text of more than 9 bytes" ? 1 : 12;
      }
    });
  };
  CHECK(read_with_limit(10) == 0);
  CHECK(read_with_limit(9) == 1);
}

TEST_CASE("process: without a terminal the width is a usual one", "[native]") {
  CHECK(status_of([] {
          dup2(open("/dev/null", O_WRONLY), 2);
          return train::is_terminal(2) ? 0 : train::terminal_width();
        }) == 80);
}
