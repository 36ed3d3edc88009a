// The closing words of a run: what its loss means, and what to try next.
#pragma once

#include <span>
#include <string>

#include "train/loop/text_units.h"
#include "train/loop/training.h"
#include "train/record/record.h"
#include "train/text/ngrams.h"

namespace train {

// The row of the run's best evaluation, whose model is kept; without a training loss if the log does
// not have it.
LogRow best_row(const Training& training, std::span<const LogRow> log);

// A flag of a new run, and its value.
struct Change {
  std::string name, value;
  std::string text() const { return joined("--", name, " ", value); }
};

// About a run that got to its last evaluation.
struct Verdict {
  std::string text;    // one or two sentences
  Change change = {};  // what is most likely to help a new run; no name: nothing
};
// kept_loss: of the model that is kept, on the whole validation text. evaluations: all of the run, in
// order. units: of the validation text. minutes: by which the run's length was decided; 0: it was not.
Verdict verdict(const Plan& plan, const Ngrams& ngrams, double kept_loss, const LogRow& best,
                std::span<const LogRow> evaluations, const TextUnits& units, double minutes = 0);

// Whether an evaluation that is worse than the best one shows overfitting: the training loss has
// gone on falling. (Losses that both rise, or stay, have another cause.)
bool overfits(const LogRow& best, const LogRow& evaluation);

}  // namespace train
