#include "train/text/texts.h"

#include <algorithm>
#include <map>
#include <new>
#include <set>
#include <utility>

#include "model/base/files.h"
#include "model/base/system.h"
#include "model/base/utf8.h"
#include "model/format/checksum.h"
#include "train/record/run_directory.h"
#include "train/system/console.h"
#include "train/system/files.h"
#include "train/system/limits.h"
#include "train/text/text_kind.h"

namespace train {

namespace {

// Whether the path is a file that a run wrote: the directory of a run may lie among the texts.
bool is_of_run(const std::string& path) {
  const RunFiles run(model::directory_of(path));
  return file_exists(run.checkpoint) &&
         (path == run.report || std::ranges::count(run.all(), path) > 0);
}

// Whether it is the directory of a model in transformers' form.
bool holds_model(const std::string& directory) {
  return file_exists(inside(directory, "config.json")) &&
         (file_exists(inside(directory, "model.safetensors")) ||
          file_exists(inside(directory, "model.safetensors.index.json")));
}

// What a file in a directory is, if it is not a text of the user's, whatever its bytes are.
std::string_view kind_of_no_text(const std::string& path) {
  const std::string_view name = std::string_view(path).substr(last_separator(path) + 1);
  if (name == "desktop.ini") return "folder setting";
  for (const std::string_view ending : {"~", ".bak", ".swp", ".orig"})
    if (name.ends_with(ending)) return "backup";
  if (name.starts_with('#') && name.ends_with('#')) return "backup";  // Emacs saves it meanwhile
  if (is_directory(path)) return "linked folder";
  if (holds_model(model::directory_of(path))) return "model file";
  return is_our_page(path) ? "report page" : "";
}

// `1 backup (art~), 43 non-text files (old/art.dat, old/bob.dat, ...)`, with their paths in the
// directory.
std::string listed(const std::string& directory,
                   const std::map<std::string_view, std::vector<std::string>>& left_out) {
  const auto name = [&](const std::string& file) {
    return printable(
        file.substr(file.find_first_not_of(model::system::separators, directory.size())));
  };
  std::string text;
  for (const auto& [what, files] : left_out)
    text +=
        joined(text.empty() ? "" : ", ", counted(std::ssize(files), what), " (", name(files[0]),
               files.size() > 1 ? ", " + name(files[1]) : "", files.size() > 2 ? ", ...)" : ")");
  return text;
}

// Notes how the lines of the first file end, and how many other files have the same line ends.
void note_line_ends(LineEnds ends, const std::vector<std::string>& files, Notes& notes) {
  const std::string& path = files.front();
  const Index others = std::ssize(files) - 1;
  const std::string_view command = ends == LineEnds::cr      ? "tr '\\r' '\\n'"
                                   : ends == LineEnds::mixed ? "tr -d '\\r'"
                                                             : "";
  notes.add(printable(path), others == 0 ? "" : joined(" and ", counted(others, "other file")),
            ": ", line_ends_text(ends),
            command.empty() ? ""
                            : joined("; ", unbroken(joined(command, " <", shell_quoted(path))),
                                     " writes the text with line feeds"));
}

// Advice for a model given in place of a text.
std::string use_of_model(const std::string& path) {
  const std::string model = shell_quoted(path);
  return joined("; ", unbroken("gradus sample " + model), " writes with the model, ",
                unbroken("gradus train TEXT --init_from " + model), " begins with its weights");
}

}  // namespace

std::string no_file_at_all(const std::string& path) {
  if (path == "-") return "; standard input is not read here, write it to a file first";
  if (path.find("://") == std::string::npos) return "";
  return joined("; gradus downloads nothing, ", unbroken("curl -LO " + shell_quoted(path)),
                " does");
}

namespace {

// Reads files and directories into one text.
class Reader {
 public:
  Reader(NoText no_text, Notes& notes) : no_text_(no_text), notes_(notes) {}

