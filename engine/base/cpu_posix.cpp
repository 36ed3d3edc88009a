#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cstddef>
#include <cstdint>

#include <algorithm>
#include <cmath>
#ifdef __linux__
#include <sched.h>
#endif
#ifdef __APPLE__
#include <sys/sysctl.h>
#endif

#include "engine/base/control_groups.h"
#include "engine/base/cpu.h"
#include "engine/base/index.h"

namespace engine {

int machine_cpus() { return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)); }

CpuSet cpus_of_process() {
  CpuSet cpus{};
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (std::size_t cpu = 0; cpu < 64 * cpus.size(); ++cpu)
      if (CPU_ISSET(cpu, &set)) cpus[cpu / 64] |= std::uint64_t(1) << cpu % 64;
#endif
  return cpus;
}

int available_cpus() {
#ifdef __linux__
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
    return std::clamp(
        static_cast<int>(std::min<double>(CPU_COUNT(&cpus), std::ceil(group_limits().cpus))), 1,
        max_threads);
#endif
#ifdef __APPLE__
  // The fast cores only: work is split evenly, so all threads would wait for the slow cores.
  int fast = 0;
  std::size_t size = sizeof fast;
  if (sysctlbyname("hw.perflevel0.logicalcpu", &fast, &size, nullptr, 0) == 0 && fast > 0)
    return std::min(fast, max_threads);
#endif
  return std::clamp(machine_cpus(), 1, max_threads);
}

int current_cpu() {
#ifdef __linux__
  return sched_getcpu();
#else
  return -1;
#endif
}

void leave_cpu([[maybe_unused]] int cpu) {
#ifdef __linux__
  cpu_set_t all;
  if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getcpu() != cpu ||
      sched_getaffinity(0, sizeof all, &all) != 0)
    return;
  cpu_set_t others = all;
  CPU_CLR(unsigned_size(cpu), &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
  sched_setaffinity(0, sizeof all, &all);  // the thread has moved; restore its affinity
#endif
}

std::size_t l2_cache() {
#ifdef __APPLE__
  std::size_t bytes = 0, size = sizeof bytes;
  return sysctlbyname("hw.l2cachesize", &bytes, &size, nullptr, 0) == 0 ? bytes : 0;
#elif defined(_SC_LEVEL2_CACHE_SIZE)
  return static_cast<std::size_t>(std::max(sysconf(_SC_LEVEL2_CACHE_SIZE), 0L));
#else
  return 0;
#endif
}

void around_fork(void (*before)(), void (*after)(), void (*in_child)()) {
  pthread_atfork(before, after, in_child);
}

void advise_large_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t page = 4096;
  const auto begin = round_up(reinterpret_cast<std::uintptr_t>(data), page);
  const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace engine
