// An answer may never end, or crash: then a line says so, in place of the grade.
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>

#include "tests/exercises/grader/grader.h"

namespace exercises {
namespace {

struct Ending {
  int signal;
  std::string text;  // the whole line
};
// Never destroyed: what an answer has done to memory may show as late as at exit.
std::vector<Ending>& endings = *new std::vector<Ending>;

// Only calls that a signal handler may make: write and _exit.
void say_and_exit(int signal) {
  for (const Ending& ending : endings)
    if (ending.signal == signal && write(1, ending.text.data(), ending.text.size()) < 0) break;
  _exit(1);
}

}  // namespace

void guard(const std::string& exercise, int seconds) {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // _exit would forget lines that are not yet out
  const char* const memory =
      " has crashed: does it write past the end, say through .data, or call itself without end?\n";
  endings = {
      {SIGPROF, engine::joined(exercise, " has not ended after ", seconds,
                               " s: is there an endless loop?\n")},
      {SIGSEGV, exercise + memory},
      {SIGBUS, exercise + memory},
      {SIGFPE, exercise + " has crashed: does it divide an integer by 0?\n"},
      {SIGABRT, exercise + " has been aborted: is there an exception that nothing catches, or "
                           "memory written past its end?\n"}};

  // The handler has its own stack, since infinite recursion may have filled the usual one.
  static char stack[1 << 16];
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_handler = say_and_exit;
  action.sa_flags = SA_ONSTACK;
  for (const Ending& ending : endings) sigaction(ending.signal, &action, nullptr);

  // Seconds of CPU time, so that a debugger may stop the program for as long as it likes.
  itimerval timer = {};
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

}  // namespace exercises
