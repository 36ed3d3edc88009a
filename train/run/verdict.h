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

// About a run that got to its last evaluation.
struct Verdict {
  std::string text;   // one or two sentences
  std::string flags;  // for the command of a new run, what is most likely to help; empty: nothing
};
// kept_loss: of the model that is kept, on the whole validation text. evaluations: all of the run, in
// order. units: of the validation text.
Verdict verdict(const Plan& plan, const Ngrams& ngrams, double kept_loss, const LogRow& best,
                std::span<const LogRow> evaluations, const TextUnits& units);

// The same of a run whose length --minutes decided: a longer one is one of more minutes.
Verdict in_minutes(Verdict said, const std::string& command_line);

// The command line of the run with the verdict's flags and another directory;
// empty if there is nothing to try.
std::string to_try(const Verdict& verdict, const std::string& command_line,
                   const std::string& directory);

// The command line with this flag and its value, in place of another value, and another directory.
std::string another_run(const std::string& command_line, const std::string& flag,
                        const std::string& directory);

// Whether an evaluation that is worse than the best one shows overfitting: the training loss has
// gone on falling. (Losses that both rise, or stay, have another cause.)
bool overfits(const LogRow& best, const LogRow& evaluation);

}  // namespace train
