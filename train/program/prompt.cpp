#include "train/program/prompt.h"

#include <algorithm>
#include <utility>

#include "model/base/utf8.h"
#include "train/cli/arguments.h"
#include "train/system/files.h"
#include "train/system/process.h"
#include "train/text/text_kind.h"

namespace train {

std::optional<std::string> file_of_prompt(const std::string& flag) {
  constexpr std::string_view file = "FILE:";
  if (!flag.starts_with(file)) return {};
  return flag.substr(file.size());
}

Prompt read_prompt(const std::string& flag, Notes& notes) {
  const std::optional<std::string> file = file_of_prompt(flag);
  Prompt prompt;
  if (file || flag == "-") {
    prompt.name = file ? printable(*file) : "standard input";
    Decoded read = decode(file ? read_file(*file, max_prompt_bytes) : read_input(max_prompt_bytes));
    if (read.line_ends != LineEnds::lf)
      notes.add(prompt.name, ": ", line_ends_text(read.line_ends));
    prompt.text = std::move(read.text);
  } else {
    prompt = {"--prompt", without_mark(unescaped("--prompt", flag, notes))};
  }
  check(!prompt.text.empty(), prompt.name, ": is empty, expected a prompt");
  return prompt;
}

std::vector<std::int32_t> encode(const model::Tokenizer& tokenizer, const Prompt& prompt,
                                 bool skip_unknown) {
  model::UnknownSymbols unknown;
  std::vector<std::int32_t> list;
  try {
    const model::TokenIds ids = tokenizer.encode(prompt.text, skip_unknown ? &unknown : nullptr);
    list.resize(static_cast<std::size_t>(ids.size()));
    ids.copy(0, list);
  } catch (const Error& error) {
    throw UnknownSymbol(joined(prompt.name, ": ", error.what(), "; --unknown skip leaves it out"));
  }
  if (list.empty())
    throw UnknownSymbol(joined(prompt.name, ": none of its symbols is in the vocabulary"));
  if (unknown.count > 0)
    write_line(joined(prompt.name, ": skipped ", counted(unknown.count, "symbol"),
                      unknown.count == 1 ? " that is" : " that are", " not in the vocabulary"));
  return list;
}

// ECMA-48: ESC [, parameters and intermediates 20..3F, a final byte 40..7E; or ESC O and a byte.
std::string without_keys(std::string_view line) {
  std::string text;
  while (!line.empty()) {
    const bool sequence = line.starts_with("\x1b[") || line.starts_with("\x1bO");
    if (!sequence) {
      if (line[0] != '\x1b') text += line[0];
      line.remove_prefix(1);
      continue;
    }
    std::size_t end = 2;
    while (end < line.size() && line[end] >= ' ' && line[end] < '@') ++end;
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return text;
}

}  // namespace train
