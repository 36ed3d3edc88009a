// A live line for work that takes a while and prints nothing else: "counting n-grams, 3 s". On a
// terminal it appears after a second, is updated every second and erased at the end; in a log or
// pipe it is a line after 20 seconds, 40, 80, ...
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace train {

class Activity {
 public:
  // Nothing else may write to the terminal while it lives. expected_seconds: shown beside the
  // elapsed time; 0: not known.
  explicit Activity(const char* what, double expected_seconds = 0);
  ~Activity();
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

  static const char* interrupted();  // the activity that the latest exception ended; null: none

 private:
  void show();  // the thread

  const char* const what_;
  const int exceptions_;  // uncaught exceptions when it began
  const double expected_seconds_;
  const std::chrono::steady_clock::time_point start_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread thread_;
};

// f(), shown as an activity meanwhile.
auto with_activity(const char* what, auto f) {
  const Activity activity(what);
  return f();
}

}  // namespace train
