// What a run learns from: texts, the tokenizer made for them, and the tokens they become.
#pragma once

#include <string>
#include <vector>

#include "model/tokenizer/tokenizer.h"
#include "train/loop/corpus.h"
#include "train/loop/plan.h"
#include "train/program/settings.h"
#include "train/run/texts.h"

namespace train {

// What a run learns from, and what it is judged by: nothing if that is the last part of the former.
struct Sources {
  Texts training, validation;

  bool are_apart() const { return !validation.paths.empty(); }
};

// --tokenizer names a directory, not one of the kinds.
bool is_tokenizer_directory(const Settings& settings);

// The tokenizer that the settings ask for, made of all texts, so that it knows whatever comes.
// `notes` gets what the user should know of the choice.
model::TokenizerHandle make_tokenizer(const Settings& settings, const Sources& sources,
                                      std::vector<std::string>& notes);

// The texts as tokens, and the texts themselves are gone: their memory is for training. Where there is
// no text of its own for validation, the corpus is still to be cut.
Corpus encode(Sources& sources, const model::Tokenizer& tokenizer);

// Cuts the corpus as the plan says, and refuses texts too short for a single context.
void cut(Corpus& corpus, const Sources& sources, const Plan& plan);

}  // namespace train
