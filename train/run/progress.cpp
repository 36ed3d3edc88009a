#include "train/run/progress.h"

#include <cmath>
#include <cstdio>

#include "engine/base/check.h"
#include "train/system/process.h"

namespace train {

using engine::count_text;
using engine::duration_text;
using engine::fixed_text;

Progress::Progress(const Plan& plan, Index log_interval, double peak_flops)
    : tokens_per_step_(static_cast<double>(plan.sequences_per_update() * plan.block_size)),
      flops_per_step_(plan.update_flops()),
      peak_flops_(peak_flops),
      max_iters_(plan.max_iters),
      log_interval_(log_interval),
      terminal_(is_terminal(2)),
      last_(Clock::now()) {}

void Progress::updated(const Update& update) {
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - last_).count();
  last_ = now;
  seconds_per_step_ =
      seconds_per_step_ == 0 ? seconds : seconds_per_step_ + (seconds - seconds_per_step_) / 50;
  if (update.step % log_interval_ == 0)
    say(engine::joined("iter ", update.step, ": loss ", fixed_text(update.loss, 4), ",",
                       speed(update.step + 1)));
  if (terminal_ && now - last_drawn_ > std::chrono::milliseconds(100)) draw(update);
}

std::string Progress::speed(Index next_step) const {
  const auto per_second = static_cast<Index>(tokens_per_step_ / seconds_per_step_);
  const double share = flops_per_step_ / seconds_per_step_ / peak_flops_;
  return engine::joined(
      " ", count_text(per_second), " tokens/s, ", fixed_text(100 * share, 0), " % of peak, ",
      duration_text(seconds_per_step_ * static_cast<double>(max_iters_ - next_step)), " left");
}

void Progress::draw(const Update& update) {
  std::string line = engine::joined("step ", update.step + 1, " of ", max_iters_, ", loss ",
                                    fixed_text(update.loss, 4), ",", speed(update.step + 1));
  const auto width = static_cast<std::size_t>(terminal_width());
  if (line.size() >= width) line.resize(width - 1);
  write_message("\r\033[K" + line);
  drawn_ = true;
  last_drawn_ = last_;
}

void Progress::say(std::string_view line) {
  clear();
  write_line(line);
}

void Progress::clear() {
  if (drawn_) write_message("\r\033[K");
  drawn_ = false;
}

}  // namespace train
