#include "train/run/progress.h"

#include <cmath>
#include <cstdio>

#include "engine/base/check.h"
#include "train/system/peak.h"
#include "train/system/process.h"

namespace train {

std::string duration_text(double seconds) {
  const auto total = static_cast<Index>(std::llround(std::fmax(seconds, 0)));
  if (total < 100) return engine::text(total, " s");
  if (total < 3600) return engine::text(total / 60, " min ", total % 60, " s");
  return engine::text(total / 3600, " h ", total / 60 % 60, " min");
}

std::string count_text(Index count) {
  std::string text = std::to_string(count);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

std::string fixed_text(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

Progress::Progress(const Plan& plan, Index log_interval)
    : max_iters_(plan.max_iters),
      log_interval_(log_interval),
      terminal_(is_terminal(2)),
      last_(Clock::now()) {
  const Index sequences = plan.batch_size * plan.gradient_accumulation_steps;
  tokens_per_step_ = static_cast<double>(sequences * plan.model.block_size);
  flops_per_step_ = plan.model.step_flops(sequences, plan.model.block_size);
  peak_ = engine::kernels::measure_peak_flops();
}

void Progress::updated(const Update& update) {
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - last_).count();
  last_ = now;
  seconds_per_step_ =
      seconds_per_step_ == 0 ? seconds : seconds_per_step_ + (seconds - seconds_per_step_) / 50;
  if (update.step % log_interval_ == 0)
    say(engine::text("iter ", update.step, ": loss ", fixed_text(update.loss, 4), ",",
                     speed(update.step + 1)));
  if (terminal_ && now - last_drawn_ > std::chrono::milliseconds(100)) draw(update);
}

std::string Progress::speed(Index next_step) const {
  const auto per_second = static_cast<Index>(tokens_per_step_ / seconds_per_step_);
  const double share = flops_per_step_ / seconds_per_step_ / peak_;
  return engine::text(
      " ", count_text(per_second), " tokens/s, ", fixed_text(100 * share, 0), " % of peak, ",
      duration_text(seconds_per_step_ * static_cast<double>(max_iters_ - next_step)), " left");
}

void Progress::draw(const Update& update) {
  std::string line = engine::text("step ", update.step + 1, " of ", max_iters_, ", loss ",
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
