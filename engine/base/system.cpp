#include "engine/base/system.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#ifdef __linux__
#include <sched.h>
#endif
#ifdef __APPLE__
#include <sys/sysctl.h>
#endif

#include "engine/base/index.h"

namespace engine {

int available_cpus() {
#ifdef __linux__
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) return std::clamp(CPU_COUNT(&cpus), 1, 256);
#endif
#ifdef __APPLE__
  // The fast cores only: work is split evenly, so all threads would wait for the slow cores.
  int fast = 0;
  std::size_t size = sizeof fast;
  if (sysctlbyname("hw.perflevel0.logicalcpu", &fast, &size, nullptr, 0) == 0 && fast > 0)
    return std::min(fast, 256);
#endif
  return static_cast<int>(std::clamp(sysconf(_SC_NPROCESSORS_ONLN), 1L, 256L));
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

void advise_large_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t page = 4096;
  const auto begin = round_up(reinterpret_cast<std::uintptr_t>(data), page);
  const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

std::size_t total_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || bytes <= 0) return 0;
  return static_cast<std::size_t>(std::min(std::uint64_t(pages) * std::uint64_t(bytes),
                                           std::uint64_t{std::numeric_limits<std::size_t>::max()}));
}

std::size_t peak_memory() {
#ifdef __linux__
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:"))
      return unsigned_size(std::strtoull(line.c_str() + 6, nullptr, 10) * 1024);
#endif
  // Without /proc. This peak survives exec: it may belong to the program that started this one.
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#ifdef __APPLE__
  return unsigned_size(usage.ru_maxrss);
#else
  return unsigned_size(usage.ru_maxrss) * 1024;
#endif
}

}  // namespace engine
