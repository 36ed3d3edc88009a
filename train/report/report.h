// The page that `gradus report` writes.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "train/report/subject.h"

namespace train {

// Of one run: its curves, what its loss means, its samples, where it is surprised, which token looks
// at which in the prompt (two tokens at least, or none: then there are no maps), and its norms.
std::string run_report(const Subject& run, std::span<const std::int32_t> prompt);

// Of several: their curves in one chart each, their results, and the settings they differ in.
std::string comparison_report(std::span<const Subject> runs);

}  // namespace train
