// Suggestions for a wrong word: every name of a flag with each kind of typing error, against the
// definition of the distance between two words.
#include "train/cli/suggestion.h"

#include <algorithm>
#include <vector>

#include "tests/catch.h"

using namespace train;

namespace {

using Size = std::size_t;

// distance[i][j]: of the first i letters of a and the first j of b.
Size distance_of(std::string_view a, std::string_view b) {
  std::vector<std::vector<Size>> distance(a.size() + 1, std::vector<Size>(b.size() + 1));
  for (Size i = 0; i <= a.size(); ++i)
    for (Size j = 0; j <= b.size(); ++j)
      distance[i][j] = i == 0   ? j
                       : j == 0 ? i
                                : std::min({distance[i - 1][j] + 1, distance[i][j - 1] + 1,
                                            distance[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
  return distance[a.size()][b.size()];
}

// The nearest name, of two that are equally near the first: one slip away, or two of a word of four
// letters at least; a beginning of three letters is as near as one slip.
std::string expected_of(const std::string& wrong, const std::vector<std::string_view>& names) {
  Size least = wrong.size() <= 3 ? 1 : 2;
  std::string_view nearest;
  for (const std::string_view name : names) {
    if (name == "force" || name[0] == '-') continue;
    const bool begins = wrong.size() >= 3 && name.substr(0, wrong.size()) == wrong;
    const Size distance = begins ? 1 : distance_of(wrong, name);
    if (distance < least || (distance == least && nearest.empty()))
      least = distance, nearest = name;
  }
  return nearest.empty() ? "" : joined("; did you mean --", nearest, "?");
}

// With a letter left out, doubled, replaced or exchanged with the next, at each place; and cut off.
std::vector<std::string> slips_of(std::string_view name) {
  std::vector<std::string> words;
  for (Size i = 0; i < name.size(); ++i) {
    const std::string before(name.substr(0, i)), after(name.substr(i + 1)), letter(1, name[i]);
    words.insert(words.end(), {before, before + after, before + letter + letter + after,
                               before + "z" + after, before + "zz" + after});
    if (!after.empty()) words.push_back(before + after[0] + letter + after.substr(1));
  }
  return words;
}

}  // namespace

TEST_CASE("suggestion: each slip of each flag's name leads to the nearest name, or to none") {
  for (const Command command : {Command::train, Command::sample, Command::report}) {
    const std::vector<std::string_view> names = flag_names(command);
    for (const std::string_view name : names)
      for (const std::string& wrong : slips_of(name)) {
        const std::string expected = expected_of(wrong, names);
        if (suggestion(wrong, names, "--") == expected) continue;
        INFO(wrong);
        CHECK(suggestion(wrong, names, "--") == expected);
      }
  }
  CHECK(suggestion("N_LAYER", flag_names(Command::train), "--") == "; did you mean --n_layer?");
}
