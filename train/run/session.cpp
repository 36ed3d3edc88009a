#include "train/run/session.h"

#include <cmath>

#include "engine/base/check.h"
#include "engine/base/number.h"
#include "engine/base/system.h"
#include "model/format/fields.h"
#include "train/system/process.h"

namespace train {
namespace {

constexpr std::string_view log_header = "step,train_loss,val_loss,learning_rate\n";

// After so many evaluations in a row above the best one, by so many standard errors, the run says
// that it is overfitting. The best of many noisy evaluations is too good by two or three of them,
// and what is estimated from two batches each is no more than roughly known.
constexpr Index patience = 3;
constexpr double clearly = 6;

}  // namespace

Session::Session(const RunFiles& files, Trainer& trainer, model::GPT& gpt,
                 const model::Tokenizer& tokenizer, const Plan& plan, const RunFacts& facts,
                 Index log_interval, Index log_bytes)
    : files_(files),
      trainer_(trainer),
      gpt_(gpt),
      tokenizer_(tokenizer),
      plan_(plan),
      facts_(facts),
      log_(files.log, log_bytes),
      progress_(plan, log_interval),
      best_loss_(trainer.state().best_val_loss),
      best_step_(trainer.state().best_step) {
  if (log_bytes == 0) log_.append(log_header);
  log_bytes_ = log_.size();
  if (trainer.state().step > 0) saved_step_ = trainer.state().step;
}

int Session::run() {
  progress_.restart_clock();
  trainer_.run(*this);
  progress_.clear();
  if (unwritten_) std::rethrow_exception(unwritten_);
  return signal_;
}

void Session::evaluated(const Evaluation& e) {
  progress_.clear();
  try {  // a reader that has gone is no error at all
    (void)write_output(engine::text("step ", e.step, ": train loss ", fixed_text(e.train_loss, 4),
                                    ", val loss ", fixed_text(e.val_loss, 4), "\n"));
  } catch (const SystemError&) {
    if (!unwritten_) unwritten_ = std::current_exception();
  }
  log_.append(engine::text(e.step, ",", engine::number_text(e.train_loss), ",",
                           engine::number_text(e.val_loss), ",",
                           engine::number_text(e.learning_rate), "\n"));
  if (e.step % plan_.eval_interval == 0) log_bytes_ = log_.size();
  squared_errors_ += e.val_error * e.val_error;
  const double noise = std::sqrt(squared_errors_ / static_cast<double>(++evaluated_));
  rising_ = e.val_loss > best_loss_ + clearly * noise ? rising_ + 1 : 0;
  latest_ = e;
  best_unsaved_ = e.best && e.step > 0;
  if (e.val_loss < best_loss_) {
    best_loss_ = e.val_loss;
    best_step_ = e.step;
  }
  if (rising_ == patience)
    progress_.say(engine::text("validation loss has not fallen since step ", best_step_,
                               ": the model is overfitting; the one of that step is kept"));
  progress_.restart_clock();
}

void Session::updated(const Update& update) { progress_.updated(update); }

bool Session::between_steps(bool evaluated) {
  const Index step = trainer_.state().step;
  const bool last = step >= plan_.max_iters;
  signal_ = caught_signal();
  const bool interval = plan_.save_interval > 0 && step % plan_.save_interval == 0;
  if ((step > 0 && (evaluated || interval)) || last || signal_ != 0)
    if (step != saved_step_) save();
  if (signal_ == 0) return true;
  if (!last)
    progress_.say(engine::text("stopped at step ", step, " of ", plan_.max_iters,
                               "; to go on: gradus train --resume ", files_.directory));
  return false;
}

void Session::save() {
  trainer_.check_sound();
  const Trainer::State& state = trainer_.state();
  const bool last = state.step >= plan_.max_iters;
  const bool none_was_best = state.best_step == 0 || !file_exists(files_.model);
  const auto save_model = [&] {
    auto writer = model_file(gpt_, tokenizer_, plan_, facts_, state.step, latest_.val_loss);
    write_file(files_.model, writer.pieces());
  };
  const auto save_checkpoint = [&](Closing* closing) {
    auto writer = checkpoint_file(gpt_, tokenizer_, plan_, facts_, trainer_, log_bytes_, closing);
    write_file(files_.checkpoint, writer.pieces());
  };
  if (best_unsaved_ && state.step % plan_.eval_interval != 0) {
    // The checkpoint first: when it is there, the model file can be made again, old or new.
    Closing closing{latest_.val_loss, earlier_best()};
    save_checkpoint(&closing);
    save_model();
  } else {
    if (best_unsaved_ || (last && none_was_best)) save_model();
    save_checkpoint(nullptr);
  }
  best_unsaved_ = false;
  saved_step_ = state.step;
  progress_.restart_clock();
}

// What model.safetensors holds, if that is the best model of the evaluations on the grid.
std::optional<model::GPT> Session::earlier_best() const {
  const Index best_step = trainer_.state().best_step;
  if (best_step == 0 || !file_exists(files_.model)) return std::nullopt;
  try {
    const std::string bytes = read_file(files_.model, largest_file());
    model::LoadedModel model = model::load_model(model::SafetensorsFile(bytes));
    if (model::metadata_value<Index>(model.metadata, "step") == best_step)
      return std::move(model.gpt);
  } catch (const engine::Error&) {  // no longer a model: nothing to keep
  }
  return std::nullopt;
}

}  // namespace train
