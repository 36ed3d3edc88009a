// Queries and hints to the operating system (POSIX) that standard C++ lacks.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

namespace engine {

// What the control groups of this process let it use: Linux's way of giving a container, a job or a
// service a part of the machine. The least of what its own group and each group above it have; no
// more than `none` if they say nothing.
struct GroupLimits {
  static constexpr double none = std::numeric_limits<double>::infinity();
  double cpus = none;    // 1.5: 150 ms of every 100 ms, over all threads
  double memory = none;  // in bytes
};
const GroupLimits& group_limits();
// The same from the files below `root`: proc/self/cgroup and those in sys/fs/cgroup, of cgroup v2 and
// v1 (one hierarchy for each kind of limit), where systems and containers have them by convention.
GroupLimits read_group_limits(const std::string& root);

// CPUs this process may use at once: those it may run on (its affinity mask, not the machine's size;
// on a Mac, the fast cores only), but no more than its group has time for, rounded up; at least 1.
int available_cpus();
// The machine's, whether this process may run on them or not.
int machine_cpus();

// The CPU this thread is running on; -1 if unknown.
int current_cpu();
// Moves this thread off that CPU if it is running there and may run on others.
void leave_cpu(int cpu);

// Asks for large pages behind [data, data + bytes): fewer page faults and TLB misses. A hint.
void advise_large_pages(void* data, std::size_t bytes);

// The machine's memory in bytes, or what the process's group may use of it; 0 if unknown.
std::size_t total_memory();

// The peak resident memory of this process so far, in bytes; 0 if unknown.
std::size_t peak_memory();

}  // namespace engine
