#include "train/system/activity.h"

#include <exception>
#include <string>
#include <system_error>

#include "train/system/process.h"
#include "train/system/words.h"

namespace train {

namespace {

const char* ended_by_exception = nullptr;

}  // namespace

const char* Activity::interrupted() { return ended_by_exception; }

Activity::Activity(const char* what, double expected_seconds)
    : what_(what),
      exceptions_(std::uncaught_exceptions()),
      expected_seconds_(expected_seconds),
      start_(std::chrono::steady_clock::now()) {
  try {
    thread_ = std::thread([this] { show(); });
  } catch (const std::system_error&) {
    // If no thread can be started, the work continues without the line.
  }
}

Activity::~Activity() {
  if (std::uncaught_exceptions() > exceptions_) ended_by_exception = what_;
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  over_.notify_one();
  thread_.join();
}

void Activity::show() {
  using namespace std::chrono_literals;
  const bool is_live = has_live_line();
  bool shown = false;
  std::unique_lock lock(mutex_);
  for (auto next = is_live ? 1s : 20s;
       !over_.wait_until(lock, start_ + next, [&] { return is_over_; });
       next = is_live ? next + 1s : 2 * next) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    std::string line = joined(what_, ", ", duration_text(passed.count()));
    if (expected_seconds_ > 0) line += " of about " + duration_text(expected_seconds_);
    if (!is_live) {
      write_line(line);
      continue;
    }
    const auto width = static_cast<std::size_t>(terminal_width());
    if (line.size() >= width) line.resize(width - 1);
    write_message("\r\033[K" + line);
    shown = true;
  }
  if (shown) write_message("\r\033[K");
}

}  // namespace train
