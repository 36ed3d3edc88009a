// What a new run finds in its directory. An old run is removed once the new one's first checkpoint
// is on the disk, and not before; files that no run wrote are never removed.
#pragma once

#include <string>
#include <vector>

#include "engine/base/real.h"
#include "train/record/run_files.h"
#include "train/system/words.h"

namespace train {

// Whether gradus train wrote what is there. A checkpoint that cannot be read counts: it may be a run.
bool holds_run(const RunFiles& files);

// Whether the run there has made an update: one that was stopped before is no loss.
bool has_begun(const RunFiles& files);

// Whether model.safetensors is whole, and was written by a run at this step or later.
bool has_model_of(const RunFiles& files, Index step);

// PATH and the first number from 2 on for which nothing has that name.
std::string free_name(const std::string& path);

// Files that have the names of a run's, in a directory that holds no run.
std::vector<std::string> files_of_others(const RunFiles& files);

// Renames them to NAME.bak, or NAME.bak2 if that is taken. Returns a line on each.
std::vector<std::string> keep_files_of_others(const RunFiles& files);

// Throws Error unless each file of a run at this step can be written. A link is followed if it leads
// to nothing yet, or to a file that a run wrote as the one of that name, and not into the directory of
// another run; no other file is replaced through it.
void check_outputs(const RunFiles& files, Index step);
// What it throws of links into the directories of other runs.
void check_link(const RunFiles& files, const std::string& path);

// Removes what an old run left beside its checkpoint, which has been replaced: its model, its
// sessions, and the page of gradus report. The Recorder begins a new record.
void remove_old_run(const RunFiles& files, bool resumed);

// Whether gradus report wrote the file; false if there is none.
bool is_our_page(const std::string& path);

}  // namespace train
