// The memory and CPUs of the machine, or the limits of this process, for messages.
#pragma once

#include <string>
#include <string_view>

namespace train {

// Throws Error unless `needed` bytes fit in memory:
// `WHAT about 9.3 GB of memory, this machine has 8.0 GB; ADVICE`.
void check_memory(double needed, std::string_view what, std::string_view advice);

// " (the control group allows 0.50 GB)" for a message about memory, if that is the limit; else
// empty.
std::string memory_limit();

// " (the control group allows 1.5 CPUs)" for a message about threads, if that is the limit; else
// empty.
std::string cpu_limit();

}  // namespace train
