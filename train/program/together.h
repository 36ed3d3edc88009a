// Training in several processes (train/system/processes.h). Process 0 reads the command line and
// the files, makes the run, and sends it with its tokens to the others; from then on each makes the
// same updates. Only process 0 reads and writes files and prints.
#pragma once

#include <string_view>

#include "train/loop/corpus.h"
#include "train/program/commands.h"
#include "train/run/budget.h"
#include "train/run/run.h"
#include "train/system/processes.h"
#include "train/system/words.h"

namespace train {

// Sets the number of threads of each process, unless --threads was given: the CPUs it may use, or
// its share if other processes on its machine use them too.
void share_threads(const Processes& processes);
// Adds a note if this machine has fewer CPUs than the processes have threads.
void note_sharing(const Processes& processes, Notes& notes);

// The advice after an allocation that failed in a new run.
inline constexpr std::string_view smaller_needs_less =
    "; a smaller --batch_size, --block_size, --n_embd or --n_layer needs less";

// In process 0: sends this run to the others, which begin to train it, as the caller is about to.
void share(const Launch& launch, Run& run, const Corpus& corpus);
// In process 0, in the handler of the exception that ended training: rethrows it if the others know
// of it or if there are none; else ends all processes after a line that says why.
[[noreturn]] void end_all(const Launch& launch);
// In process 0: measures training by a plan, for about `seconds`, in all processes.
Speed measure_speed(const Launch& launch, const model::TokenizerHandle& tokenizer, const Plan& plan,
                    const Corpus& corpus, double seconds);
// In process 0, at the end or if there is nothing to train: ends the others.
void dismiss(const Processes& processes);
// In the others: trains what process 0 sends, until it dismisses them; returns the exit status.
int follow(const Processes& processes);

}  // namespace train
