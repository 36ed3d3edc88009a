// How processes of one machine share its CPUs, and the messages about it. (What they train
// together: tests/mpi.)
#include "train/program/together.h"

#include <algorithm>

#include "tests/catch.h"
#include "tests/unit/engine/scoped_threads.h"

using namespace train;

TEST_CASE("together: threads for which there is a CPU, a thread for each process at least") {
  for (const int processes : {1, 2, 3, 4})
    for (const int cpus : {1, 2, 3, 4, 7, 8})
      for (const int threads : {1, 2, 3}) {
        INFO(processes << " processes, " << cpus << " CPUs, " << threads << " threads each");
        const Processes all{.count = processes, .on_this_machine = processes, .cpus_here = cpus};
        const bool too_many = processes > 1 && processes * threads > cpus;
        CHECK(all.running(threads) ==
              (processes == 1 ? threads : std::min(processes * threads, cpus)));
        const ScopedThreads scoped(threads);
        Notes notes;
        note_sharing(all, notes);
        CHECK(notes.waiting() == (too_many
                                      ? std::vector{joined(processes, " processes, each of ",
                                                           counted(threads, "thread"),
                                                           ", share the ", counted(cpus, "CPU"),
                                                           " of this machine: fewer are as fast")}
                                      : std::vector<std::string>()));
        share_threads(all);
        CHECK(engine::thread_count() == (too_many ? std::max(1, cpus / processes) : threads));
      }
}
