// The texts of a run, the tokenizer made for them, and the corpus of tokens they become.
#pragma once

#include <string>
#include <vector>

#include "model/tokenizer/tokenizer.h"
#include "train/cli/settings.h"
#include "train/loop/corpus.h"
#include "train/loop/plan.h"
#include "train/text/texts.h"

namespace train {

// Training and validation texts. Without validation texts, validation is the last part of the
// training texts.
struct Sources {
  Texts training, validation;

  bool are_apart() const { return !validation.paths.empty(); }
};

// Whether --tokenizer names a directory rather than a kind of tokenizer.
bool is_tokenizer_directory(const Settings& settings);

// The tokenizer that --tokenizer asks for. Of characters or words: made from all texts, validation
// included, so that it knows every symbol. BPE: learned from the training part alone, since merges
// that know the validation text make it look easier to predict than any other text. Adds to `notes`
// what the user should be told about it.
model::TokenizerHandle make_tokenizer(const Settings& settings, const Sources& sources,
                                      Notes& notes);

// The tokenizer of a model that is to read the texts. With --document_separator, which must be the
// model's own, the separator ends each text, whether or not it did so in training; without it, a
// note says that the texts of several files are read as one if the model could keep them apart.
model::TokenizerHandle tokenizer_of_model(const Settings& settings,
                                          const model::TokenizerHandle& tokenizer,
                                          const Texts& texts, Notes& notes);

// The tokens of all texts; frees the texts. Without validation texts all tokens are training tokens
// until cut() is called.
Corpus encode(Sources& sources, const model::Tokenizer& tokenizer);

// How many tokens of the one text that make_tokenizer's tokenizer was learned from: training has at
// least so many.
Index learned_tokens(const Corpus& corpus, const Sources& sources, const Plan& plan,
                     const model::Tokenizer& tokenizer);

// Splits off the validation tokens as the plan says, so that training has `at_least` tokens. Throws
// engine::Error if a part is shorter than one context.
void cut(Corpus& corpus, const Sources& sources, const Plan& plan, Index at_least);

// What the validation tokens are the text of, if that is the end of several files: `the last 10 %,
// from tao, byte 1,234, to zippy`. Else empty.
std::string validation_place(const Corpus& corpus, const Sources& sources, const Plan& plan,
                             const model::Tokenizer& tokenizer);

}  // namespace train
