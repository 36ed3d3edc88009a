// A run: its training, its tokenizer, and facts that are fixed at its start, such as its texts and
// the losses of n-grams. RunInfo is stored in the metadata of the model and of the checkpoint.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/format/safetensors.h"
#include "model/tokenizer/tokenizer.h"
#include "train/loop/training.h"
#include "train/system/words.h"
#include "train/text/ngrams.h"
#include "train/text/sources.h"

namespace train {

// A token that may end a text for a program that needs such a token: the one that occurs least
// often in the training text.
struct EndToken {
  Index id, count;
  friend bool operator==(const EndToken&, const EndToken&) = default;
};

struct RunInfo {
  std::vector<TextIdentity> texts = {};
  std::vector<TextIdentity> val_texts = {};  // none: validation is the last part of the texts
  Ngrams ngrams = {};
  std::optional<EndToken> end_token = {};  // a file may have none
  // Updates from one row of log.csv to the next: more than 1 if the evaluation interval is longer
  // than 250 updates. It keeps its first value: a resumed run may change the evaluation interval.
  Index record_interval = 1;
  std::string validation = {};  // of several texts: see validation_place
  std::string init_from = {};   // the model that training began with; empty: random weights
};

struct Run : Training {
  Run(Training training, model::TokenizerHandle tokenizer_, RunInfo info_)
      : Training(std::move(training)), tokenizer(std::move(tokenizer_)), info(std::move(info_)) {}

  model::TokenizerHandle tokenizer;
  RunInfo info;
};

// For a new run: counts n-grams and tokens. vocabulary: the model's, which may be larger than the
// tokenizer's.
RunInfo info_of_texts(const Sources& sources, const Corpus& corpus, Index vocabulary,
                      const model::Tokenizer& tokenizer, Notes& notes);
// A resumed run needs the paths; a model, which may be given away, holds only the names.
enum class Paths { absolute, names };
void write_info(const RunInfo& info, Paths paths, model::SafetensorsWriter& writer);
RunInfo read_info(const model::Metadata& metadata);
// The description of a run in its files. A model file has only a part of the plan
// (Holds::for_the_run), and the architecture, which is stored with the weights.
struct RunDescription {
  Plan plan = {};
  RunInfo info = {};
  Index step = 0;
};
// Throws Error if the file was not written by a run.
RunDescription read_description(const model::Metadata& metadata, const model::Config& config);

// The first of these texts, under any name, that a run of ours trained the model with this metadata
// on; null if there is none.
const TextIdentity* known_text(const model::Metadata& metadata, const Texts& texts);
// In the metadata of any model file; -1 where the file has the token but not the count, as from
// another program.
inline constexpr std::string_view end_token_key = "note.end_token";
std::optional<EndToken> read_end_token(const model::Metadata& metadata);
// The n-grams in the metadata of any model file; empty if there are none.
Ngrams read_ngrams(const model::Metadata& metadata);

}  // namespace train
