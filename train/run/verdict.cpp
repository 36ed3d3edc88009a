#include "train/run/verdict.h"

#include <algorithm>

#include "engine/base/text.h"

namespace train {

using engine::counted;
using engine::fixed_text;
using engine::joined;

namespace {

// Losses within this share of each other count as equal: evaluations go up and down.
constexpr double noticeable = 0.01;

// With a validation loss this many times the training loss, the model knows its text by heart, or
// the validation text is of another kind.
constexpr double far_above = 1.5;

// With fewer updates a run was a trial.
constexpr Index few_updates = 100;

// The model's loss beside that of the best n-gram; empty if there are none.
std::string beside_ngrams(const Run& run, const TextUnits& units, bool& better) {
  const Ngrams& ngrams = run.facts.ngrams;
  better = true;
  if (!ngrams.counted()) return "";
  better = run.best_val_loss < ngrams.best_loss();
  const auto bits = [&](double loss) { return fixed_text(units.bits(loss), 4); };
  const std::string length = counted(ngrams.best_length(), ngrams.symbol);
  return better
             ? joined(
                   "At ", bits(run.best_val_loss), " bits per ", units.unit(),
                   ", the model predicts the validation text better than every n-gram (the best, "
                   "of ",
                   length, ": ", bits(ngrams.best_loss()), "). ")
             : joined("Counting still predicts the validation text better: n-grams of ", length,
                      " reach ", bits(ngrams.best_loss()), " bits per ", units.unit(),
                      ", the model ", bits(run.best_val_loss), ". ");
}

}  // namespace

bool overfits(const Evaluation& evaluation, double best_train_loss) {
  return evaluation.train_loss < best_train_loss * (1 - noticeable / 2);
}

std::string verdict(const Run& run, const Evaluation& last, double best_train_loss,
                    const TextUnits& units) {
  if (!run.plan.causal)
    return "The model sees the tokens it is to predict (causal false): its loss is not comparable "
           "with that of other models or n-grams.";
  if (run.best_val_loss == 0)
    return "The validation loss is 0: every token of the validation text is certain, and there is "
           "nothing more to learn.";
  const Index max_iters = run.plan.max_iters;
  bool better = true;
  const std::string comparison = beside_ngrams(run, units, better);
  if (max_iters < few_updates)
    return joined(comparison, counted(max_iters, "update"), max_iters == 1 ? " is" : " are",
                  " only a trial; --max_iters 1000 or --minutes 5 shows more.");
  if (run.best_step == 0)
    return "Nothing that was learned helps with the validation text, whose loss was lowest before "
           "training: is it a text of the same kind?";
  if (last.val_loss > run.best_val_loss * (1 + noticeable)) {
    const std::string since =
        joined(" after step ", run.best_step, " (validation loss ", fixed_text(last.val_loss, 4),
               " at the end), whose model is kept; ");
    if (overfits(last, best_train_loss))
      return joined(comparison, "It overfits", since, "more text, --dropout ",
                    engine::short_text(std::max(0.2, std::min(0.9, run.plan.dropout + 0.1))),
                    " or fewer updates, --max_iters ", run.best_step, ", may help.");
    return joined(comparison, "The loss rose", since, "--learning_rate ",
                  engine::short_text(run.plan.learning_rate / 2), " may help.");
  }
  if (last.val_loss > far_above * last.train_loss)
    return joined(
        comparison, "The training text is predicted far better (", fixed_text(last.train_loss, 4),
        "): the model knows it by heart, where more text helps, or the validation text is of "
        "another kind (--val_text takes one of the same).");
  if (last.val_loss > run.best_val_loss)
    return joined(comparison, "The loss has not fallen since step ", run.best_step,
                  "; more text or a larger model, --n_embd or --n_layer, may lower it further.");
  if (!better)
    return joined(comparison, "Training longer should help: a new run with --max_iters ",
                  2 * max_iters, ".");
  return joined(comparison, "A new run that is longer, --max_iters ", 2 * max_iters,
                ", or larger, --n_embd or --n_layer, may lower it further.");
}

}  // namespace train
