#include "train/run/texts.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/utf8.h"
#include "model/format/checksum.h"
#include "train/run/run_files.h"
#include "train/system/files.h"

namespace train {
namespace {

void add(Texts& texts, const std::string& path, std::string text) {
  texts.paths.push_back(path);
  texts.identities.push_back({absolute_path(path), text.size(), model::checksum(text)});
  if (texts.joined.empty())
    texts.joined = std::move(text);
  else
    texts.joined += text;
  texts.ends.push_back(texts.joined.size());
}

// Whether the path is a file that a run wrote: the directory of a run may lie among the texts.
bool is_of_run(const std::string& path) {
  const RunFiles run(path.substr(0, path.rfind('/')));
  return file_exists(run.checkpoint) &&
         (path == run.checkpoint || path == run.model || path == run.log);
}

}  // namespace

Texts read_texts(const std::vector<std::string>& paths) {
  Texts texts;
  const auto read = [&](const std::string& path) {
    return read_file(path, max_file_size() - std::ssize(texts.joined));
  };
  for (const std::string& path : paths) {
    const std::size_t before = texts.paths.size();
    if (is_directory(path)) {
      for (const std::string& file : files_in(path))
        if (!is_of_run(file))
          if (std::string text = read(file); !text.empty()) add(texts, file, std::move(text));
      engine::check(texts.paths.size() > before, engine::printable(path),
                    ": is a directory without a text in it");
    } else {
      std::string text = read(path);
      engine::check(!text.empty(), engine::printable(path), ": is empty, expected a text");
      add(texts, path, std::move(text));
    }
  }
  texts.name = engine::joined(texts.paths.size(), " texts");
  if (paths.size() == 1)
    texts.name =
        engine::printable(paths[0]) +
        (texts.paths.size() == 1 ? "" : engine::joined(" (", texts.paths.size(), " files)"));
  return texts;
}

std::vector<std::string_view> files_of(const Texts& texts) {
  std::vector<std::string_view> files;
  std::size_t begin = 0;
  for (const std::size_t end : texts.ends) {
    files.push_back(std::string_view(texts.joined).substr(begin, end - begin));
    begin = end;
  }
  return files;
}

void encode(const Texts& texts, const model::Tokenizer& tokenizer, model::TokenIds& ids) {
  const auto encode_one = [&](const std::string& name, std::string_view text) {
    try {
      tokenizer.encode(text, ids);
    } catch (const engine::Error& error) {
      engine::fail(name, ": ", error.what());
    }
  };
  const std::optional<std::int32_t> separator = tokenizer.separator();
  if (!separator) return encode_one(texts.name, texts.joined);
  const std::vector<std::string_view> files = files_of(texts);
  for (std::size_t i = 0; i < files.size(); ++i) {
    encode_one(engine::printable(texts.paths[i]), files[i]);
    if (ids[ids.size() - 1] != *separator) ids.push_back(*separator);
  }
}

void check_utf8(const Texts& texts) {
  const std::size_t wrong = engine::valid_utf8_prefix(texts.joined);
  if (wrong == texts.joined.size()) return;
  const auto file = std::ranges::upper_bound(texts.ends, wrong) - texts.ends.begin();
  const std::size_t begin = file == 0 ? 0 : engine::at(texts.ends, file - 1);
  try {
    engine::checked_code_point(std::string_view(texts.joined).substr(begin), wrong - begin);
  } catch (const engine::Error& error) {
    engine::fail(engine::printable(engine::at(texts.paths, file)), ": ", error.what());
  }
}

}  // namespace train
