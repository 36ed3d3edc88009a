// The texts of a run, the tokenizer made for them, and the corpus of tokens they become.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/tokenizer/tokenizer.h"
#include "train/loop/corpus.h"
#include "train/system/words.h"
#include "train/text/texts.h"

namespace train {

// The texts of a run, split before they are tokenized. The validation part is `texts` from byte
// `split` on or, with --val_text, `val_texts`.
struct Sources {
  Texts texts, val_texts;
  std::size_t split = 0;
  Index characters = 0;  // of `texts`

  bool are_apart() const { return !val_texts.paths.empty(); }
  std::vector<std::string> paths() const;  // of all files
  TextPart part(Split part) const;
};

// Splits the texts after the share 1 - val_fraction of the characters, as nanoGPT does (of the
// bytes if the text is not UTF-8). A document separator is not cut in two.
Sources split_texts(Texts texts, Texts val_texts, double val_fraction,
                    std::string_view separator = {});

// Adds a note on validation files with the same contents as a training file, under any name.
void note_copies(const Sources& sources, Notes& notes);

// The tokenizer to make for a new run.
struct TokenizerRequest {
  std::optional<model::TokenizerKind> kind = {};  // none: the kind that suits the texts
  std::string directory = {};  // a directory with GPT-2's files, instead of a kind; or empty
  // Whether the user gave --tokenizer. If so, `auto` notes the kind that it chose, and another kind
  // refuses texts that are not UTF-8 instead of using bytes.
  bool was_given = false;
  std::optional<Index> vocabulary_size = {};  // of a bpe, at most
  std::string separator = {};                 // of documents; empty: none
};

// Makes such a tokenizer. Characters and words are taken from both parts, so that every symbol is
// known. BPE is learned from the training part alone, since merges learned from the validation text
// make it look easier to predict than other texts. Adds notes for the user.
model::TokenizerHandle make_tokenizer(const TokenizerRequest& request, const Sources& sources,
                                      Notes& notes);

// The text of a tokenizer's separator; empty if it has none.
std::string_view separator_of(const model::Tokenizer& tokenizer);

// A model's tokenizer for reading the texts. With `separator` (--document_separator, which must be
// the model's own), the separator ends each text, whether or not it did so in training. Without it,
// and if the model has a separator, a note says that the texts of several files are read as one.
model::TokenizerHandle tokenizer_of_model(const std::string& separator,
                                          const model::TokenizerHandle& tokenizer,
                                          const Texts& texts, Notes& notes);

// The tokens of both parts, and the units of the validation part. For each of the texts, symbols
// that are not in the vocabulary are reported (report_unknown).
Corpus encode(const Sources& sources, const model::Tokenizer& tokenizer, bool skip_unknown,
              Notes& notes);

// Throws Error, with flags that help, if a part is shorter than one context and its target, T + 1
// tokens.
void check_context(const Sources& sources, const Corpus& corpus, Index T);

// Frees the memory of the texts, once they are tokens.
void free_text(Sources& sources);

// The place of the validation part, if it is the end of several files: `the last 10 %, from tao,
// byte 1,234, to zippy`. Else empty.
std::string validation_place(const Sources& sources, double val_fraction);

}  // namespace train