  void read_one(const std::string& path) {
    std::string bytes = read(path);
    const bool may_be_model = is_model(bytes);
    Decoded file = decode(std::move(bytes));
    check(!file.text.empty(), printable(path), ": is empty, expected a text");
    if (is_refused(file)) {
      check(!may_be_model, printable(path), ": is a model; a text is needed", use_of_model(path));
      fail(printable(path), ": ", file.why_no_text,
           no_text_ == NoText::advise_bytes ? "; --tokenizer byte trains on the bytes as they are"
                                            : "");
    }
    take(path, std::move(file));
  }

  void read_directory(const std::string& path) {
    check(!holds_model(path), printable(path), ": is the directory of a model; a text is needed",
          use_of_model(path));
    const std::size_t before = texts.paths.size();
    std::map<std::string_view, std::vector<std::string>> left_out;  // by what they are
    for (const std::string& file : files_in(path)) {
      if (is_of_run(file)) continue;
      if (const std::string_view kind = kind_of_no_text(file); !kind.empty()) {
        left_out[kind].push_back(file);
      } else if (seen_.contains(file_identity(file))) {
        left_out["duplicate"].push_back(file);
      } else if (Decoded decoded = decode(read(file)); is_refused(decoded)) {
        left_out["non-text file"].push_back(file);
      } else if (!decoded.text.empty()) {
        take(file, std::move(decoded));
      }
    }
    const std::string note = left_out.empty() ? "" : "left out: " + listed(path, left_out);
    check(texts.paths.size() > before || left_out.contains("duplicate"), printable(path),
          ": is a directory without a text in it", use_of(path), note.empty() ? "" : "; ", note);
    if (!note.empty()) notes_.add(printable(path), ": ", note);
  }

  Texts texts;
  std::string last;                                        // path of a file that was opened
  std::map<LineEnds, std::vector<std::string>> line_ends;  // and the files with lines that end so

 private:
  std::string read(const std::string& path) {
    last = path;
    try {
      return read_file(path, model::max_file_size() - std::ssize(texts.joined));
    } catch (const model::SystemError& error) {
      const std::string advice = no_file_at_all(path);
      if (advice.empty()) throw;
      fail(error.what(), advice);
    }
  }
  bool is_refused(const Decoded& file) const {
    return no_text_ != NoText::read && !file.why_no_text.empty();
  }
  void take(const std::string& path, Decoded file) {
    seen_.insert(file_identity(path));
    line_ends[file.line_ends].push_back(path);
    if (file.is_utf16)
      notes_.add(printable(path), ": is UTF-16, read as UTF-8 (",
                 counted(std::ssize(file.text), "byte"), ")");
    texts.paths.push_back(path);
    texts.identities.push_back(
        {absolute_path(path), file.text.size(), model::checksum(file.text), file.marked});
    if (texts.joined.empty())
      texts.joined = std::move(file.text);
    else
      texts.joined += file.text;
    texts.ends.push_back(texts.joined.size());
  }
  // Advice for a directory without a text.
  static std::string use_of(const std::string& path) {
    if (file_exists(RunFiles(path).checkpoint))
      return joined("; it is a run's directory, ",
                    unbroken("gradus train --resume " + shell_quoted(path)), " continues the run");
    return file_exists(RunFiles(path).model) ? use_of_model(path) : "";
  }

