// Queries and hints to the operating system (POSIX) that standard C++ lacks.
#pragma once

#include <cstddef>

namespace engine {

// CPUs this process may run on (its affinity mask, not the machine's size; on a Mac, the fast cores
// only); at least 1.
int available_cpus();

// The CPU this thread is running on; -1 if unknown.
int current_cpu();
// Moves this thread off that CPU if it is running there and may run on others.
void leave_cpu(int cpu);

// Asks for large pages behind [data, data + bytes): fewer page faults and TLB misses. A hint.
void advise_large_pages(void* data, std::size_t bytes);

// The machine's memory in bytes; 0 if unknown.
std::size_t total_memory();

// The peak resident memory of this process so far, in bytes; 0 if unknown.
std::size_t peak_memory();

}  // namespace engine
