// The benchmarks' clock.
#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace bench {

// Of this process's CPU time if `cpu_time` is set, else of the clock on the wall. On a machine that
// others use at the same time the former is what one thread can still be judged by.
inline bool cpu_time = false;
inline double seconds() {
  if (cpu_time) {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Body>
double time_of(Body&& body) {
  const double start = seconds();
  body();
  return seconds() - start;
}

inline double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size();
  return (samples[(n - 1) / 2] + samples[n / 2]) / 2;
}

}  // namespace bench
