// The texts given to a command: files, and directories, which stand for all files in them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/tokenizer/tokenizer.h"
#include "train/system/notes.h"
#include "train/system/words.h"

namespace train {

// What a text was when the run began.
struct TextIdentity {
  // Absolute, in a model only the name; empty if it is not UTF-8 and so cannot be stored.
  std::string path;
  std::uint64_t size, hash;  // hash: where CRLF was read as LF, of what was read
  friend bool operator==(const TextIdentity&, const TextIdentity&) = default;
};

struct Texts {
  std::string name;  // what messages call the texts together
  std::string joined;
  std::vector<std::string> paths;  // as the user would write them
  std::vector<std::size_t> ends;   // of each in `joined`
  std::vector<TextIdentity> identities;
};

// What to do with files that hold no plain text, a PDF say (train/text/text_kind.h): refuse them,
// with or without the advice to train on bytes, or read them.
enum class NoText { refuse, advise_bytes, read };
// For a model that is there: bytes, to which nothing is unknown, or not.
inline NoText no_text_for(const model::Tokenizer& tokenizer) {
  return tokenizer.kind() == model::TokenizerKind::byte ? NoText::read : NoText::refuse;
}

// Reads the files in the order given, those of a directory (files_in) in the order of their names.
// A byte-order mark at the beginning is no part of a text, UTF-16 with its mark becomes UTF-8, and
// CRLF, where all lines end so, LF.
// An empty file is an error. In a directory empty files and the files of runs are skipped. Editors'
// backups, further names of a file that was read and, if they are refused, files without plain text are
// left out with a note; it is an error if no other file is left.
Texts read_texts(const std::vector<std::string>& paths, NoText no_text, Notes& notes);

// What is said of a path that does not exist and is none: a URL, or - for standard input. Else empty.
std::string no_file_at_all(const std::string& path);

// Some bytes of the texts: all of them, or those on one side of where a run's text is split.
struct TextPart {
  const Texts& texts;
  std::size_t begin = 0, end = texts.joined.size();

  std::string_view text() const {
    return std::string_view(texts.joined).substr(begin, end - begin);
  }
  // f(file, text) for each file that has some of its text here; file counts from 0.
  void for_each_file(const std::function<void(std::size_t, std::string_view)>& f) const;
  std::vector<std::string_view> files() const;
};

// Appends the tokens of the texts to `ids`: of all as one text or, if the tokenizer's separator ends
// texts, of each file by itself, with the separator behind its end. Errors name the file. With
// `unknown`, symbols that the tokenizer does not know are left out, and added there, the first with
// its file's name; a file of which nothing is left has no separator either.
void encode(const TextPart& part, const model::Tokenizer& tokenizer, model::TokenIds& ids,
            model::UnknownSymbols* unknown = nullptr);

// What becomes of the unknown symbols that encode left out of the texts, of which `tokens` tokens are
// left: if they are to be skipped, a note; else an error that names the first and says what can be
// done.
void settle_unknown(const Texts& texts, const model::UnknownSymbols& unknown, Index tokens,
                    bool skip, Notes& notes);

// The first byte that is not UTF-8, with the file's name; empty if there is none.
std::string broken_byte(const Texts& texts);

}  // namespace train
