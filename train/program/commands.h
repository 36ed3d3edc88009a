// What the program does, one function a command. Each returns the exit status, and throws
// engine::Error for whatever goes wrong; run (run.cpp) turns that into one line and a status.
#pragma once

#include "train/program/settings.h"

namespace train {

// Sets the number of threads that --threads asks for, all there are if it was not given.
void use_threads(const Settings& settings);

int train_command(const Settings& settings);
int sample_command(const Settings& settings);
int eval_command(const Settings& settings);
int info_command(const Settings& settings);

}  // namespace train
