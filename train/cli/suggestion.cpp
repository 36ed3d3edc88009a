#include "train/cli/suggestion.h"

#include <algorithm>
#include <vector>

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

}  // namespace train
