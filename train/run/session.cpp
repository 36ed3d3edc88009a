#include "train/run/session.h"

#include <cerrno>
#include <cmath>
#include <limits>

#include "train/record/run_directory.h"
#include "train/record/short_sample.h"
#include "train/run/budget.h"
#include "train/run/checkpoint.h"
#include "train/run/verdict.h"
#include "train/system/activity.h"
#include "train/system/process.h"

namespace train {

namespace {

// Evaluations may be far apart: a run is saved once after these seconds in any case.
constexpr double first_checkpoint = 60;

}  // namespace

Session::Session(const RunFiles& files, const DirectoryLock& lock, Run& run, const Corpus& corpus,
                 const SessionOptions& options)
    : files_(files),
      lock_(lock),
      corpus_(corpus),
      run_(run),
      trainer_(run, corpus, options.processes),
      progress_(run.plan, options.log_interval, options.peak_flops, options.start_time,
                options.resumed || options.minutes < shortest_to_plan_again ? 0 : options.minutes),
      options_(options) {}

// Until the first checkpoint of a new run is on the disk, an old run in the directory is unchanged.
// If the new run is killed just after that, it can be resumed from step 0, and then the rest of the
// old run is removed.
void Session::begin() {
  const auto write_checkpoint = [&] {
    for (const std::string& line : keep_files_of_others(files_)) write_line(line);
    replace(files_.checkpoint, checkpoint_file(run_).pieces());
  };
  const bool begun = (run_.step > 0 || in_directory(write_checkpoint)) && in_directory([&] {
                       if (run_.step == 0) remove_old_run(files_, options_.resumed);
                       recorder_.emplace(files_, run_, run_.info.record_interval, options_.resumed);
                     });
  if (!begun) save_elsewhere();
  if (run_.step > 0) saved_step_ = sampled_step_ = run_.step;
}

// Calls write() if the directory is the one that is locked: it may have been moved or removed, and
// another run may be in its place, also since the file before, which took milliseconds. False if it
// is another, or is being removed.
bool Session::in_directory(const std::function<void()>& write) const {
  try {
    if (!is_there()) return false;
    write();
    return true;
  } catch (const model::SystemError& error) {
    if (error.code() != ENOENT && is_there()) throw;
    return false;
  }
}

// Replaces a file of the directory. A temporary file that was made in another run's directory is
// not put in place; one that was moved away with ours cannot be.
void Session::replace(const std::string& path, std::span<const std::string_view> pieces) const {
  model::replace_file(path, pieces, files_.checkpoint, [&] { return is_there(); });
}

// What the run has learned is saved once, under a free name beside its directory, and it ends.
void Session::save_elsewhere() {
  const RunFiles files(free_name(model::without_separators(files_.directory) + "_"));
  const OutputDirectory directory(files.directory);
  std::optional<double> loss;
  if (latest_ && latest_->step == run_.step) loss = latest_->val_loss;
  if (!best_unsaved_) {  // the best model was in the other directory
    run_.best_step = run_.step;
    run_.best_val_loss = loss.value_or(std::numeric_limits<double>::infinity());
  }
  model::replace_file(files.model, model_file(run_, loss).pieces());
  model::replace_file(files.checkpoint, checkpoint_file(run_).pieces());
  fail(printable(files_.directory), ": was moved or removed while the run wrote there; its step ",
       run_.step, " is saved in ", printable(files.directory),
       "; to continue: ", resume_command(files.directory));
}

int Session::run() {
  catch_signals(
      "gradus train: stops and saves after this step or evaluation; Ctrl-C again stops at once",
      joined("gradus train: stopped at once; to continue from the last checkpoint: ",
             resume_command(files_.directory)));
  begin();
  options_.session.step = run_.step;
  recorder_->start(options_.session);
  save_record();
  progress_.restart_clock();
  trainer_.run(*this);
  progress_.clear();
  if (run_.step >= run_.plan.max_iters) end();
  if (ignore_signals() && stopped_)
    progress_.say(joined(
        "stopped at step ", run_.step, " of ", run_.plan.max_iters,
        "; to continue: ", resume_command(files_.directory),
        std::isfinite(run_.best_val_loss) && run_.best_step < run_.step &&
                has_model_of(files_, run_.best_step)
            ? joined("; gradus sample uses the model of step ", run_.best_step, ", the best so far")
            : ""));
  return signal_;
}

void Session::end() {
  if (!has_model_of(files_, run_.best_step)) {
    progress_.say(
        joined(printable(files_.model), ": the model of step ", run_.best_step,
               ", the best so far, is missing or damaged; the checkpoint has the last one"));
  } else if (estimates_loss(run_.plan, corpus_)) {
    const Activity measuring("measuring the model on the whole validation text");
    measured_ = measure_kept_model(files_, run_.plan, corpus_);
  }
}

void Session::check_output() const {
  if (output_error_) std::rethrow_exception(output_error_);
}

std::string Session::resume_command(const std::string& directory) const {
  return unbroken(joined(options_.processes.launcher(), options_.program, " train --resume ",
                         shell_quoted(directory)));
}

void Session::evaluating() { progress_.evaluating(); }

void Session::evaluated(const Evaluation& e) {
  progress_.evaluated();
  const std::string best =
      e.best || !std::isfinite(run_.best_val_loss)
          ? ""
          : joined(", best ", fixed_text(run_.best_val_loss, 4), " at step ", run_.best_step);
  try {  // a closed pipe is no error
    (void)write_output(joined(
        "step ", e.step, ": train loss ", fixed_text(e.train_loss, 4), ", val loss ",
        fixed_text(e.val_loss, 4), ", ", fixed_text(corpus_.units().bits(e.val_loss), 4),
        " bits per ", corpus_.units().unit(), e.step == 0 ? " (lower is better)" : "", best, "\n"));
  } catch (const model::SystemError&) {
    if (!output_error_) output_error_ = std::current_exception();
  }
  recorder_->evaluated(e);
  save_record();
  latest_ = e;
  best_unsaved_ = e.best;
  progress_.restart_clock();
}

// If the machine has become busier or less busy, changes the length of a new run so that it still
// takes --minutes.
void Session::keep_to_minutes() {
  constexpr Index enough = 20;  // updates for a reliable speed
  Plan& plan = run_.plan;
  if (options_.resumed || replanned_ == 2 || progress_.updates() < enough) return;
  const Index before = plan.max_iters, length = length_in_time(plan, run_.step, progress_.speed(),
                                                               progress_.spent(), options_.minutes);
  if (length == before) return;
  ++replanned_;
  plan.max_iters = length;
  if (plan.lr_decay_iters == before) plan.lr_decay_iters = length;
  progress_.say(joined("at this speed, ", length, " updates (not ", before, ") fit into --minutes ",
                       short_text(options_.minutes)));
  write();
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

Trainer::Next Session::next(bool evaluated, int signal) {
  const Plan& plan = run_.plan;
  const bool last = run_.step >= plan.max_iters;
  signal_ = last ? 0 : signal;  // after the last update a run is done
  const Index samples = plan.sample_interval;
  if (samples > 0 && (run_.step % samples == 0 || last) && run_.step != sampled_step_) sample();
  const double spent = progress_.spent();
  const bool time_is_up =
      !last && options_.resumed && options_.minutes > 0 && spent >= 60 * options_.minutes;
  stopped_ = signal_ != 0 || time_is_up;
  bool interval = plan.save_interval > 0 && run_.step % plan.save_interval == 0;
  if (first_minute_ && run_.step > 0 && spent > first_checkpoint) {
    first_minute_ = false;
    interval = true;
  }
  return {(evaluated || interval || last || stopped_) && run_.step != saved_step_, stopped_};
}

// After an evaluation, the time of the save counts for --minutes, too.
void Session::save() {
  const bool evaluated = latest_ && latest_->step == run_.step;
  write();
  if (evaluated && !stopped_) keep_to_minutes();
}

void Session::write() {
  save_record();
  const auto write_model = [&] {
    if (best_unsaved_) replace(files_.model, model_file(run_, latest_->val_loss).pieces());
  };
  // At step 0 the checkpoint from the start of the run stays: a resumed run evaluates that step
  // again, so nothing of the first evaluation may be kept.
  const auto write_checkpoint = [&] {
    if (run_.step > 0) replace(files_.checkpoint, checkpoint_file(run_).pieces());
  };
  if (!in_directory(write_model) || !in_directory(write_checkpoint)) save_elsewhere();
  best_unsaved_ = false;
  saved_step_ = run_.step;
  progress_.restart_clock();
}

void Session::save_record() {
  in_directory([&] {
    for (const std::string& line : recorder_->save([&] { return is_there(); })) progress_.say(line);
  });
}

}  // namespace train
