#include "train/run/verdict.h"

#include <algorithm>

#include "engine/base/text.h"

namespace train {

using engine::counted;
using engine::fixed_text;
using engine::joined;

namespace {

// Losses within this distance count as equal: evaluations are estimates.
constexpr double noticeable = 0.01;

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

bool overfits(const Run& run, const Evaluation& evaluation) {
  return evaluation.train_loss < run.best_val_loss;
}

std::string verdict(const Run& run, const Evaluation& last) {
  bool better = true;
  const std::string comparison = beside_ngrams(run, better);
  const Index max_iters = run.plan.max_iters;
  const bool rose = run.best_step < max_iters && last.val_loss > run.best_val_loss + noticeable;
  const std::string from_step = joined("after step ", run.best_step, " (validation loss ",
                                       fixed_text(last.val_loss, 4), " at the end)");
  if (max_iters < few_updates)
    return joined(comparison, counted(max_iters, "update"), max_iters == 1 ? " is" : " are",
                  " only a trial; --max_iters 1000 or --minutes 5 shows more.");
  if (rose && overfits(run, last))
    return joined(comparison, "It overfits ", from_step, "; more text, --dropout 0.2",
                  run.plan.dropout > 0 ? " or more" : "", ", or --max_iters ",
                  std::max<Index>(run.best_step, 1), " may help.");
  if (rose)
    return joined(comparison, "Both losses rose ", from_step, "; --learning_rate ",
                  engine::short_text(run.plan.learning_rate / 2), " may help.");
  if (!better)
    return joined(comparison, "Training longer, --max_iters ", 2 * max_iters,
                  " or --minutes, should help.");
  return joined(comparison,
                "Training longer or a larger model, --n_embd or --n_layer, may lower it further.");
}

}  // namespace train
