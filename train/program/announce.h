// What gradus train says of a run: before it trains, and at its end.
#pragma once

#include "train/cli/settings.h"
#include "train/run/session.h"

namespace train {

// One line on what is trained on what, for how long.
void announce(const Run& run, const Sources& sources, const Corpus& corpus, const RunFiles& files,
              const Speed& speed, double peak_flops, const Processes& processes);
// What counting reaches on the text, and how much of it an evaluation reads.
void announce_measures(const Run& run, const Corpus& corpus);

// Settings that may not mean what was meant.
void note_on(const Plan& plan, const TrainSettings& settings, Notes& notes);

// The run's result, a verdict on it and what to try next; on a terminal, its losses as a chart.
void announce_end(const Session& session, const Run& run, const Corpus& corpus,
                  const std::string& program);

}  // namespace train
