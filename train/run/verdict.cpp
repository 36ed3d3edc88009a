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
std::string beside_ngrams(const Run& run, bool& better) {
  better = true;
  if (run.facts.ngram_losses.empty()) return "";
  const auto best = std::ranges::min_element(run.facts.ngram_losses);
  const std::string tokens = counted(best - run.facts.ngram_losses.begin() + 1, "token");
  better = run.best_val_loss < *best;
  return better ? joined(
                      "The model predicts the validation text better than every n-gram (the best, "
                      "with ",
                      tokens, ": ", fixed_text(*best, 4), "). ")
                : joined("Counting still predicts the validation text better: n-grams of ", tokens,
                         " reach ", fixed_text(*best, 4), ". ");
}

}  // namespace

bool overfits(const Evaluation& evaluation, double best_train_loss) {
  return evaluation.train_loss < best_train_loss * (1 - noticeable / 2);
}

std::string verdict(const Run& run, const Evaluation& last, double best_train_loss) {
  if (!run.plan.causal)
    return "The model sees the tokens it is to predict (causal false): its loss is not comparable "
           "with that of other models or n-grams.";
  if (run.best_val_loss == 0)
    return "The validation loss is 0: every token of the validation text is certain, and there is "
           "nothing more to learn.";
  const Index max_iters = run.plan.max_iters;
  bool better = true;
  const std::string comparison = beside_ngrams(run, better);
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
