// What the machine has, or lets this process use of it, as messages say it.
#pragma once

#include <string>
#include <string_view>

namespace train {

// Throws Error unless `needed` bytes fit in memory:
// `WHAT about 9.3 GB of memory, this machine has 8.0 GB; ADVICE`.
void check_memory(double needed, std::string_view what, std::string_view advice);

// " (the control group allows 0.50 GB)" behind a lack of memory, where that is the limit; else empty.
std::string memory_limit();

// " (the control group allows 1.5 CPUs)" behind a number of threads, where that is a limit; else
// empty.
std::string cpu_limit();

}  // namespace train
