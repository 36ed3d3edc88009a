// The verdict on a run: what its loss means, and what to try next.
#pragma once

#include <span>
#include <string>

#include "train/loop/text_units.h"
#include "train/loop/training.h"
#include "train/record/record.h"
#include "train/text/ngrams.h"

namespace train {

// The row of the run's best evaluation, the one with the kept model; without a training loss if the
// log lacks it.
LogRow best_row(const Training& training, std::span<const LogRow> log);

// A flag of a new run, and its value.
struct Change {
  std::string name, value;
  std::string text() const { return joined("--", name, " ", value); }
};

// About a run that got to its last evaluation.
struct Verdict {
  std::string found;        // one or two sentences
  std::string advice = {};  // what to do, by the names of flags; may be empty
  Change change = {};       // the change most likely to help a new run; no name: none
  std::string text() const { return found + advice; }
};
// kept_loss: of the kept model, on the whole validation text. evaluations: all of the run's, in
// order. units: of the validation text. minutes: --minutes, if that decided the run's length; else
// 0.
Verdict verdict(const Plan& plan, const Ngrams& ngrams, double kept_loss, const LogRow& best,
                std::span<const LogRow> evaluations, const TextUnits& units, double minutes = 0);

// Whether an evaluation that is worse than the best one shows overfitting: the training loss has
// continued to fall. (If both losses rise, or stay, the cause is another.)
bool overfits(const LogRow& best, const LogRow& evaluation);

}  // namespace train
