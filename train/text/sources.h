// The texts of a run, the tokenizer made for them, and the corpus of tokens they become.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/tokenizer/tokenizer.h"
#include "train/loop/corpus.h"
#include "train/system/words.h"
#include "train/text/texts.h"

namespace train {

// The texts of a run, split before anything is made of them. Validated on is what follows byte
// `split` of `texts`; or, where there are such, `val_texts`, which --val_text names.
struct Sources {
  Texts texts, val_texts;
  std::size_t split = 0;

  bool are_apart() const { return !val_texts.paths.empty(); }
  std::vector<std::string> paths() const;  // of all files
  TextPart part(Split part) const;
};

// Splits the texts after the first (1 - val_fraction) of the characters, as nanoGPT does; of the
// bytes if the text is not UTF-8. A separator of documents is not cut in two.
Sources split_texts(Texts texts, Texts val_texts, double val_fraction,
                    std::string_view separator = {});

// Notes files of the validation part whose contents are trained on, under any name.
void note_copies(const Sources& sources, Notes& notes);

// What is asked of the tokenizer of a new run.
struct TokenizerWish {
  std::optional<model::TokenizerKind> kind = {};  // none: what suits the texts
  std::string directory = {};  // with GPT-2's files, instead of a kind; empty: none
  // By the user: then the kind is said, if none was asked for, and no text that is not UTF-8 becomes
  // bytes, if one was.
  bool was_given = false;
  std::optional<Index> vocabulary_size = {};  // of a bpe, at most
  std::string separator = {};                 // of documents; empty: none
};

// Such a tokenizer. Of characters or words: made from both parts, so that it knows every symbol. BPE:
// learned from the training part alone, since merges that know the validation text make it look
// easier to predict than any other text. Adds to `notes` what the user should be told about it.
model::TokenizerHandle make_tokenizer(const TokenizerWish& wish, const Sources& sources,
                                      Notes& notes);

// The text of its separator; empty if it has none.
std::string_view separator_of(const model::Tokenizer& tokenizer);

// The tokenizer of a model that is to read the texts. With a separator, --document_separator, which
// must be the model's own, that ends each text, whether or not it did so in training; without it, a
// note says that the texts of several files are read as one if the model could keep them apart.
model::TokenizerHandle tokenizer_of_model(const std::string& separator,
                                          const model::TokenizerHandle& tokenizer,
                                          const Texts& texts, Notes& notes);

// The tokens of both parts, and what a validation token stands for. With `unknown`, symbols that the
// tokenizer does not know are left out, and added there.
Corpus encode(const Sources& sources, const model::Tokenizer& tokenizer,
              model::UnknownSymbols* unknown = nullptr);

// Throws Error if a part is less than one context and its target, T + 1 tokens. With split_at, which
// makes the corpus of another val_fraction, the error names the flags that would do.
void check_context(const Sources& sources, const Corpus& corpus, Index T,
                   const std::function<Corpus(double val_fraction)>& split_at = {});

// Frees the memory of the texts, once they are tokens.
void free_text(Sources& sources);

// Where validation begins, if that is the end of several files: `the last 10 %, from tao, byte 1,234,
// to zippy`. Else empty.
std::string validation_place(const Sources& sources, double val_fraction);

}  // namespace train