  NoText no_text_;
  Notes& notes_;
  std::set<FileIdentity> seen_;  // of the files read
};

}  // namespace

Texts read_texts(const std::vector<std::string>& paths, NoText no_text, Notes& notes) {
  Reader reader(no_text, notes);
  try {
    for (const std::string& path : paths)
      is_directory(path) ? reader.read_directory(path) : reader.read_one(path);
  } catch (const std::bad_alloc&) {
    fail(printable(reader.last), ": out of memory, the file has ",
         count_text(model::file_size(reader.last)), " bytes", memory_limit());
  }
  Texts texts = std::move(reader.texts);
  for (const auto& [ends, files] : reader.line_ends)
    if (ends == LineEnds::crlf || (ends != LineEnds::lf && no_text != NoText::read))
      note_line_ends(ends, files, notes);
  texts.name = joined(texts.paths.size(), " texts");
  if (paths.size() == 1)
    texts.name = printable(paths[0]) +
                 (texts.paths.size() == 1 ? "" : joined(" (", texts.paths.size(), " files)"));
  return texts;
}

void TextPart::for_each_file(const std::function<void(std::size_t, std::string_view)>& f) const {
  std::size_t from = begin;
  for (std::size_t file = 0; file < texts.ends.size() && from < end; ++file) {
    const std::size_t to = std::min(texts.ends[file], end);
    if (to <= from) continue;  // it ends before this part
    f(file, std::string_view(texts.joined).substr(from, to - from));
    from = to;
  }
}

std::vector<std::string_view> TextPart::files() const {
  std::vector<std::string_view> files;
  for_each_file([&](std::size_t, std::string_view text) { files.push_back(text); });
  return files;
}

void encode(const TextPart& part, const model::Tokenizer& tokenizer, model::TokenIds& ids,
            model::UnknownSymbols* unknown) {
  const std::string_view joined_text = part.texts.joined;
  model::KnownChunks known;
  // text: the part that begins at `begin`; offsets in errors count from there and name this text.
  const auto encode_one = [&](const std::string& name, std::size_t begin, std::string_view text) {
    const auto from = static_cast<std::size_t>(text.data() - joined_text.data());
    const bool all_known = unknown && unknown->count == 0;
    try {
      tokenizer.encode_from(from - begin, joined_text.substr(begin, from + text.size() - begin),
                            ids, unknown, known);
    } catch (const Error& error) {
      fail(name, ": ", error.what());
    } catch (const std::bad_alloc&) {
      fail(name, ": out of memory for the tokens of ", count_text(std::ssize(text)), " bytes",
           memory_limit());
    }
    if (all_known && unknown->count > 0) unknown->first = joined(name, ": ", unknown->first);
  };
  const Texts& texts = part.texts;
  if (!tokenizer.appends_end_of_text()) return encode_one(texts.name, 0, part.text());
  const std::int32_t end_of_text = *tokenizer.end_of_text();
  part.for_each_file([&](std::size_t file, std::string_view text) {
    const Index before = ids.size();
    encode_one(printable(texts.paths[file]), file == 0 ? 0 : texts.ends[file - 1], text);
    const bool is_whole = text.data() + text.size() == texts.joined.data() + texts.ends[file];
    if (is_whole && ids.size() > before && ids[ids.size() - 1] != end_of_text)
      ids.push_back(end_of_text);
  });
}

void report_unknown(const Texts& texts, const model::UnknownSymbols& unknown, Index tokens,
                    bool skip, Notes& notes) {
  if (unknown.count == 0) return;
  const std::string symbols =
      joined(counted(unknown.count, "symbol"), unknown.count == 1 ? " that is" : " that are",
             " not in the vocabulary");
  if (skip)
    return notes.add(texts.name, ": ", symbols, ", left out; ", counted(tokens, "token"),
                     tokens == 1 ? " is left" : " are left");
  fail(unknown.first,
       model::is_nearly_utf8(texts.joined)
           ? joined("; --unknown skip leaves out the ", symbols,
                    "; a model trained with --tokenizer byte or bpe reads every text")
           : joined("; if the text is Latin-1, ", system::makes_utf8));
}

std::string broken_byte(const Texts& texts) {
  const std::size_t at = model::valid_utf8_prefix(texts.joined);
  if (at == texts.joined.size()) return "";
  const auto file =
      static_cast<std::size_t>(std::ranges::upper_bound(texts.ends, at) - texts.ends.begin());
  const std::size_t begin = file == 0 ? 0 : texts.ends[file - 1];
  return joined(printable(texts.paths[file]), ": ",
                model::not_utf8(std::string_view(texts.joined).substr(begin), at - begin));
}

}  // namespace train
