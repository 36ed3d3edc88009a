#include "train/run/verdict.h"

#include <algorithm>

#include "train/system/words.h"

namespace train {

namespace {

// Losses within this share of each other count as equal: evaluations go up and down.
constexpr double noticeable = 0.01;

// With a validation loss this many times the training loss, the model has memorized its text, or
// the validation text is of another kind.
constexpr double far_above = 1.5;

// A run with fewer updates was only a trial.
constexpr Index few_updates = 100;

// Compares the model's loss with the best n-gram's; empty if there are none.
std::string beside_ngrams(double loss, const Ngrams& ngrams, const TextUnits& units) {
  if (!ngrams.counted()) return "";
  const auto bits = [&](double nats) { return fixed_text(units.bits(nats), 4); };
  const std::string length = counted(ngrams.best_length(), ngrams.symbol);
  return loss < ngrams.best_loss()
             ? joined(
                   "At ", bits(loss), " bits per ", units.unit(),
                   ", the model predicts the validation text better than every n-gram (the best, "
                   "of ",
                   length, ": ", bits(ngrams.best_loss()), "). ")
             : joined("Counting still predicts the validation text better: n-grams of ", length,
                      " reach ", bits(ngrams.best_loss()), " bits per ", units.unit(),
                      ", the model ", bits(loss), ". ");
}

}  // namespace

LogRow best_row(const Training& training, std::span<const LogRow> log) {
  const auto is_best = [&](const LogRow& row) {
    return row.step == training.best_step && row.val_loss.has_value();
  };
  const auto row = std::ranges::find_if(log, is_best);
  if (row != log.end()) return *row;
  return {training.best_step, {}, {}, {}, {}, training.best_val_loss};
}

bool overfits(const LogRow& best, const LogRow& evaluation) {
  return !best.train_loss || *evaluation.train_loss < *best.train_loss * (1 - noticeable / 2);
}

namespace {

Verdict advised(const std::string& found, const std::string& advice, const Change& change) {
  return {found + advice, change, found.size()};
}

Change lower_rate_than(const Plan& plan, int times) {
  return {"learning_rate", short_text(plan.learning_rate / times)};
}

// For a run that ended above its best loss.
Verdict on_risen_loss(const Plan& plan, const std::string& comparison, const LogRow& best,
                      const LogRow& last, const TextUnits& units) {
  const std::string since =
      joined(" after step ", best.step, " (", fixed_text(units.bits(*last.val_loss), 4),
             " bits per ", units.unit(), " at the end); the model of that step is kept; ");
  if (overfits(best, last)) {
    const Change dropout{"dropout", short_text(std::max(0.2, std::min(0.9, plan.dropout + 0.1)))};
    return advised(joined(comparison, "It overfits", since),
                   joined("more text, ", dropout.text(), " or fewer updates, --max_iters ",
                          best.step, ", may help."),
                   dropout);
  }
  const Change lower_rate = lower_rate_than(plan, 2);
  return advised(joined(comparison, "The loss rose", since), lower_rate.text() + " may help.",
                 lower_rate);
}

}  // namespace

Verdict verdict(const Plan& plan, const Ngrams& ngrams, double kept_loss, const LogRow& best,
                std::span<const LogRow> evaluations, const TextUnits& units, double minutes) {
  const LogRow &first = evaluations.front(), &last = evaluations.back();
  if (!plan.causal)
    return {
        "The model sees the tokens that it predicts (causal false): its loss cannot be compared "
        "with the loss of other models or n-grams.",
        {}};
  if (plan.learning_rate == 0 && plan.max_iters > 0)
    return {"With a learning rate of 0 nothing was learned.", {}};
  const double lowest = *best.val_loss, loss = *last.val_loss, train_loss = *last.train_loss;
  if (lowest == 0)
    return {
        "The validation loss is 0: every token of the validation text is certain, and there is "
        "nothing more to learn.",
        {}};
  const Index max_iters = plan.max_iters;
  const std::string comparison = beside_ngrams(kept_loss, ngrams, units);
  const Change lower_rate = lower_rate_than(plan, 10);
  if (best.step == 0 && max_iters > 0)
    return advised(
        joined("No update made the model better (", fixed_text(units.bits(lowest), 4), " bits per ",
               units.unit(), " before the first, ", fixed_text(units.bits(loss), 4),
               " at the end): the initial model is kept; "),
        lower_rate.text() + " may help.", lower_rate);
  // --minutes chooses max_iters.
  const Change longer = minutes > 0 ? Change{"minutes", short_text(2 * minutes)}
                                    : Change{"max_iters", joined(2 * max_iters)};
  if (max_iters < few_updates) {
    const Change enough = minutes > 0 ? longer : Change{"max_iters", "1000"};
    return advised(joined(comparison, counted(max_iters, "update"), max_iters == 1 ? " is" : " are",
                          " only a trial; "),
                   joined(enough.text(), minutes > 0 ? "" : " or --minutes 5", " shows more."),
                   enough);
  }
  if (first.step == 0 && *first.val_loss < lowest)
    return {
        "The validation loss was lowest before training: nothing that was learned helps with that "
        "text. Is it of the same kind as the training text?",
        {}};
  if (loss > lowest * (1 + noticeable)) return on_risen_loss(plan, comparison, best, last, units);
  if (loss > far_above * train_loss)
    return advised(joined(comparison, "The training text is predicted far better (train loss ",
                          fixed_text(train_loss, 4), ", val loss ", fixed_text(loss, 4),
                          "): the model has memorized it (more text helps), or the validation "
                          "text is of another kind"),
                   " (--val_text takes one of the same kind).", {});
  if (loss > lowest)
    return advised(joined(comparison, "The loss has not fallen since step ", best.step, "; "),
                   "more text or a larger model, --n_embd or --n_layer, may lower it further.",
                   {"n_layer", joined(2 * plan.n_layer)});
  if (ngrams.counted() && kept_loss >= ngrams.best_loss())
    return advised(comparison,
                   joined("Training longer should help: a new run with ", longer.text(), "."),
                   longer);
  return advised(comparison,
                 joined("A new run that is longer, ", longer.text(),
                        ", or larger, --n_embd or --n_layer, may lower it further."),
                 longer);
}

}  // namespace train
