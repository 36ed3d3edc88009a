#include "train/run/progress.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "train/system/process.h"

namespace train {

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

}  // namespace

Progress::Progress(const Plan& plan, Index log_interval, double peak_flops, Clock::time_point start,
                   double minutes, Clock::time_point (*now)())
    : plan_(plan),
      peak_flops_(peak_flops),
      log_interval_(log_interval),
      start_(start),
      minutes_(minutes),
      now_(now),
      terminal_(has_live_line()),
      last_(now()) {}

double Progress::since_last(double usual) {
  const Clock::time_point now = now_(), last = std::exchange(last_, now);
  const double seconds = std::chrono::duration<double>(now - last).count();
  if (seconds <= 60 + 2 * usual) return seconds;
  start_ += now - last;
  say(joined("a pause of ", duration_text(seconds), " is not counted"));
  return usual;
}

void Progress::updated(const Update& update) {
  const double seconds = since_last(updates_ > 0 ? seconds_per_step_ : unknown);
  // The first update takes memory from the system and is slow: it counts only until the second.
  since_drawn_.sum += update.loss;
  ++since_drawn_.count;
  const Index weight = std::clamp<Index>(updates_++, 1, 50);
  seconds_per_step_ += (seconds - seconds_per_step_) / static_cast<double>(weight);
  if (update.step % log_interval_ == 0)
    say(joined("iter ", update.step, ": loss ", fixed_text(update.loss, 4), ", ",
               speed_text(plan_, seconds_per_step_, peak_flops_), ", ",
               time_left(update.step + 1)));
  if (terminal_ && last_ - last_drawn_ > std::chrono::milliseconds(100)) draw(update);
}

std::string Progress::time_left(Index next_step) const {
  const double left = seconds_left(plan_, next_step, speed());
  // The first updates are slow: judged by them, every run would be late.
  return duration_text(left) + " left" + (updates_ < 5 ? "" : overrun(spent() + left, minutes_));
}

// On a narrow terminal parts are left out: first the speed, then the number of steps.
void Progress::draw(const Update& update) {
  const auto width = static_cast<std::size_t>(terminal_width());
  const std::string step = joined("step ", update.step + 1),
                    loss = "loss " + fixed_text(since_drawn_.mean(), 4),
                    left = time_left(update.step + 1);
  std::string line = joined(step, " of ", plan_.max_iters, ", ", loss, ", ",
                            speed_text(plan_, seconds_per_step_, peak_flops_), ", ", left);
  if (line.size() >= width) line = joined(step, " of ", plan_.max_iters, ", ", loss, ", ", left);
  if (line.size() >= width) line = joined(step, ", ", loss, ", ", left);
  if (line.size() >= width) line.resize(width - 1);
  write_message("\r\033[K" + line);
  since_drawn_ = {};
  drawn_ = true;
  last_drawn_ = last_;
}

void Progress::evaluating() {
  since_last(0);
  evaluation_.emplace("evaluating", seconds_per_evaluation_);
}

void Progress::evaluated() {
  evaluation_.reset();
  clear();
  seconds_per_evaluation_ =
      since_last(std::exchange(has_evaluated_, true) ? seconds_per_evaluation_ : unknown);
}

void Progress::restart_clock() { seconds_per_evaluation_ += since_last(0); }

void Progress::say(std::string_view line) {
  clear();
  write_line(line);
}

void Progress::show_sample(std::string_view text) {
  if (!terminal_) return;
  clear();
  std::string lines = "  ";
  for (const char c : model::printable_lines(text)) lines += c == '\n' ? "\n  " : std::string(1, c);
  write_message(lines + "\n");
}

void Progress::clear() {
  if (drawn_) write_message("\r\033[K");
  drawn_ = false;
}

}  // namespace train
