// The page that `gradus report` writes.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "train/report/reported_run.h"

namespace train {

// Of one run: what came of it, its curves, what it writes (after the prompt, or by itself), what its
// loss means, where it is surprised, and which of the shown tokens looks at which (two at least, or
// none: then there are no maps). watched: the page is written again and again.
std::string run_report(const ReportedRun& run, std::span<const std::int32_t> shown,
                       std::span<const std::int32_t> prompt, bool watched = false);

// Of several: what they recorded, and what may be compared of it.
std::string comparison_report(std::span<const ReportedRun> runs);

}  // namespace train
