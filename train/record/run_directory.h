// What a new run finds in its directory. An old run is removed only after the new run's first
// checkpoint is on the disk; files that no run wrote are never removed.
#pragma once

#include <string>
#include <vector>

#include "engine/base/real.h"
#include "train/record/run_files.h"
#include "train/system/words.h"

namespace train {

// Whether the directory holds a run of gradus train. A checkpoint that cannot be read counts: it
// may be a run.
bool holds_run(const RunFiles& files);

// Whether the run there has made an update: a run stopped before that is no loss.
bool has_begun(const RunFiles& files);

// Whether model.safetensors is whole, and was written by a run at this step or later.
bool has_model_of(const RunFiles& files, Index step);

// PATH followed by the smallest number, 2 or more, for which the name is free.
std::string free_name(const std::string& path);

// Files with the names of a run's files, in a directory that holds no run.
std::vector<std::string> files_of_others(const RunFiles& files);

// Renames the file to NAME.bak, or NAME.bak2 if that is taken; returns `why` and a line about it.
std::string keep_aside(const std::string& path, std::string_view why);
// keep_aside for all files_of_others.
std::vector<std::string> keep_files_of_others(const RunFiles& files);

// Throws Error if the run's file is a link: a run writes in its own directory only.
void check_no_link(const std::string& path);
// Throws Error unless each file of a run at this step can be written.
void check_outputs(const RunFiles& files, Index step);

// Removes what an old run left beside its checkpoint (which has been replaced): its model, its
// sessions, and the page of gradus report. The Recorder starts a new record.
void remove_old_run(const RunFiles& files, bool resumed);

// Whether gradus report wrote the file; false if there is none.
bool is_our_page(const std::string& path);

}  // namespace train
