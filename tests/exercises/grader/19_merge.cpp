// Grades exercise 19, one merge of a byte-pair encoding, against its definition.
#include <algorithm>
#include <map>
#include <utility>

#include "tests/exercises/grader/grader.h"

namespace exercises {
namespace {

using Pair = std::pair<std::int32_t, std::int32_t>;

// The merge, and what may go wrong in it.
struct MergeSlips {
  bool last_of_equals = false;  // of pairs that occur equally often
  bool by_first_place = false;  // of those the one that comes first in the text
  bool overlapping = false;     // a token of a replaced pair may be in the next one, too
  bool everywhere = true;
  bool from_left = true;
  bool at_least_2 = false;
  bool counts_runs_once = false;  // 5 5 5 counts as one pair
};

Pair best_pair(const Tokens& tokens, const MergeSlips& slips) {
  std::map<Pair, int> counts;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const Pair pair{tokens[i], tokens[i + 1]};
    ++counts[pair];
    if (slips.counts_runs_once && i + 2 < tokens.size() && pair.first == pair.second &&
        tokens[i + 2] == pair.second)
      ++i;
  }
  Pair best;
  int most = slips.at_least_2 ? 1 : 0;
  const auto consider = [&](const Pair& pair) {
    if (counts[pair] > most || (slips.last_of_equals && counts[pair] == most)) {
      best = pair;
      most = counts[pair];
    }
  };
  if (slips.by_first_place)
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) consider({tokens[i], tokens[i + 1]});
  else
    for (const auto& [pair, count] : counts) consider(pair);
  return most == (slips.at_least_2 ? 1 : 0) ? Pair{-1, -1} : best;
}

void merge_with(Tokens& tokens, std::int32_t made, const MergeSlips& slips) {
  Pair best = best_pair(tokens, slips);
  Tokens from = tokens;
  if (!slips.from_left) {
    std::ranges::reverse(from);
    std::swap(best.first, best.second);
  }
  Tokens merged;
  bool done = false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool found =
        i + 1 < from.size() && best == Pair{from[i], from[i + 1]} && (slips.everywhere || !done);
    merged.push_back(found ? made : from[i]);
    done |= found;
    if (found &&
        !(slips.overlapping && i + 2 < from.size() && best == Pair{from[i + 1], from[i + 2]}))
      ++i;
  }
  if (!slips.from_left) std::ranges::reverse(merged);
  tokens = merged;
}

const std::vector<Mistake<MergeOnce>> merge_mistakes = {
    {"only the first place is replaced; every place where the pair occurs is",
     [](Tokens& x, std::int32_t made) { merge_with(x, made, {.everywhere = false}); }},
    {"of pairs that occur equally often the last is taken; the smaller left number, then the "
     "smaller "
     "right one, decides",
     [](Tokens& x, std::int32_t made) { merge_with(x, made, {.last_of_equals = true}); }},
    {"of pairs that occur equally often the first in the text is taken; the smaller left number, "
     "then "
     "the smaller right one, decides",
     [](Tokens& x, std::int32_t made) { merge_with(x, made, {.by_first_place = true}); }},
    {"a token belongs to two replaced pairs: after a replacement go on behind both of its tokens",
     [](Tokens& x, std::int32_t made) { merge_with(x, made, {.overlapping = true}); }},
    {"a run is replaced from the right; 5 5 5 becomes made 5, from the left",
     [](Tokens& x, std::int32_t made) { merge_with(x, made, {.from_left = false}); }},
    {"a pair that occurs once is not merged; here the best pair is, however often it occurs",
     [](Tokens& x, std::int32_t made) { merge_with(x, made, {.at_least_2 = true}); }},
    {"a run like 5 5 5 is counted as one pair; it has two",
     [](Tokens& x, std::int32_t made) { merge_with(x, made, {.counts_runs_once = true}); }},
    {"the tokens are as they were", [](Tokens&, std::int32_t) {}},
};

// As many numbers as there were tokens: those that are gone are -1.
Results run(MergeOnce* f, Tokens tokens, std::int32_t made) {
  const std::size_t size = tokens.size();
  f(tokens, made);
  engine::check(tokens.size() <= size, "there are more tokens than before: ", tokens.size(),
                " for ", size);
  tokens.resize(size, -1);
  const Tensor result = Tensor::zeros({std::ssize(tokens)});
  for (std::size_t i = 0; i < size; ++i) result.mutable_data()[i] = static_cast<real>(tokens[i]);
  return {{"tokens", result}};
}

}  // namespace

Exercise merge(MergeOnce* yours) {
  Exercise exercise{"19_merge", "expected", {}, {}};
  const auto trial = [&](const char* what, const Tokens& tokens, std::int32_t made) {
    add_trial(exercise, yours, merge_mistakes, what,
              run([](Tokens& x, std::int32_t m) { merge_with(x, m, {}); }, tokens, made),
              [=](MergeOnce* f) { return run(f, tokens, made); });
  };
  trial("tokens 1 2 3 1 2 4 1 2, made 9 (-1: no token any more)", {1, 2, 3, 1, 2, 4, 1, 2}, 9);
  trial("tokens 2 1 3 7 2 1 3 7, made 9: (2, 1), (1, 3) and (3, 7) occur twice",
        {2, 1, 3, 7, 2, 1, 3, 7}, 9);
  trial("tokens 5 5 5 7 6 7, made 9", {5, 5, 5, 7, 6, 7}, 9);
  trial("tokens 5 5 5 6 7 8 6 7, made 9: (5, 5) and (6, 7) occur twice", {5, 5, 5, 6, 7, 8, 6, 7},
        9);
  trial("tokens 3 2 1, made 9: each pair occurs once", {3, 2, 1}, 9);
  trial("token 7 alone, made 9", {7}, 9);
  return exercise;
}

int grade_merge(MergeOnce* yours) { return report(merge(yours)); }

}  // namespace exercises
