#include "train/run/verdict.h"

#include <algorithm>
#include <cmath>

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

// How far the loss fell, and how far counting n-grams gets, if they were counted.
std::string comparison_of(double before, double loss, const Ngrams& ngrams, const TextUnits& units,
                          Index context) {
  const auto bits = [&](double nats) { return fixed_text(units.bits(nats), 4); };
  const std::string fell =
      joined(before > loss ? "The loss fell from " + bits(before) + " to " : "The loss is ",
             bits(loss), " bits per ", units.unit(), ". ");
  if (!ngrams.counted()) return fell;
  const std::string length = counted(ngrams.best_length(), ngrams.symbol);
  return loss < ngrams.best_loss()
             ? joined(fell, "This is better than every n-gram (the best, of ", length, ": ",
                      bits(ngrams.best_loss()), "). ")
             : joined(fell, "Counting still predicts better: n-grams of ", length, " reach ",
                      bits(ngrams.best_loss()), ", from the ",
                      counted(ngrams.best_length() - 1, ngrams.symbol), " before; the model sees ",
                      counted(context, "token"), ". ");
}

// How many times as long a run would have to be for its loss to fall by `gap`; 0 if that is not
// known. Each doubling of the updates lowers it by 0.6 of what the second half of this run did
// (measured: 0.5 to 0.66, on fables.txt and a part of it, 60 to 500 updates).
double times_as_long(std::span<const LogRow> evaluations, double gap) {
  const LogRow& last = evaluations.back();
  const auto half = std::ranges::find_if(
      evaluations, [&](const LogRow& row) { return 2 * row.step >= last.step; });
  const double doublings =
                   std::log2(static_cast<double>(last.step) / static_cast<double>(half->step)),
               fallen = *half->val_loss - *last.val_loss;
  return doublings > 0 && fallen > 0 ? std::exp2(gap * doublings / (0.6 * fallen)) : 0;
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

Change lower_rate_than(const Plan& plan, int times) {
  return {"learning_rate", short_text(plan.learning_rate / times)};
}

// For a run that ended above its best loss.
Verdict on_risen_loss(const Plan& plan, const std::string& comparison, const LogRow& best,
                      const LogRow& last, const TextUnits& units) {
  const std::string since =
      joined(" after update ", best.step, " (", fixed_text(units.bits(*last.val_loss), 4),
             " bits per ", units.unit(), " at the end); the model of that update is kept; ");
  if (overfits(best, last)) {
    const Change dropout{"dropout", short_text(std::max(0.2, std::min(0.9, plan.dropout + 0.1)))};
    return {joined(comparison, "It overfits", since),
            joined("more text, ", dropout.text(), " or fewer updates, --max_iters ", best.step,
                   ", may help."),
            dropout};
  }
  const Change lower_rate = lower_rate_than(plan, 2);
  return {joined(comparison, "The loss rose", since), lower_rate.text() + " may help.", lower_rate};
}

}  // namespace

Verdict verdict(const Plan& plan, const Ngrams& ngrams, double kept_loss, const LogRow& best,
                std::span<const LogRow> evaluations, const TextUnits& units, double minutes) {
  const LogRow &first = evaluations.front(), &last = evaluations.back();
  if (!plan.causal)
    return {
        "The model sees the tokens that it predicts (causal false): its loss cannot be compared "
        "with the loss of other models or n-grams."};
  if (plan.learning_rate == 0 && plan.max_iters > 0)
    return {"With a learning rate of 0 nothing was learned."};
  const double lowest = *best.val_loss, loss = *last.val_loss, train_loss = *last.train_loss;
  if (lowest == 0)
    return {
        "The validation loss is 0: every token of the validation text is certain, and there is "
        "nothing more to learn."};
  const Index max_iters = plan.max_iters;
  const std::string comparison =
      comparison_of(*first.val_loss, kept_loss, ngrams, units, plan.block_size);
  const Change lower_rate = lower_rate_than(plan, 10);
  if (best.step == 0 && max_iters > 0)
    return {joined("No update made the model better (", fixed_text(units.bits(lowest), 4),
                   " bits per ", units.unit(), " before the first, ",
                   fixed_text(units.bits(loss), 4), " at the end): the initial model is kept; "),
            lower_rate.text() + " may help.", lower_rate};
  // --minutes chooses max_iters.
  const auto times = [&](Index n) {
    return minutes > 0 ? Change{"minutes", short_text(static_cast<double>(n) * minutes)}
                       : Change{"max_iters", joined(n * max_iters)};
  };
  const Change longer = times(2);
  if (max_iters < few_updates) {
    const Change enough = minutes > 0 ? longer : Change{"max_iters", "1000"};
    return {joined(comparison, counted(max_iters, "update"), max_iters == 1 ? " is" : " are",
                   " only a trial; "),
            joined(enough.text(), minutes > 0 ? "" : " or --minutes 5", " shows more."), enough};
  }
  if (first.step == 0 && *first.val_loss < lowest)
    return {
        "The validation loss was lowest before training: nothing that was learned helps with that "
        "text. Is it of the same kind as the training text?"};
  if (loss > lowest * (1 + noticeable)) return on_risen_loss(plan, comparison, best, last, units);
  if (loss > far_above * train_loss)
    return {joined(comparison, "The training text is predicted far better (train loss ",
                   fixed_text(train_loss, 4), ", val loss ", fixed_text(loss, 4),
                   "): the model has memorized it (more text helps), or the validation "
                   "text is of another kind"),
            " (--val_text takes one of the same kind)."};
  if (loss > lowest)
    return {joined(comparison, "The loss has not fallen since update ", best.step, "; "),
            "more text or a larger model, --n_embd or --n_layer, may lower it further.",
            {"n_layer", joined(2 * plan.n_layer)}};
  if (ngrams.counted() && kept_loss >= ngrams.best_loss()) {
    constexpr double too_far = 100;  // to be told from one run
    const double needed = times_as_long(evaluations, kept_loss - ngrams.best_loss());
    if (needed > too_far)
      return {comparison +
              "By this run's own curve, even one 100 times as long does not pass them."};
    if (needed == 0)
      return {comparison,
              joined("Training longer should help: a new run with ", longer.text(), "."), longer};
    const auto n = std::max<Index>(2, static_cast<Index>(std::ceil(needed)));
    return {comparison,
            joined("By this run's own curve, one about ", n,
                   " times as long passes them: ", times(n).text(), "."),
            times(n)};
  }
  return {comparison,
          joined("A new run that is longer, ", longer.text(),
                 ", or larger, --n_embd or --n_layer, may lower it further."),
          longer};
}

}  // namespace train
