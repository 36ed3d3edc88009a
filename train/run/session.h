// A training run and its directory: OUT_DIR/model.safetensors (the best so far),
// checkpoint.safetensors (to go on from), log.csv. Session listens to the trainer, reports, saves,
// and stops on a signal.
#pragma once

#include <exception>
#include <optional>
#include <string>

#include "train/loop/trainer.h"
#include "train/run/checkpoint.h"
#include "train/run/progress.h"
#include "train/system/files.h"

namespace train {

struct RunFiles {
  explicit RunFiles(const std::string& directory_)
      : directory(directory_),
        model(directory_ + "/model.safetensors"),
        checkpoint(directory_ + "/checkpoint.safetensors"),
        log(directory_ + "/log.csv") {}
  std::string directory, model, checkpoint, log;
};

class Session : private Trainer::Listener {
 public:
  // A new run, or one that goes on, whose log has log_bytes bytes. All references must outlive it.
  Session(const RunFiles& files, Trainer& trainer, model::GPT& gpt,
          const model::Tokenizer& tokenizer, const Plan& plan, const RunFacts& facts,
          Index log_interval, Index log_bytes = 0);

  // The lowest validation loss so far, and after how many updates it was.
  double best_loss() const { return best_loss_; }
  Index best_step() const { return best_step_; }
  // Trains to the end or to a signal; returns the signal, or 0. What standard output does not take is
  // no reason to stop: all is saved before its error is thrown.
  int run();

 private:
  void evaluated(const Evaluation& evaluation) override;
  void updated(const Update& update) override;
  bool between_steps(bool evaluated) override;
  void save();
  std::optional<model::GPT> earlier_best() const;

  const RunFiles& files_;
  Trainer& trainer_;
  model::GPT& gpt_;
  const model::Tokenizer& tokenizer_;
  const Plan& plan_;
  const RunFacts& facts_;
  AppendFile log_;
  Progress progress_;
  Evaluation latest_{};
  bool best_unsaved_ = false;  // the latest evaluation is the best
  double best_loss_;           // of all evaluations, those off the grid too
  Index best_step_;
  double squared_errors_ = 0;  // of evaluated_ validation losses, summed
  Index evaluated_ = 0;
  Index rising_ = 0;     // evaluations in a row that were clearly above the best one
  Index log_bytes_ = 0;  // of log.csv without a closing evaluation off the grid
  Index saved_step_ = -1;
  int signal_ = 0;
  std::exception_ptr unwritten_;  // why standard output did not take what was written to it, if so
};

}  // namespace train
