#include "train/loop/trainer.h"

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"
#include "engine/kernels/reduce.h"
#include "engine/tape.h"
#include "train/loop/evaluation.h"

namespace train {
namespace {

// With eval_iters 0 an evaluation reads at most this many tokens of each split.
constexpr Index evaluated_tokens = 200'000;

// A second generator for dropout: whether the model drops out must not change its batches.
std::uint64_t dropout_seed(std::uint64_t seed) { return seed ^ 0x64726f70; }

}  // namespace

Trainer::Trainer(model::GPT& gpt, const Corpus& corpus, const Plan& plan)
    : Trainer(gpt, corpus, plan,
              State{.generator = engine::Generator(plan.seed),
                    .dropout = engine::Generator(dropout_seed(plan.seed)),
                    .starts = {}}) {
  resumed_ = false;
  model::initialise(gpt_, state_.generator);
  state_.starts.resize(static_cast<std::size_t>(batch_.B));
  corpus_.draw(Split::train, batch_.T, state_.generator, state_.starts);
}

Trainer::Trainer(model::GPT& gpt, const Corpus& corpus, const Plan& plan, State state)
    : gpt_(gpt),
      corpus_(corpus),
      plan_(plan),
      parameters_(gpt),
      optimiser_(parameters_, plan.optimiser),
      state_(std::move(state)),
      batch_(plan.batch_size, plan.model.block_size),
      resumed_(true) {}

void Trainer::run(Listener& listener) {
  // A checkpoint is written after the evaluation of its step, so a resumed run does not repeat it.
  bool evaluation_done = resumed_ && state_.step % plan_.eval_interval == 0;
  for (;;) {
    const bool last = state_.step >= plan_.max_iters;
    const bool due = !evaluation_done && (state_.step % plan_.eval_interval == 0 || last);
    if (due) evaluate(listener);
    if (!listener.between_steps(due) || last) return;
    listener.updated(update());
    evaluation_done = false;
  }
}

void Trainer::evaluate(Listener& listener) {
  // A closing evaluation off the grid must leave no trace: a run that goes on later would not have
  // made it.
  const bool on_grid = state_.step % plan_.eval_interval == 0;
  State kept = state_;
  Evaluation result{state_.step, 0, 0, plan_.schedule.at(state_.step), 0, false};
  if (plan_.eval_iters > 0) {
    const auto loss = [&](Split split) {
      return random_batches_loss(gpt_, corpus_, split, plan_.eval_iters, plan_.batch_size,
                                 kept.generator);
    };
    result.train_loss = loss(Split::train).loss;
    const BatchesLoss val = loss(Split::validation);
    result.val_loss = val.loss;
    result.val_error = val.error;
  } else {
    const Index most = std::max<Index>(1, evaluated_tokens / plan_.model.block_size);
    const WindowLoss val = window_loss(gpt_, corpus_, Split::validation, plan_.batch_size, most);
    result.val_loss = val.loss;
    result.train_loss =
        window_loss(gpt_, corpus_, Split::train, plan_.batch_size, val.windows).loss;
  }
  check_finite(result.val_loss + result.train_loss, "loss of the evaluation");
  result.best = result.val_loss < state_.best_val_loss;
  if (result.best) {
    kept.best_val_loss = result.val_loss;
    kept.best_step = state_.step;
  }
  if (on_grid) state_ = std::move(kept);
  listener.evaluated(result);
}

Update Trainer::update() {
  const double rate = plan_.schedule.at(state_.step);
  const Index micro_steps = plan_.gradient_accumulation_steps;
  double loss = 0;
  for (Index i = 0; i < micro_steps; ++i) {
    corpus_.fill(Split::train, state_.starts, batch_);
    engine::Tape tape;
    const engine::Tensor batch_loss =
        gpt_.loss(batch_.ids, batch_.targets, batch_.B, batch_.T,
                  plan_.model.dropout > 0 ? &state_.dropout : nullptr);
    loss += static_cast<double>(batch_loss.item()) / static_cast<double>(micro_steps);
    corpus_.draw(Split::train, batch_.T, state_.generator, state_.starts);
    tape.backward(batch_loss, 1 / static_cast<double>(micro_steps));
  }
  check_finite(loss, "loss");
  const double norm = optimiser_.gradient_norm();
  check_finite(norm, "norm of the gradient");
  optimiser_.step(rate, norm);
  return {state_.step++, loss, norm, rate};
}

namespace {

[[noreturn]] void stop(Index step, const std::string& what) {
  engine::fail("step ", step, ": ", what,
               "; nothing was saved since the last checkpoint. A lower --learning_rate may help");
}

bool finite(const engine::Tensor& x) {
  return engine::kernels::parallel_all_finite(x.size(), x.data());
}

}  // namespace

void Trainer::check_sound() {
  using engine::kernels::parallel_all_finite;
  const Index n = parameters_.size();
  struct Block {
    const char* name;
    const engine::real* values;
  };
  const Block blocks[] = {{"weight ", parameters_.values()},
                          {"first moment of ", optimiser_.first_moment()},
                          {"second moment of ", optimiser_.second_moment()}};
  for (const Block& block : blocks) {
    if (parallel_all_finite(n, block.values)) continue;
    for (const auto& entry : parameters_.entries())
      if (!parallel_all_finite(entry.tensor.size(), block.values + entry.offset))
        stop(state_.step, engine::text("the ", block.name, entry.name, " is no longer finite"));
  }
}

void Trainer::check_finite(double value, const char* what) const {
  if (std::isfinite(value)) return;
  std::string where;
  for (const auto& entry : parameters_.entries()) {
    const bool weights = finite(entry.tensor);
    if (weights && finite(entry.tensor.gradient().value())) continue;
    where = engine::text("; the first tensor that is not finite is the ",
                         weights ? "gradient of " : "weight ", entry.name);
    break;
  }
  stop(state_.step, engine::text("the ", what, " is ", value, where));
}

}  // namespace train
