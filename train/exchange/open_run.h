// A run read back: from its checkpoint, and the texts it was started on.
#pragma once

#include <string>
#include <vector>

#include "train/record/run_files.h"
#include "train/run/run.h"
#include "train/system/words.h"
#include "train/text/sources.h"

namespace train {

// The run in the checkpoint. Throws Error if it is damaged.
Run read_run(const RunFiles& files);

// The run's texts are missing or have changed.
class OtherText : public Error {
 public:
  OtherText(const std::string& what, const char* advice) : Error(what), advice_(advice) {}
  const char* advice() const { return advice_; }  // for the user who wants to train further

 private:
  const char* advice_;
};

// Where the texts of a run are now, if they have moved.
struct TextPaths {
  std::vector<std::string> texts, val_texts;  // empty: where the run found them
};

// The texts (their memory is freed) and their tokens.
struct RunText {
  Sources sources;
  Corpus corpus;
};

// Reads the texts of a run again (in a directory, the files that `no_text` accepts), and splits and
// encodes them as at its start. Throws OtherText if their contents have changed.
RunText read_again(const TextPaths& paths, const Plan& plan, const RunInfo& info,
                   const model::Tokenizer& tokenizer, const RunFiles& files,
                   NoText no_text = NoText::read);

}  // namespace train
