// The time that the program runs: the clock stops while the process is stopped (Ctrl-Z, kill -STOP,
// a frozen container) or the machine sleeps.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace train {

struct RunningClock {
  using time_point = std::chrono::steady_clock::time_point;
  static time_point now();       // without a PauseWatch, the steady clock's time
  using Now = time_point (*)();  // passed as an argument, so tests can replace it
};

// Notices pauses while it lives; there may be one at a time. A thread reads the time ten times a
// second; if two readings are more than a second apart, the process was paused.
class PauseWatch {
 public:
  PauseWatch();
  ~PauseWatch();
  PauseWatch(const PauseWatch&) = delete;
  PauseWatch& operator=(const PauseWatch&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace train
