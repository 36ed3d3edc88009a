#include "engine/base/thread_pool.h"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "engine/base/cpu.h"
#include "engine/base/storage.h"
#include "tests/catch.h"
#include "tests/unit/engine/scoped_threads.h"
#ifdef __linux__
#include <sched.h>
#endif
#if __has_include(<sys/wait.h>)
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace engine;

TEST_CASE("parallel_for: every index exactly once, for any number of threads and any grain") {
  for (const int threads : {1, 2, 3, 8}) {
    const ScopedThreads scoped(threads);
    for (const Index n : {0, 1, 2, 3, 7, 64, 1000})
      for (const Index grain : {1, 2, 5, 64, 2000}) {
        std::vector<std::atomic<int>> visits(static_cast<std::size_t>(n));
        parallel_for(n, grain, [&](Index begin, Index end) {
          for (Index i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
        });
        INFO("threads " << threads << " n " << n << " grain " << grain);
        for (const auto& count : visits) REQUIRE(count == 1);
      }
  }
}

namespace {
// Destroyed at the end of the program, when a loop that a static object runs must still work.
const struct Last {
  ~Last() { set_thread_count(3), set_thread_count(1); }
} last;
}  // namespace

#if __has_include(<sys/wait.h>)
TEST_CASE("parallel_for: a child of fork has one thread, may start others, and ends", "[fork]") {
  const ScopedThreads four(4);
  const auto sum = [] {
    std::atomic<Index> total = 0;
    parallel_for(1000, 1, [&](Index begin, Index end) { total += end - begin; });
    return total.load();
  };
  CHECK(sum() == 1000);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    const bool right =
        thread_count() == 1 && sum() == 1000 && set_thread_count(3) == 3 && sum() == 1000;
    set_thread_count(1);  // ends the threads
    _exit(right ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(thread_count() == 4);
  CHECK(sum() == 1000);
}

TEST_CASE("pool: a child of fork has memory, whatever other threads do", "[fork]") {
  std::atomic<bool> ends = false;
  std::thread other([&] {
    while (!ends) pool::release(pool::allocate(64), 64);
  });
  int right = 0;
  for (int i = 0; i < 40; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);
      pool::release(pool::allocate(64), 64);
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    right += status == 0;
  }
  ends = true;
  other.join();
  CHECK(right == 40);
}
#endif

TEST_CASE("parallel_for: a loop inside a loop runs, an exception comes out, the pool goes on") {
  const ScopedThreads three(3);
  std::atomic<Index> sum = 0;
  parallel_for(10, 1, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      parallel_for(10, 1, [&](Index b, Index e) { sum += e - b; });
  });
  CHECK(sum == 100);
  CHECK_THROWS_AS(parallel_for(10, 1, [](Index, Index) { throw std::runtime_error("x"); }),
                  std::runtime_error);
  for (int round = 0; round < 2000; ++round) {
    sum = 0;
    parallel_for(10, 1, [&](Index begin, Index end) { sum += end - begin; });
    REQUIRE(sum == 10);
  }
}

TEST_CASE("parallel_for: a range a grain, four a thread at most, one for each if quarters allow") {
  struct Cut {
    Index n, grain, of_two_threads, of_four;
  };
  for (const auto& [n, grain, of_two_threads, of_four] :
       {Cut{9, 12, 1, 1}, Cut{12, 12, 1, 1}, Cut{13, 12, 2, 4}, Cut{9, 8, 2, 4}, Cut{9, 4, 3, 4},
        Cut{3, 2, 2, 3}, Cut{36, 12, 3, 4}, Cut{60, 12, 5, 5}, Cut{96, 12, 8, 8}, Cut{97, 12, 8, 9},
        Cut{400, 12, 8, 16}, Cut{1, 1, 1, 1}, Cut{2, 1, 2, 2}, Cut{3, 0, 3, 3}})
    for (const int threads : {1, 2, 4}) {
      const ScopedThreads scoped(threads);
      std::atomic<Index> ranges = 0;
      parallel_for(n, grain, [&](Index, Index) { ++ranges; });
      INFO("threads " << threads << " n " << n << " grain " << grain);
      CHECK(ranges == (threads == 1 ? 1 : threads == 2 ? of_two_threads : of_four));
    }
}

#ifdef __linux__
TEST_CASE("system: the CPUs of a process are those of its mask, each of them alone too") {
  cpu_set_t before;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  CpuSet all{};
  for (std::size_t cpu = 0; cpu < 64 * all.size(); ++cpu) {
    if (!CPU_ISSET(cpu, &before)) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    CpuSet expected{};
    expected[cpu / 64] = std::uint64_t(1) << cpu % 64;
    CHECK(cpus_of_process() == expected);
    CHECK(current_cpu() == static_cast<int>(cpu));
    CHECK(available_cpus() == 1);
    all[cpu / 64] |= expected[cpu / 64];
    REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
  }
  CHECK(cpus_of_process() == all);
}
#endif
