#include "engine/base/system.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
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

namespace {

// Of the group and all above it, up to the root of its hierarchy. In a container the path may be the
// one outside, of which only the root is seen inside: the container's own group.
void read_groups(const std::string& hierarchy, std::string path, GroupLimits& limits) {
  const auto lower = [](double& limit, double value) {
    if (value > 0) limit = std::min(limit, value);  // -1: no limit, in v1
  };
  for (;; path.resize(path.find_last_of('/'))) {
    const std::string group = hierarchy + path + '/';
    double quota = 0, period = 0, bytes = 0;
    if (std::ifstream(group + "cpu.max") >> quota >> period ||  // a word, max: no limit, in v2
        (std::ifstream(group + "cpu.cfs_quota_us") >> quota &&
         std::ifstream(group + "cpu.cfs_period_us") >> period))
      lower(limits.cpus, quota / period);
    if (std::ifstream(group + "memory.max") >> bytes ||
        std::ifstream(group + "memory.limit_in_bytes") >> bytes)
      lower(limits.memory, bytes);
    if (path.empty()) return;
  }
}

}  // namespace

GroupLimits read_group_limits(const std::string& root) {
  GroupLimits limits;
  std::ifstream groups(root + "/proc/self/cgroup");
  // 0::/path in v2; 4:cpu,cpuacct:/path in v1
  std::string number, kinds, path;
  while (std::getline(groups, number, ':') && std::getline(groups, kinds, ':') &&
         std::getline(groups, path)) {
    if (!path.starts_with('/')) continue;
    if (path == "/") path.clear();
    if (kinds.empty()) read_groups(root + "/sys/fs/cgroup", path, limits);
    for (const std::string kind : {"cpu", "memory"})
      if ((',' + kinds + ',').find(',' + kind + ',') != std::string::npos)
        read_groups(root + "/sys/fs/cgroup/" + kind, path, limits);
  }
  return limits;
}

const GroupLimits& group_limits() {
#ifdef __linux__
  static const GroupLimits limits = read_group_limits("");
#else
  static const GroupLimits limits;
#endif
  return limits;
}

int machine_cpus() { return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)); }

int available_cpus() {
#ifdef __linux__
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
    return std::clamp(
        static_cast<int>(std::min<double>(CPU_COUNT(&cpus), std::ceil(group_limits().cpus))), 1,
        256);
#endif
#ifdef __APPLE__
  // The fast cores only: work is split evenly, so all threads would wait for the slow cores.
  int fast = 0;
  std::size_t size = sizeof fast;
  if (sysctlbyname("hw.perflevel0.logicalcpu", &fast, &size, nullptr, 0) == 0 && fast > 0)
    return std::min(fast, 256);
#endif
  return std::clamp(machine_cpus(), 1, 256);
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
  return static_cast<std::size_t>(
      std::min({static_cast<double>(pages) * static_cast<double>(bytes), group_limits().memory,
                static_cast<double>(std::numeric_limits<std::size_t>::max())}));
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
