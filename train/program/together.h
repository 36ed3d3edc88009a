// Training in several processes (train/system/processes.h). Process 0 reads the command line and the
// files, makes the run, and sends it with its tokens to the others; from then on each makes the same
// updates. Process 0 alone writes files and speaks, so the others need none and see none.
#pragma once

#include <functional>

#include "train/cli/settings.h"
#include "train/loop/corpus.h"
#include "train/run/run.h"
#include "train/system/processes.h"
#include "train/system/words.h"

namespace train {

// In process 0: throws Error unless the processes can share this run's micro-batches.
void check_processes(const Plan& plan, const Processes& processes);
// The number of threads of each process, if nobody asked for another: the CPUs it may use, shared
// with the other processes of its machine, unless mpirun has dealt them out.
void share_threads(const Processes& processes);

// In process 0: the others get this run and train it while train() does here, whose result is returned.
// If it fails, all processes end, after a line that says why.
int lead(const Settings& settings, Run& run, const Corpus& corpus,
         const std::function<int()>& train);
// In process 0, at the end, or if there is nothing to train: the others end.
void dismiss(const Processes& processes);
// In the others: trains what process 0 sends, until it dismisses them; returns the exit status.
int follow(const Processes& processes);

}  // namespace train
