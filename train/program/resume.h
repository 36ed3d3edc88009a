// Resuming: reads the checkpoint of a run, and its texts again.
#pragma once

#include "train/cli/settings.h"
#include "train/record/run_files.h"
#include "train/run/run.h"
#include "train/text/sources.h"

namespace train {

// The run in the checkpoint. Throws engine::Error if it is damaged.
Run read_run(const RunFiles& files);

// The same, changed by the flags that a resumed run may be given. Throws
// engine::Error also if another value was given for a setting that must not change.
Run read_run(const Settings& settings, const RunFiles& files);

// The run's texts are not there, or are not what they were.
class OtherText : public engine::Error {
 public:
  OtherText(const std::string& what, const char* advice) : Error(what), advice_(advice) {}
  const char* advice() const { return advice_; }  // for those who want to train on

 private:
  const char* advice_;
};

// The texts named on the command line, or else those whose paths the run stored. Throws OtherText
// if their contents are not those the run was started on.
Sources read_again(const Settings& settings, const Facts& facts, const RunFiles& files);

}  // namespace train
