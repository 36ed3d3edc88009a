// The texts given to a command: files, and directories, which stand for all their files.
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

// Identifies a text as it was when the run began: its contents, whatever the encoding and line ends
// of the file (train/text/text_kind.h).
struct TextIdentity {
  // Absolute, in a model only the name; empty if it is not UTF-8 and so cannot be stored.
  std::string path;
  std::uint64_t size, hash;  // of the text as read
  // Decoded::marked, which runs of gradus 0.3 stored as the hash; not stored any more.
  std::uint64_t marked = 0;
  bool matches(const TextIdentity& stored) const {
    return hash == stored.hash || (marked != 0 && marked == stored.hash);
  }
  friend bool operator==(const TextIdentity&, const TextIdentity&) = default;
};

struct Texts {
  std::string name;  // what messages call the texts together
  std::string joined;
  std::vector<std::string> paths;  // as the user would write them
  std::vector<std::size_t> ends;   // of each in `joined`
  std::vector<TextIdentity> identities;
};

// What to do with files that are not plain text, such as a PDF (train/text/text_kind.h): refuse
// them, with or without the advice to train on bytes, or read them.
enum class NoText { refuse, advise_bytes, read };
// For an existing model: read them if it has all bytes as tokens, else refuse.
inline NoText no_text_for(const model::Tokenizer& tokenizer) {
  return tokenizer.kind() == model::TokenizerKind::byte ? NoText::read : NoText::refuse;
}

// Reads the files in the order given, those of a directory (files_in) in the order of their names.
// A byte-order mark at the beginning is removed, UTF-16 with its mark becomes UTF-8, and CRLF
// becomes LF if all lines end in it. An empty file is an error. In a directory, empty files and the
// files of runs are skipped. Editors' backups, models in transformers' form, pages of gradus
// report, linked directories, further names of a file that was read and, if they are refused, files
// that are not plain text are left out with a note; it is an error if no other file is left.
Texts read_texts(const std::vector<std::string>& paths, NoText no_text, Notes& notes);

// Advice for something that is not a path: a URL, or - for standard input. Else empty.
std::string no_file_at_all(const std::string& path);

// A part of the texts' bytes: all, or one side of a run's split.
struct TextPart {
  const Texts& texts;
  std::size_t begin = 0, end = texts.joined.size();

  std::string_view text() const {
    return std::string_view(texts.joined).substr(begin, end - begin);
  }
  // Calls f(file, text) for each file with text in this part; files count from 0.
  void for_each_file(const std::function<void(std::size_t, std::string_view)>& f) const;
  std::vector<std::string_view> files() const;
};

// Appends the tokens of the texts to `ids`: all as one text or, if the tokenizer's separator ends
// texts, each file separately with the separator after it. Errors name the file. With `unknown`,
// symbols that are not in the vocabulary are left out and counted there, the first with its file's
// name; a file with no tokens left gets no separator either.
void encode(const TextPart& part, const model::Tokenizer& tokenizer, model::TokenIds& ids,
            model::UnknownSymbols* unknown = nullptr);

// Reports the unknown symbols that encode left out of the texts, which have `tokens` tokens left:
// with `skip` adds a note; else throws Error, naming the first symbol and what to do.
void report_unknown(const Texts& texts, const model::UnknownSymbols& unknown, Index tokens,
                    bool skip, Notes& notes);

// The first byte that is not UTF-8, with the file's name; empty if there is none.
std::string broken_byte(const Texts& texts);

}  // namespace train
