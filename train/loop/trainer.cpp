#include "train/loop/trainer.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "engine/kernels/reduce.h"
#include "engine/tape.h"
#include "train/loop/evaluation.h"

namespace train {
namespace {

bool finite(const engine::Tensor& x) {
  return engine::kernels::parallel_all_finite(x.size(), x.data());
}

}  // namespace

Trainer::Trainer(Training& training, const Corpus& corpus)
    : training_(training),
      corpus_(corpus),
      batch_(training.plan.batch_size, training.plan.block_size) {}

void Trainer::run(Listener& listener) {
  for (;;) {
    const bool last = training_.step >= training_.plan.max_iters;
    // A checkpoint is written after its step's evaluation, so a resumed run does not repeat that.
    const bool due = is_evaluated(training_.step) && training_.evaluated_step != training_.step;
    if (due) evaluate(listener);
    if (!listener.between_steps(due) || last) return;
    listener.updated(update(listener));
  }
}

// Whether an evaluation is due after so many updates.
bool Trainer::is_evaluated(Index step) const {
  return step % training_.plan.eval_interval == 0 || step >= training_.plan.max_iters;
}

void Trainer::evaluate(Listener& listener) {
  listener.evaluating();
  Evaluation result = losses();
  training_.evaluated_step = training_.step;
  result.best = training_.is_worth_keeping() && result.val_loss < training_.best_val_loss;
  if (result.best) {
    training_.best_val_loss = result.val_loss;
    training_.best_step = training_.step;
  }
  listener.evaluated(result);
}

Evaluation Trainer::losses() {
  const Plan& plan = training_.plan;
  // An evaluation at a step that is no multiple of eval_interval is the last. It leaves no trace,
  // so a run that is continued goes on as if it had never stopped.
  const bool on_grid = training_.step % plan.eval_interval == 0;
  Evaluation result{training_.step, 0, 0, plan.learning_rate_at(training_.step), 0, false};
  if (plan.eval_iters > 0) {
    std::optional<engine::Generator> copy;
    engine::Generator& generator =
        on_grid ? training_.generator : copy.emplace(training_.generator);
    const auto loss = [&](Split split) {
      return random_batches_loss(training_.gpt, corpus_, split, plan.eval_iters, plan.batch_size,
                                 generator);
    };
    result.train_loss = loss(Split::train).loss;
    const BatchesLoss val = loss(Split::validation);
    result.val_loss = val.loss;
    result.val_error = val.error;
  } else {
    const auto loss = [&](Split split, Index windows) {
      return window_loss(training_.gpt, corpus_, split, plan.batch_size, windows).loss;
    };
    result.val_loss = loss(Split::validation, engine::ceil_div(plan.eval_tokens, plan.block_size));
    MeanLoss& updates = training_.since_evaluation;
    result.train_loss = updates.count > 0 ? updates.mean() : loss(Split::train, plan.batch_size);
    if (on_grid) updates = {};
  }
  check_finite(result.val_loss + result.train_loss, "loss of the evaluation");
  return result;
}

// A training step: forward and backward of each micro-batch, then the optimizer's step. On the way
// the next batch is drawn (next_batch holds its start positions; the first is drawn before the run
// begins), the listener is told that gradients are there (it may look at them), and the training
// loss is added up.
Update Trainer::update(Listener& listener) {
  const Plan& plan = training_.plan;
  const double rate = plan.learning_rate_at(training_.step);
  const auto micro_steps = static_cast<double>(plan.gradient_accumulation_steps);
  double loss = 0;
  for (Index i = 0; i < plan.gradient_accumulation_steps; ++i) {
    corpus_.fill(Split::train, training_.next_batch, batch_);
    engine::Tape tape;
    const engine::Tensor batch_loss =
        training_.gpt.loss(batch_.ids, batch_.targets, batch_.B, batch_.T,
                           plan.dropout > 0 ? &training_.dropout_generator : nullptr);
    loss += static_cast<double>(batch_loss.item()) / micro_steps;
    // Drawn here as in nanoGPT, before an evaluation draws from the same generator: the order of draws
    // decides the bits. (Backward draws nothing.)
    training_.draw_batch(corpus_, training_.step * plan.gradient_accumulation_steps + i + 1);
    tape.backward(batch_loss, 1 / micro_steps);  // the sum over micro-batches is their mean
  }
  check_finite(loss, "loss");
  listener.differentiated();
  const double norm = training_.optimizer.step(rate);
  check_finite(norm, "norm of the gradient");  // if it is not, nothing has changed
  training_.since_evaluation.sum += loss;
  ++training_.since_evaluation.count;
  return {training_.step++, loss, norm, rate};
}

void Trainer::check_finite(double value, const char* name) const {
  if (std::isfinite(value)) return;
  std::string where;
  for (const auto& entry : training_.parameters.entries()) {
    const bool weights = finite(entry.tensor);
    if (weights && finite(entry.tensor.gradient().value())) continue;
    where = joined("; the first tensor that is not finite is the ",
                   weights ? "gradient of " : "weight ", entry.name);
    break;
  }
  stop_training(training_.step, joined("the ", name, " is ", value, where));
}

}  // namespace train
