// Solution of exercise 19. A map is sorted by its keys, smaller pairs first, so the first pair with
// the largest count is the right one of those that tie. A merge replaces two tokens: the search
// continues after both.
#include <map>
#include <utility>
#include <vector>

#include "tests/exercises/exercise.h"

using namespace exercises;

void merge_once(Tokens& tokens, std::int32_t made) {
  std::map<std::pair<std::int32_t, std::int32_t>, int> counts;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) ++counts[{tokens[i], tokens[i + 1]}];
  std::pair<std::int32_t, std::int32_t> best;
  int most = 0;
  for (const auto& [pair, count] : counts)
    if (count > most) best = pair, most = count;

  Tokens merged;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (i + 1 < tokens.size() && best == std::pair(tokens[i], tokens[i + 1])) {
      merged.push_back(made);
      ++i;
    } else {
      merged.push_back(tokens[i]);
    }
  tokens = merged;
}

int main() { return grade_merge(merge_once); }
