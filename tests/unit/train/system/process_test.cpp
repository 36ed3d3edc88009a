// Streams and signals, tried out in child processes.
#include "train/system/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

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
