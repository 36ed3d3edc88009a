#include "train/loop/trainer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "engine/tape.h"
#include "train/loop/evaluation.h"
#include "train/system/process.h"

namespace train {

Trainer::Trainer(Training& training, const Corpus& corpus, Processes processes)
    : training_(training),
      corpus_(corpus),
      processes_(processes),
      batch_(training.plan.batch_size, training.plan.block_size),
      shares_(training.parameters, processes),
      gradient_sum_(training.parameters, shares_, processes),
      losses_(engine::unsigned_size(training.plan.gradient_accumulation_steps)) {}

void Trainer::run(Listener& listener) {
  for (;;) {
    const bool last = training_.step >= training_.plan.max_iters;
    // A checkpoint is written after its step's evaluation, so a resumed run does not repeat it.
    const bool due = is_evaluated(training_.step) && training_.evaluated_step != training_.step;
    if (due) evaluate(listener);
    if (!goes_on(listener, due) || last) return;
    listener.updated(update(listener));
  }
}

void Trainer::run() {
  struct : Listener {
  } silent;
  run(silent);
}

// All processes do what process 0's listener says.
bool Trainer::goes_on(Listener& listener, bool evaluated) {
  const bool leads = processes_.rank == 0;
  const int signal = processes_.max(caught_signal());
  const Next next = processes_.broadcast(leads ? listener.next(evaluated, signal) : Next{});
  if (next.save) {
    gather_moments();
    training_.check_finite();
    if (leads) listener.save();
    Plan& plan = training_.plan;
    plan.max_iters = processes_.broadcast(plan.max_iters);
    plan.lr_decay_iters = processes_.broadcast(plan.lr_decay_iters);
  }
  return !next.stop;
}

// Whether an evaluation is due after `step` updates.
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
  // An evaluation at a step that is not a multiple of eval_interval is the last one. It changes
  // nothing that later updates depend on: a run that is extended has the weights of a longer one.
  const bool on_grid = training_.step % plan.eval_interval == 0;
  Evaluation result{.step = training_.step};
  if (plan.eval_iters > 0) {
    std::optional<engine::Generator> copy;
    engine::Generator& generator =
        on_grid ? training_.generator : copy.emplace(training_.generator);
    const auto loss = [&](Split split) {
      return random_batches_loss(training_.gpt, corpus_, split, plan.eval_iters, plan.batch_size,
                                 generator, processes_);
    };
    result.train_loss = loss(Split::train);
    result.val_loss = loss(Split::validation);
  } else {
    const auto loss = [&](Split split, Index windows) {
      return window_loss(training_.gpt, corpus_, split, plan.batch_size, windows, processes_).loss;
    };
    result.val_loss = loss(Split::validation, engine::ceil_div(plan.eval_tokens, plan.block_size));
    MeanLoss& updates = training_.since_evaluation;
    result.train_loss = updates.count > 0 ? updates.mean() : loss(Split::train, plan.batch_size);
    if (on_grid) updates = {};
  }
  training_.check_finite(result.val_loss + result.train_loss, "loss of the evaluation");
  return result;
}

// The loss of a micro-batch, the sequences of next_batch; adds its gradient.
double Trainer::micro_batch_loss(Index number) {
  const Plan& plan = training_.plan;
  corpus_.fill(Split::train, training_.next_batch, batch_);
  engine::Generator dropout_generator = training_.dropout_generator(number);
  engine::Tape tape;
  const engine::Tensor loss = training_.gpt.loss(batch_.ids, batch_.targets, batch_.B, batch_.T,
                                                 plan.dropout > 0 ? &dropout_generator : nullptr);
  // The sum over micro-batches is their mean.
  tape.backward(loss, 1 / static_cast<double>(plan.gradient_accumulation_steps));
  return static_cast<double>(loss.item());
}

// A training step: forward and backward of each micro-batch, then the optimizer's step. After each
// micro-batch the next one is drawn (next_batch holds its start positions; the first is drawn
// before the run begins). As in nanoGPT, that happens before an evaluation draws from the same
// generator, since the order of draws decides the bits. Every process draws all of them.
Update Trainer::update(Listener& listener) {
  const Plan& plan = training_.plan;
  const double rate = plan.learning_rate_at(training_.step);
  const Index N = plan.gradient_accumulation_steps, first = training_.step * N;
  const GradientSum::Share mine = GradientSum::share(N, processes_);
  const auto draw_after = [&](Index i) { training_.draw_batch(corpus_, first + i + 1); };
  std::ranges::fill(losses_, 0.0);
  for (Index i = 0; i < mine.begin; ++i) draw_after(i);
  gradient_sum_.over(N, [&](Index i) {
    engine::at(losses_, i) = micro_batch_loss(first + i);
    draw_after(i);
  });
  for (Index i = mine.end; i < N; ++i) draw_after(i);
  processes_.gather(losses_);
  double loss = 0;
  for (const double of_batch : losses_) loss += of_batch / static_cast<double>(N);
  training_.check_finite(loss, "loss");
  listener.differentiated();
  const double norm = training_.optimizer.step(rate, shares_.own());
  if (!processes_.alone())
    shares_.hand_out(std::isfinite(norm) ? training_.parameters.values()
                                         : training_.parameters.gradients());
  training_.check_finite(norm, "norm of the gradient");  // if it is not, nothing has changed
  training_.since_evaluation.sum += loss;
  ++training_.since_evaluation.count;
  return {training_.step++, loss, norm, rate};
}

// Afterwards each process has the moments of all parameters.
void Trainer::gather_moments() {
  if (processes_.alone()) return;
  const std::vector<nn::NamedParameter>& entries = training_.parameters.entries();
  engine::Buffer block(training_.parameters.size());
  for (engine::real* Optimizers::Moments::*moment :
       {&Optimizers::Moments::first, &Optimizers::Moments::second}) {
    const auto for_each_moment = [&](auto f) {
      for (std::size_t i = 0; i < entries.size(); ++i)
        if (engine::real* const values = training_.optimizer.moments()[i].*moment)
          f(values, block.data() + training_.parameters.offset(entries[i]),
            entries[i].tensor.size());
    };
    for_each_moment(
        [](engine::real* m, engine::real* place, Index n) { std::copy_n(m, n, place); });
    shares_.hand_out(block.data());
    for_each_moment(
        [](engine::real* m, engine::real* place, Index n) { std::copy_n(place, n, m); });
  }
}

}  // namespace train
