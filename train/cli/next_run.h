// Commands that propose a run: that of another run, with a flag changed.
#pragma once

#include <string>

#include "train/record/record.h"
#include "train/run/verdict.h"

namespace train {

// The command that began a run in `directory`, with the change in place of what contradicts it, and
// a directory that is free. Empty if there is nothing to change, or the session did not begin a run.
std::string next_run(const SessionRow& began, const Change& change, const std::string& directory);

}  // namespace train
