#include "train/run/verdict.h"

#include <algorithm>

#include "engine/base/text.h"

namespace train {

using engine::fixed_text;
using engine::joined;

namespace {

// Losses within this distance count as equal: evaluations are estimates.
constexpr double noticeable = 0.01;

// The model's loss beside that of the best n-gram; empty if there are none.
std::string beside_ngrams(const Run& run, bool& better) {
  better = true;
  if (run.facts.ngram_losses.empty()) return "";
  const auto best = std::ranges::min_element(run.facts.ngram_losses);
  const auto length = best - run.facts.ngram_losses.begin() + 1;
  better = run.best_val_loss < *best;
  return better ? joined(
                      "The model predicts the validation text better than every n-gram (the best, "
                      "with ",
                      length, " tokens: ", fixed_text(*best, 4), ").")
                : joined("Counting still predicts the validation text better: n-grams of ", length,
                         " tokens reach ", fixed_text(*best, 4), ".");
}

}  // namespace

std::string verdict(const Run& run, double last_val_loss) {
  bool better = true;
  const std::string comparison = beside_ngrams(run, better);
  const Index max_iters = run.plan.max_iters;
  std::string advice;
  if (run.best_step < max_iters && last_val_loss > run.best_val_loss + noticeable)
    advice = joined("It overfits after step ", run.best_step, " (validation loss ",
                    fixed_text(last_val_loss, 4), " at the end); more text, --dropout 0.2",
                    run.plan.dropout > 0 ? " or more" : "", ", or --max_iters ",
                    std::max<Index>(run.best_step, 1), " may help.");
  else if (!better)
    advice = joined("Training longer, --max_iters ", 2 * max_iters, " or --minutes, should help.");
  else
    advice = "Training longer or a larger model, --n_embd or --n_layer, may lower it further.";
  return comparison.empty() ? advice : comparison + ' ' + advice;
}

}  // namespace train
