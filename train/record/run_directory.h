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

// Renames them to NAME.bak, or NAME.bak2 if that is taken. Returns a line about each.
std::vector<std::string> keep_files_of_others(const RunFiles& files);

// Throws Error unless each file of a run at this step can be written. A link is followed if its
// target does not exist yet, or is a file that a run wrote under that name outside the directory of
// another run; no other file is replaced through a link.
void check_outputs(const RunFiles& files, Index step);
// The part of check_outputs about links into the directories of other runs.
void check_link(const RunFiles& files, const std::string& path);

// Removes what an old run left beside its checkpoint (which has been replaced): its model, its
// sessions, and the page of gradus report. The Recorder starts a new record.
void remove_old_run(const RunFiles& files, bool resumed);

// Whether gradus report wrote the file; false if there is none.
bool is_our_page(const std::string& path);

}  // namespace train
