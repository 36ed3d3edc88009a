// The progress of a training run on standard error: plain lines for a log and, on a terminal only,
// one live line below them that is overwritten.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "train/loop/plan.h"
#include "train/loop/trainer.h"
#include "train/run/budget.h"
#include "train/system/activity.h"
#include "train/system/words.h"

namespace train {

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // The plan must outlive it. start, minutes: when the program began, and --minutes or 0.
  // now: for tests.
  Progress(const Plan& plan, Index log_interval, double peak_flops, Clock::time_point start,
           double minutes, Clock::time_point (*now)() = Clock::now);
  ~Progress() { clear(); }

  void updated(const Update& update);
  // Writes a plain line above the live line.
  void say(std::string_view line);
  // On a terminal, a sample of what the model writes, indented.
  void show_sample(std::string_view text);
  // Erases the live line, before something else is written to the terminal.
  void clear();
  // Adds the time since the last update, spent on a save or a sample, to the last evaluation's
  // time.
  void restart_clock();
  // Seconds for an update and an evaluation, measured so far; not reliable after few updates.
  Speed speed() const { return {seconds_per_step_, seconds_per_evaluation_}; }
  Index updates() const { return updates_; }
  // Seconds since the start, without pauses.
  double spent() const { return std::chrono::duration<double>(now_() - start_).count(); }
  // An evaluation begins, and has ended: shows a live line in between, and includes its time in the
  // time left.
  void evaluating();
  void evaluated();

 private:
  // Seconds since the last update, evaluation or save. Far more than usual are a pause (Ctrl-Z, a
  // machine that slept): it is not counted, neither for what went on, where the usual seconds are
  // returned, nor for the run.
  double since_last(double usual);
  // "1 min 12 s left", evaluations included, and by how much the run exceeds --minutes.
  std::string time_left(Index next_step) const;
  void draw(const Update& update);

  const Plan& plan_;
  double peak_flops_;
  Index log_interval_;
  Clock::time_point start_;
  double minutes_;
  Clock::time_point (*now_)();
  bool terminal_, drawn_ = false;
  Clock::time_point last_, last_drawn_;
  Index updates_ = 0;
  MeanLoss since_drawn_;
  double seconds_per_step_ = 0;        // running mean over some 50 steps
  double seconds_per_evaluation_ = 0;  // of the last one, with later saves
  bool has_evaluated_ = false;
  std::optional<Activity> evaluation_;
};

}  // namespace train
