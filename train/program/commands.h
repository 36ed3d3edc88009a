// The commands of the program, one function each. A command returns the exit status, or throws
// engine::Error, which program.cpp turns into one line and a status.
#pragma once

#include "train/cli/settings.h"

namespace train {

int train_command(const Settings& settings);
int sample_command(const Settings& settings);
int eval_command(const Settings& settings);
int info_command(const Settings& settings);
int export_command(const Settings& settings);
int report_command(const Settings& settings);

}  // namespace train
