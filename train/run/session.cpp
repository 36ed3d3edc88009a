#include "train/run/session.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <thread>

#include "train/record/run_directory.h"
#include "train/record/short_sample.h"
#include "train/run/budget.h"
#include "train/run/checkpoint.h"
#include "train/run/verdict.h"
#include "train/system/activity.h"
#include "train/system/process.h"

namespace train {

namespace {

// After `patience` evaluations in a row that are worse than the best one by `clear_difference`
// standard errors, the run says that it is overfitting. The best of many noisy evaluations is too
// low by two or three standard errors, and an error estimated from two batches is itself known only
// roughly.
constexpr Index patience = 3;
constexpr double clear_difference = 6;
// Evaluations may be far apart: a run is saved once after this time in any case.
constexpr std::chrono::seconds first_checkpoint(60);

}  // namespace

Session::Session(const RunFiles& files, const model::DirectoryLock& lock, Run& run,
                 const Corpus& corpus, const SessionOptions& options)
    : files_(files.directory, &lock),
      corpus_(corpus),
      run_(run),
      trainer_(run, corpus, options.processes),
      progress_(run.plan, options.log_interval, options.peak_flops, options.start_time,
                options.resumed || options.minutes < shortest_to_plan_again ? 0 : options.minutes,
                options.now),
      options_(options) {
  if (run.step == 0) return;
  in_directory([&] {
    recorder_.emplace(files_, run, run.info.record_interval, options.resumed, options.now);
  });
  saved_step_ = sampled_step_ = run.step;
}

// Until the first checkpoint is on the disk, an old run in the directory is unchanged. If the new
// run is killed just after that, it can be resumed from step 0, and then the rest of the old run is
// removed.
void Session::begin() {
  in_directory([&] {
    for (const std::string& line : keep_files_of_others(files_)) write_line(line);
  });
  save_checkpoint();
  in_directory([&] {
    remove_old_run(files_, options_.resumed);
    recorder_.emplace(files_, run_, run_.info.record_interval, options_.resumed, options_.now);
  });
}

// The directory may have been moved or removed, and another run may be in its place. The run
// continues wherever its directory is, or in a new one.
void Session::follow_directory() {
  const std::string before = files_.directory;
  const model::DirectoryLock* lock = files_.lock;
  std::string place = lock->place(before);
  if (place == before) return;
  const bool was_removed = place.empty();
  if (was_removed) {
    place = free_name(model::without_separators(before) + "_");
    lock = &other_directory_.emplace(place).lock();
  }
  files_ = RunFiles(place, lock);
  progress_.say(joined(printable(before), ": was ", was_removed ? "removed" : "moved",
                       " while the run wrote there; it continues in ", printable(place)));
  catch_signals();
}

// Calls write() where the directory is, and again if it was moved or removed meanwhile. The files in
// a directory are removed before it is, also the one that is being written: then its turn comes soon.
void Session::in_directory(const std::function<void()>& write) {
  for (int tries = 1;; ++tries) {
    follow_directory();
    try {
      return write();
    } catch (const model::SystemError& error) {
      if (files_.lock->place(files_.directory) != files_.directory) continue;
      if (error.code() != ENOENT || tries == 20) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
}

void Session::catch_signals() const {
  train::catch_signals(
      "gradus train: stops and saves after this step or evaluation; Ctrl-C again stops at once",
      joined("gradus train: stopped at once; to continue from the last checkpoint: ",
             resume_command()));
}

int Session::run() {
  catch_signals();
  if (run_.step == 0) begin();
  options_.session.step = run_.step;
  recorder_->start(options_.session);
  save_record();
  progress_.restart_clock();
  trainer_.run(*this);
  progress_.clear();
  if (run_.step >= run_.plan.max_iters && estimates_loss(run_.plan, corpus_)) {
    const Activity measuring("measuring the model on the whole validation text");
    in_directory([&] { measured_ = measure_kept_model(files_, run_.plan, corpus_); });
  }
  ignore_signals();
  return signal_;
}

void Session::check_output() const {
  if (output_error_) std::rethrow_exception(output_error_);
}

std::string Session::resume_command() const {
  return unbroken(joined(options_.processes.launcher(), options_.program, " train --resume ",
                         shell_quoted(files_.directory)));
}

void Session::evaluating() { progress_.evaluating(); }

void Session::evaluated(const Evaluation& e) {
  progress_.evaluated();
  try {  // a closed pipe is no error
    (void)write_output(joined("step ", e.step, ": train loss ", fixed_text(e.train_loss, 4),
                              ", val loss ", fixed_text(e.val_loss, 4), ", ",
                              fixed_text(corpus_.units().bits(e.val_loss), 4), " bits per ",
                              corpus_.units().unit(), e.step == 0 ? " (lower is better)\n" : "\n"));
  } catch (const model::SystemError&) {
    if (!output_error_) output_error_ = std::current_exception();
  }
  recorder_->evaluated(e);
  save_record();
  sum_of_squared_errors_ += e.val_error * e.val_error;
  const double error = std::sqrt(sum_of_squared_errors_ / static_cast<double>(++evaluations_));
  const bool above = e.val_loss > run_.best_val_loss + clear_difference * error;
  rising_ = above && overfits(best_row(run_, log()), log().back()) ? rising_ + 1 : 0;
  latest_ = e;
  best_unsaved_ = e.best;
  if (rising_ == patience)
    progress_.say(joined("validation loss has not fallen since step ", run_.best_step,
                         ": the model is overfitting; the model of that step is kept"));
  keep_to_minutes();
  progress_.restart_clock();
}

// If the machine has become busier or less busy, changes the length of a new run so that it still
// takes --minutes.
void Session::keep_to_minutes() {
  constexpr Index enough = 20;  // updates for a reliable speed
  Plan& plan = run_.plan;
  if (options_.resumed || replanned_ == 2 || progress_.updates() < enough) return;
  const std::chrono::duration<double> spent = options_.now() - options_.start_time;
  const Index before = plan.max_iters, length = length_in_time(plan, run_.step, progress_.speed(),
                                                               spent.count(), options_.minutes);
  if (length == before) return;
  ++replanned_;
  plan.max_iters = length;
  if (plan.lr_decay_iters == before) plan.lr_decay_iters = length;
  progress_.say(joined("at this speed, ", length, " updates (not ", before, ") fit into --minutes ",
                       short_text(options_.minutes)));
}

void Session::sample() {
  const Plan& plan = run_.plan;
  const double between = static_cast<double>(plan.sample_interval) *
                         static_cast<double>(plan.sequences_per_update() * plan.block_size);
  const std::string text = short_sample(run_.gpt, *run_.tokenizer, plan.seed, run_.step,
                                        sample_length(between, plan.causal));
  recorder_->sampled({run_.step, text});
  save_record();
  progress_.show_sample(text);
  sampled_step_ = run_.step;
  progress_.restart_clock();
}

void Session::updated(const Update& update) {
  recorder_->updated(update);
  progress_.updated(update);
}

bool Session::between_steps(bool evaluated) {
  const Plan& plan = run_.plan;
  const bool last = run_.step >= plan.max_iters;
  bool stops = false, saves = false;
  meet(run_, options_.processes, caught_signal(), [&](int caught) {
    signal_ = last ? 0 : caught;  // after the last update a run is done
    const Index samples = plan.sample_interval;
    if (samples > 0 && (run_.step % samples == 0 || last) && run_.step != sampled_step_) sample();
    const std::chrono::duration<double> spent = options_.now() - options_.start_time;
    const bool time_is_up =
        !last && options_.resumed && options_.minutes > 0 && spent.count() >= 60 * options_.minutes;
    stops = signal_ != 0 || time_is_up;
    bool interval = plan.save_interval > 0 && run_.step % plan.save_interval == 0;
    if (first_minute_ && spent > first_checkpoint) {
      first_minute_ = false;
      interval = true;
    }
    saves = (evaluated || interval || last || stops) && run_.step != saved_step_;
    return saves;
  });
  if (saves) save();
  if (!stops) return true;
  if (ignore_signals())
    progress_.say(joined(
        "stopped at step ", run_.step, " of ", plan.max_iters, "; to continue: ", resume_command(),
        std::isfinite(run_.best_val_loss) && run_.best_step < run_.step
            ? joined("; gradus sample uses the model of step ", run_.best_step, ", the best so far")
            : ""));
  return false;
}

void Session::save() {
  run_.check_finite();
  save_record();
  if (run_.step >= run_.plan.max_iters && !best_unsaved_ && !file_exists(files_.model)) {
    progress_.say(joined(printable(files_.model), ": the model of step ", run_.best_step,
                         ", the best so far, is missing; the last one is kept"));
    run_.best_step = run_.step;
    run_.best_val_loss = latest_.val_loss;
    best_unsaved_ = true;
  }
  if (best_unsaved_) {
    auto writer = model_file(run_, latest_.val_loss);
    in_directory([&] { files_.write(files_.model, writer.pieces(), files_.checkpoint); });
  }
  // At step 0 the checkpoint from the start of the run stays: a resumed run evaluates that step
  // again, so nothing of the first evaluation may be kept.
  if (run_.step > 0) save_checkpoint();
  best_unsaved_ = false;
  saved_step_ = run_.step;
  progress_.restart_clock();
}

void Session::save_record() {
  in_directory([&] { recorder_->save(); });
}

void Session::save_checkpoint() {
  auto writer = checkpoint_file(run_);
  in_directory([&] { files_.write(files_.checkpoint, writer.pieces()); });
}

}  // namespace train
