// What the engine asks of the operating system: CPUs, their cache, large pages, and to be told of fork.
// Two sources: cpu_posix.cpp, cpu_windows.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace engine {

// CPUs this process may use at once: those it may run on (its affinity mask, not the machine's size;
// on a Mac, the fast cores only), but no more than its group (control_groups.h) has time for, rounded
// up; at least 1.
int available_cpus();
// The machine's, whether this process may run on them or not.
int machine_cpus();
// Those that this process may run on, as bits; none if the system does not say.
using CpuSet = std::array<std::uint64_t, 16>;
CpuSet cpus_of_process();

// The CPU this thread is running on; -1 if unknown.
int current_cpu();
// Moves this thread off that CPU if it is running there and may run on others.
void leave_cpu(int cpu);

// The L2 cache of a core in bytes; 0 if unknown.
std::size_t l2_cache();

// Calls prepare() in every child that fork makes from now on, where no thread is but the one that called
// fork. Windows has no fork.
void in_every_child(void (*prepare)());

// Asks for large pages behind [data, data + bytes): fewer page faults and TLB misses. A hint.
void advise_large_pages(void* data, std::size_t bytes);

}  // namespace engine
