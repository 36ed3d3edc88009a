// Time as the program spends it: the clock stands still while the process is stopped (Ctrl-Z, kill
// -STOP, a frozen container) or the machine sleeps.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace train {

struct RunningClock {
  using time_point = std::chrono::steady_clock::time_point;
  static time_point now();  // without a PauseWatch, that of the steady clock
  using Now =
      time_point (*)();  // who asks for the time takes it as an argument: a test has its own
};

// Notices pauses while it lives, one at a time: a thread looks at the time ten times a second, and
// where two looks are more than a second apart, nobody could look.
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
