// Trains a run to its end or to a signal: listens to the trainer, reports evaluations and progress,
// and saves model, checkpoint and log in the run's directory.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "train/loop/trainer.h"
#include "train/record/recorder.h"
#include "train/record/run_files.h"
#include "train/run/kept_model.h"
#include "train/run/progress.h"
#include "train/run/run.h"
#include "train/system/directories.h"
#include "train/system/words.h"

namespace train {

// Options that only affect the reports and the end of a session.
struct SessionOptions {
  std::string program = "gradus";  // as the user calls it
  SessionRow session = {};         // without the time and the step
  Index log_interval = 1;
  double peak_flops = 1;  // see train/system/peak.h
  // When the program began, and --minutes; 0: no limit.
  std::chrono::steady_clock::time_point start_time = std::chrono::steady_clock::now();
  double minutes = 0;
  bool resumed = false;      // then it stops when the minutes are over
  Processes processes = {};  // that train together; this is process 0
};

class Session : private Trainer::Listener {
 public:
  // All references must outlive the session. lock: of the directory of the files. If that is moved
  // or removed, the run saves itself beside it and ends with an Error.
  Session(const RunFiles& files, const DirectoryLock& lock, Run& run, const Corpus& corpus,
          const SessionOptions& options);

  // Trains to the end or to a signal; returns the signal, or 0. A new run is saved at step 0, so
  // that it can be resumed from the start.
  int run();
  // The loss of the model that a finished run keeps.
  KeptLoss kept_loss() const { return measured_.value_or(KeptLoss{run_.best_val_loss}); }
  // Throws the error of a failed write to standard output, which did not stop the training.
  void check_output() const;
  const std::vector<LogRow>& log() const { return recorder_->log(); }  // what the run recorded
  const RunFiles& files() const { return files_; }

 private:
  void evaluating() override;
  void evaluated(const Evaluation& evaluation) override;
  void updated(const Update& update) override;
  Trainer::Next next(bool evaluated, int signal) override;
  void save() override;
  void begin();
  bool is_there() const { return lock_.is_at(files_.directory); }
  bool in_directory(const std::function<void()>& write) const;
  void replace(const std::string& path, std::span<const std::string_view> pieces) const;
  [[noreturn]] void save_elsewhere();
  void keep_to_minutes();
  void sample();
  void write();
  void save_record();
  void end();
  std::string resume_command(const std::string& directory) const;

  const RunFiles files_;
  const DirectoryLock& lock_;  // of their directory
  const Corpus& corpus_;
  Run& run_;
  Trainer trainer_;
  std::optional<Recorder> recorder_;  // set by begin
  Progress progress_;
  SessionOptions options_;
  std::optional<Evaluation> latest_;  // of this session
  bool best_unsaved_ = false;         // the latest evaluation is the best
  int replanned_ = 0;                 // how often --minutes changed the length
  Index saved_step_ = -1, sampled_step_ = -1;
  bool first_minute_ = true;  // the checkpoint after a minute is still to come
  bool stopped_ = false;      // by a signal, or after --minutes
  int signal_ = 0;
  std::optional<KeptLoss> measured_;
  std::exception_ptr output_error_;  // of a failed write to standard output
};

}  // namespace train
