#include "train/cli/suggestion.h"

#include <algorithm>
#include <vector>

#include "engine/base/number.h"
#include "train/cli/foreign_words.h"
#include "train/system/files.h"
#include "train/system/words.h"

namespace train {
namespace {

// Levenshtein distance: the number of letters to insert, delete or replace to turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string suggestion(std::string_view given, std::span<const std::string_view> names,
                       std::string_view prefix) {
  constexpr std::size_t max_length = 32;  // names are shorter
  std::string wrong(given.substr(0, max_length));
  for (char& c : wrong)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  std::string_view nearest;
  std::size_t smallest = wrong.size() < 4 ? 2 : 3;  // distances from here on are too far
  for (const std::string_view name : names) {
    if (name == "force" || name.starts_with('-')) continue;
    const bool begins = wrong.size() >= 3 && name.starts_with(wrong);
    const std::size_t distance = begins ? 1 : edit_distance(wrong, name);
    if (distance >= smallest) continue;
    smallest = distance;
    nearest = name;
  }
  return nearest.empty() ? "" : joined("; did you mean ", prefix, nearest, "?");
}

std::string flag_meant_by(std::string_view word, const std::string& name, Command command) {
  const auto our_flag = [&](std::string_view called) {
    const Flag* const flag = find_flag(called, command);
    return flag && flag->is_for(command) ? flag : nullptr;
  };
  if (word[1] != '-' && file_exists(std::string(word)))
    return joined("; the file is given as ./", printable(word));
  if (word[1] != '-' && our_flag(word.substr(0, 2)) && word.size() > 2 && engine::is_digit(word[2]))
    return joined("; did you mean ", word.substr(0, 2), ' ', printable(word.substr(2)), '?');
  if (name.starts_with("no_"))
    if (const Flag* const flag = our_flag(name.substr(3)); flag && flag->value == "true|false")
      return joined("; did you mean --", flag->name, " false?");
  std::vector<std::string_view> names = flag_names(command);
  names.push_back("help");
  const std::string nearest = suggestion(name, names, "--");
  return nearest.empty() ? joined("; gradus ", info_of(command).name, " --help lists all flags")
                         : nearest;
}

std::string command_meant_by(std::string_view word) {
  if (const ForeignWord* const foreign = find_foreign_command(word))
    return joined("; ", what_to_say(*foreign, ""));
  const std::string path(word);
  if (file_exists(path)) {
    const bool is_model = is_directory(path) || path.ends_with(".safetensors") ||
                          path.ends_with(".gguf") || path.ends_with(".pt");
    return joined("; ",
                  unbroken(joined("gradus ", is_model ? "sample " : "train ", shell_quoted(path))),
                  is_model ? " writes with a model" : " trains on a text");
  }
  std::vector<std::string_view> names;
  for (const CommandInfo& command : commands()) names.push_back(command.name);
  return suggestion(word, names, "");
}

}  // namespace train
