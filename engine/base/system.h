// What standard C++ has no word for, asked of the operating system (POSIX), for the engine.
#pragma once

#include <cstddef>

namespace engine {

// CPUs this process may run on (its affinity mask, not the machine's size); at least 1.
int available_cpus();

// The CPU this thread is on at the moment; -1 if the system does not say.
int current_cpu();
// If this thread is on that CPU and may use others, moves it to one of them.
void leave_cpu(int cpu);

// Asks for large pages behind [data, data + bytes): fewer page faults and TLB misses. A hint.
void advise_large_pages(void* data, std::size_t bytes);

// The machine's memory in bytes; 0 if the system does not say.
std::size_t total_memory();

// The most memory this process has had resident so far, in bytes; 0 if the system does not say.
std::size_t peak_memory();

}  // namespace engine
