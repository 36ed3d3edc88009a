// A run read back: from its checkpoint, and the texts it was started on.
#pragma once

#include "train/cli/settings.h"
#include "train/record/run_files.h"
#include "train/run/run.h"
#include "train/text/sources.h"

namespace train {

// The run in the checkpoint. Throws engine::Error if it is damaged.
Run read_run(const RunFiles& files);

// The run's texts are not there, or are not what they were.
class OtherText : public engine::Error {
 public:
  OtherText(const std::string& what, const char* advice) : Error(what), advice_(advice) {}
  const char* advice() const { return advice_; }  // for those who want to train on

 private:
  const char* advice_;
};

// The texts named on the command line, of a directory those that `no_text` reads, or else those
// whose paths the run stored. Throws OtherText if their contents are not those the run was started
// on.
Sources read_again(const Settings& settings, const Facts& facts, const RunFiles& files,
                   NoText no_text = NoText::read);

}  // namespace train
