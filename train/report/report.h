// The page that `gradus report` writes.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "train/report/reported_run.h"

namespace train {

// Of one run: what came of it, its curves, what it writes (after the prompt, or by itself), what its
// loss means, where it is surprised, and which of the shown tokens looks at which (two at least, or
// none: then there are no maps). reloads: the page loads itself anew every few seconds.
std::string run_report(const ReportedRun& run, std::span<const std::int32_t> shown,
                       std::span<const std::int32_t> prompt, bool reloads = false);

// Of several: their curves in one chart each, their results, and the settings they differ in.
std::string comparison_report(std::span<const ReportedRun> runs);

}  // namespace train
