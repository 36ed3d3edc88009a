// The commands of the program, one function each. A command writes the notes once it can no longer
// fail on its input (the rest are written after it returns). It returns the exit status, or throws
// Error, which program.cpp turns into one line and a status.
#pragma once

#include "train/cli/settings.h"
#include "train/system/notes.h"

namespace train {

int train_command(const TrainSettings& settings, Notes& notes);
int sample_command(const Settings& settings, Notes& notes);
int eval_command(const Settings& settings, Notes& notes);
int info_command(const Settings& settings, Notes& notes);
int export_command(const Settings& settings, Notes& notes);
int report_command(const Settings& settings, Notes& notes);

}  // namespace train
