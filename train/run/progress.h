// The progress of a training run on standard error: plain lines for a log, and below them, on a
// terminal only, one live line that is overwritten again and again.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "train/loop/plan.h"
#include "train/loop/trainer.h"

namespace train {

class Progress {
 public:
  Progress(const Plan& plan, Index log_interval, double peak_flops);
  ~Progress() { clear(); }

  void updated(const Update& update);
  // Writes a plain line above the live line.
  void say(std::string_view line);
  // Erases the live line, before something else is written to the terminal.
  void clear();
  // Leaves the time since the last update, spent on an evaluation or a save, out of the speed.
  void restart_clock() { last_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  // Speed over the last updates: " 31,400 tokens/s, 62 % of peak, 1 min 12 s left".
  std::string speed(Index next_step) const;
  void draw(const Update& update);

  double tokens_per_step_, flops_per_step_, peak_flops_;
  Index max_iters_, log_interval_;
  bool terminal_, drawn_ = false;
  Clock::time_point last_, last_drawn_;
  double seconds_per_step_ = 0;  // running mean over some 50 steps
};

}  // namespace train
