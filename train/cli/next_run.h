// Commands that propose a run: another run's command with a flag changed.
#pragma once

#include <string>

#include "train/record/record.h"
#include "train/run/verdict.h"

namespace train {

// The command that started the run in `directory`, with the change (flags that contradict it are
// removed) and a free directory. Empty if there is nothing to change, or if the session did not
// start a run.
std::string next_run(const SessionRow& began, const Change& change, const std::string& directory);

}  // namespace train
