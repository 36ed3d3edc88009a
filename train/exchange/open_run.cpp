#include "train/exchange/open_run.h"

#include <cstdint>
#include <exception>

#include "model/base/files.h"
#include "model/format/checksum.h"
#include "train/exchange/open_foreign.h"
#include "train/run/checkpoint.h"
#include "train/system/files.h"

namespace train {

namespace {

std::string bytes_text(std::uint64_t size) { return counted(static_cast<Index>(size), "byte"); }

std::string text_of(const TextIdentity& text) {
  return joined(bytes_text(text.size), ", checksum ", model::hex(text.hash, 16));
}

Texts read_texts_again(std::vector<std::string> named, const std::vector<TextIdentity>& stored,
                       std::string_view kind, const RunFiles& files, NoText no_text) {
  const std::string shown = printable(files.directory);
  const bool by_stored_path = named.empty();
  const auto refuse = [&](const std::string& path, const TextIdentity& was, const std::string& is) {
    throw OtherText(joined(printable(path), ": is not the ", kind, " the run was started on, ",
                           printable(was.path), " (", text_of(was), "), but ", is),
                    "a run continues with its own text only; --force starts over with another");
  };
  if (by_stored_path)
    for (const TextIdentity& text : stored) {
      if (text.path.empty())
        throw OtherText(joined(shown, ": the name of a ", kind, " could not be stored"),
                        "add its path to the command");
      named.push_back(text.path);
    }
  Texts texts;
  try {  // their kinds were checked, and noted, at the start
    // By now anything may be at a stored path: read no more bytes than the text can take, in UTF-16
    // and with CRLF.
    if (by_stored_path)
      for (const TextIdentity& was : stored) {
        const auto size = static_cast<std::uint64_t>(model::file_size(was.path));
        if (is_directory(was.path)) refuse(was.path, was, "a directory");
        if (size > 4 * was.size + 2) refuse(was.path, was, bytes_text(size));
      }
    Notes unused;
    texts = read_texts(named, by_stored_path ? NoText::read : no_text, unused);
  } catch (const model::SystemError& error) {
    if (!by_stored_path) throw;
    throw OtherText(error.what(), "if it was moved, add its new path to the command");
  }
  check(texts.paths.size() == stored.size(), texts.name, ": the run in ", shown, " was started on ",
        counted(std::ssize(stored), kind), ", not ", texts.paths.size());
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const TextIdentity &was = stored[i], &is = texts.identities[i];
    if (!is.matches(was)) refuse(texts.paths[i], was, text_of(is));
  }
  return texts;
}

}  // namespace

Run read_run(const RunFiles& files) {
  Run run = [&] {
    const model::FileBytes bytes = model::read_large_file(files.checkpoint, model::max_file_size(),
                                                          model::look_at_safetensors);
    try {
      return model::within(
          [&] {
            const model::SafetensorsFile file(view(bytes));
            check_format(file.metadata(), files.directory);
            return read_checkpoint(file);
          },
          files.checkpoint);
    } catch (const std::exception& error) {
      fail_too_large(files.checkpoint, error, "the run");
    }
  }();
  engine::pool::trim();  // gives the file's memory back
  return run;
}

RunText read_again(const TextPaths& paths, const Plan& plan, const RunInfo& info,
                   const model::Tokenizer& tokenizer, const RunFiles& files, NoText no_text) {
  Texts texts = read_texts_again(paths.texts, info.texts, "text", files, no_text), val_texts;
  if (!info.val_texts.empty())
    val_texts =
        read_texts_again(paths.val_texts, info.val_texts, "validation text", files, no_text);
  Sources sources = split_texts(std::move(texts), std::move(val_texts), plan.val_fraction,
                                separator_of(tokenizer));
  Notes unused;  // unknown symbols are left out, as at the start
  Corpus corpus = encode(sources, tokenizer, true, unused);
  check_context(sources, corpus, plan.block_size);
  free_text(sources);
  return {std::move(sources), std::move(corpus)};
}

}  // namespace train
