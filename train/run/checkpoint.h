// The two files of a run. model.safetensors holds what is needed to sample and what is good to
// know; checkpoint.safetensors holds besides all that the next steps depend on, so that a run that
// was stopped ends in the same bytes as one that was not.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/model_file.h"
#include "train/loop/plan.h"
#include "train/loop/trainer.h"
#include "train/run/texts.h"

namespace train {

// What the names of a checkpoint's moments begin with: PyTorch's names for them.
inline constexpr std::string_view moment_prefixes[] = {"exp_avg.", "exp_avg_sq."};
// And those of the weights in Closing::earlier_best.
inline constexpr std::string_view best_prefix = "best.";
inline constexpr std::string_view other_prefixes[] = {moment_prefixes[0], moment_prefixes[1],
                                                      best_prefix};

// What comes before the keys of a run's notes in a file's metadata.
inline constexpr std::string_view note_prefix = "note.";

// What is the same at every save of a run, besides the model and the trainer.
struct RunFacts {
  std::vector<TextIdentity> texts;
  std::vector<TextIdentity> val_texts;  // none: validation is the last part of the texts
  model::Metadata
      notes;  // good to know: ngram_0 .. ngram_5, the losses of n-grams on the same split
};

// The texts named in a file's metadata: its "text"s or "val_text"s.
std::vector<TextIdentity> stored_texts(const model::Metadata& metadata, const std::string& kind);

// A run's last evaluation, off the eval_interval grid and the best of all: model.safetensors is the
// model of this step. A run that goes on would not have made it, and needs what that file was.
struct Closing {
  double val_loss;
  std::optional<model::GPT> earlier_best;  // of state.best_step; none if that is 0
};

// Files ready to be written. The weights, and trainer's moments, must stay where they are until
// the writer's pieces are written.
model::SafetensorsWriter model_file(model::GPT& gpt, const model::Tokenizer& tokenizer,
                                    const Plan& plan, const RunFacts& facts, Index step,
                                    double val_loss);
model::SafetensorsWriter checkpoint_file(model::GPT& gpt, const model::Tokenizer& tokenizer,
                                         const Plan& plan, const RunFacts& facts, Trainer& trainer,
                                         Index log_bytes, Closing* closing = nullptr);

struct Checkpoint {
  model::GPT gpt;
  model::TokenizerHandle tokenizer;
  Plan plan;
  RunFacts facts;
  Trainer::State state;
  Index log_bytes;  // how long log.csv was
  std::optional<Closing> closing;
};

// Everything but the moments, which go into the optimiser's memory once it is there.
Checkpoint read_checkpoint(const model::SafetensorsFile& file);
void read_moments(const model::SafetensorsFile& file, Trainer& trainer);

}  // namespace train
