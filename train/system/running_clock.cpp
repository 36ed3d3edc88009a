#include "train/system/running_clock.h"

#include <optional>
#include <system_error>

namespace train {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr steady_clock::duration between_looks = 100ms, pause = 1s;

std::mutex mutex;
constinit std::optional<steady_clock::time_point> last_look;  // none: no watch is running
constinit steady_clock::duration paused{};

}  // namespace

// Every call also looks for a pause, so one counts even if the thread has not looked since.
RunningClock::time_point RunningClock::now() {
  const std::lock_guard lock(mutex);
  const time_point now = steady_clock::now();
  if (last_look) {
    if (now - *last_look > pause) paused += now - *last_look - between_looks;
    last_look = now;
  }
  return now - paused;
}

PauseWatch::PauseWatch() {
  try {
    thread_ = std::thread([this] {
      std::unique_lock lock(mutex_);
      while (!over_.wait_for(lock, between_looks, [this] { return is_over_; })) RunningClock::now();
    });
  } catch (const std::system_error&) {
    return;  // without a thread, pauses count as time
  }
  const std::lock_guard lock(mutex);
  last_look = steady_clock::now();
}

PauseWatch::~PauseWatch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  over_.notify_one();
  thread_.join();
  const std::lock_guard lock(mutex);
  last_look.reset();
}

}  // namespace train
