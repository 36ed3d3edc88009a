// The commands of the program, one function each. A command writes the notes once it can no longer
// fail on its input (the rest are written after it returns). It returns the exit status, or throws
// Error, which program.cpp turns into one line and a status.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "train/cli/settings.h"
#include "train/system/notes.h"
#include "train/system/processes.h"
#include "train/system/words.h"

namespace train {

// How the program was started.
struct Launch {
  std::string program = "gradus";    // as the user typed it, for commands in messages
  std::vector<std::string> command;  // all words, the program's first
  Processes processes;               // that mpirun started
  Index threads = 0;                 // 0: as many as there are CPUs
  bool is_new_run = true;            // not resumed
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

int train_command(const TrainSettings& settings, const Launch& launch, Notes& notes);
int sample_command(const Settings& settings, Notes& notes);
int eval_command(const Settings& settings, Notes& notes);
int info_command(const Settings& settings, Notes& notes);
int export_command(const Settings& settings, Notes& notes);
int report_command(const Settings& settings, Notes& notes);

}  // namespace train
