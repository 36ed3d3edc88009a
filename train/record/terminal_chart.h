// The losses of a run as a small picture of characters, for a terminal.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "train/record/record.h"

namespace train {

// Lines of at most `columns` columns, each with its line feed; empty for fewer than two rows. All
// rows must be evaluations. best_ngram: the loss of the best n-gram model, as a line across.
std::string terminal_chart(std::span<const LogRow> log, std::optional<double> best_ngram,
                           int columns);

}  // namespace train
