// The page that `gradus report` writes.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "train/report/reported_run.h"

namespace train {

// The page of one run: its result, its curves, what it writes (after the prompt, or without one),
// what its loss means, where it is surprised, and which of the shown tokens looks at which (at
// least two tokens; with none there are no maps). watched: the page is rewritten as the run
// continues.
std::string run_report(const ReportedRun& run, std::span<const std::int32_t> shown,
                       std::span<const std::int32_t> prompt, bool watched = false);

// The page of several runs: what they recorded, as far as it can be compared.
std::string comparison_report(std::span<const ReportedRun> runs);

}  // namespace train
