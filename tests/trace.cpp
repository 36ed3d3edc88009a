// Linked by make mutants into programs that it compiles with -fsanitize-coverage=trace-pc: notes which
// places of a program are reached, and writes them at its end, as offsets from its beginning, into the
// file $TRACE_PROGRAM.PID. Processes that a signal ends write nothing.
#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

extern "C" char __executable_start, etext;

namespace {

const auto code_size = static_cast<std::size_t>(&etext - &__executable_start);
// A byte for each of the code; more than one thread may set the same.
char* const reached = static_cast<char*>(std::calloc(1, code_size));

struct AtEnd {
  ~AtEnd() {
    const char* const name = std::getenv("TRACE");
    if (name == nullptr || reached == nullptr) return;
    rlimit size;  // of a file: tests of a full disk lower the soft limit (ulimit -S)
    getrlimit(RLIMIT_FSIZE, &size);
    size.rlim_cur = size.rlim_max;
    setrlimit(RLIMIT_FSIZE, &size);
    char path[1000];
    std::snprintf(path, sizeof path, "%s_%s.%d", name, program_invocation_short_name,
                  static_cast<int>(getpid()));
    std::FILE* const file = std::fopen(path, "w");
    if (file == nullptr) return;
    for (std::size_t at = 0; at < code_size; ++at)
      if (reached[at] != 0) std::fprintf(file, "%zx\n", at);
    std::fclose(file);
  }
} at_end;

}  // namespace

// Called at the beginning of each basic block.
extern "C" void __sanitizer_cov_trace_pc() {
  if (reached != nullptr)
    reached[static_cast<char*>(__builtin_return_address(0)) - &__executable_start] = 1;
}
