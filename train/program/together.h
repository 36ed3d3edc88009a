// Training in several processes (train/system/processes.h). Process 0 reads the command line and the
// files, makes the run, and sends it with its tokens to the others; from then on each makes the same
// updates. Process 0 alone writes files and speaks, so the others need none and see none.
#pragma once

#include "train/cli/settings.h"
#include "train/loop/corpus.h"
#include "train/run/budget.h"
#include "train/run/run.h"
#include "train/system/processes.h"
#include "train/system/words.h"

namespace train {

// In process 0: throws Error unless the processes can share this run's micro-batches.
void check_processes(const Plan& plan, const Processes& processes);
// The number of threads of each process, if nobody asked for another: the CPUs it may use, or its
// share if others of its machine use them too.
void share_threads(const Processes& processes);
// Says so if more threads share the CPUs of this machine than there are.
void note_sharing(const Processes& processes, Notes& notes);

// What is said behind an allocation that failed, where the run is a new one.
inline constexpr std::string_view smaller_needs_less =
    "; a smaller --batch_size, --block_size, --n_embd or --n_layer needs less";

// In process 0: the others get this run, and begin to train it, as the caller is about to.
void share(const TrainSettings& settings, Run& run, const Corpus& corpus);
// In process 0, in the handler of what ended that training: throws it on if the others know of it, or
// if there are none; else all processes end, after a line that says why.
[[noreturn]] void end_all(const TrainSettings& settings);
// In process 0: measures training by a plan, for about `seconds`, in all processes.
Speed measure_speed(const TrainSettings& settings, const model::TokenizerHandle& tokenizer,
                    const Plan& plan, const Corpus& corpus, double seconds);
// In process 0, at the end, or if there is nothing to train: the others end.
void dismiss(const Processes& processes);
// In the others: trains what process 0 sends, until it dismisses them; returns the exit status.
int follow(const Processes& processes);

}  // namespace train
