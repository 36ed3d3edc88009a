// Calls of the operating system for the engine: CPUs, their cache, large pages, a hook for fork.
// One source for POSIX, cpu_posix.cpp, and one for Windows, cpu_windows.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace engine {

// The number of CPUs that this process may use at once: those in its affinity mask (on a Mac, the
// fast cores only), but no more than its control group allows (control_groups.h), rounded up; in
// 1..max_threads.
int available_cpus();
inline constexpr int max_threads = 256;
// The number of CPUs of the machine, whether or not this process may run on them.
int machine_cpus();
// The CPUs that this process may run on, one bit each; no bits if the system does not say.
using CpuSet = std::array<std::uint64_t, 16>;
CpuSet cpus_of_process();

// The CPU this thread is running on; -1 if unknown.
int current_cpu();
// Moves this thread off that CPU if it is running there and may run on others.
void leave_cpu(int cpu);

// The L2 cache of a core in bytes; 0 if unknown.
std::size_t l2_cache();

// From now on, fork calls before(), then after() in the parent and in_child() in the child, which
// has only the thread that called fork. Windows has no fork.
void around_fork(void (*before)(), void (*after)(), void (*in_child)());

// Asks for large pages for [data, data + bytes): fewer page faults and TLB misses. A hint.
void advise_large_pages(void* data, std::size_t bytes);

}  // namespace engine
