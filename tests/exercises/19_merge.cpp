// Exercise 19: one merge of a byte-pair encoding.
//
// `tokens` is a word, or a chunk of text, as a list of numbers; first each is a byte. Find the pair
// of neighbors that occurs most often, and replace it by the number `made`, everywhere:
//
//     1 2 3 1 2 4, made 9   ->   9 3 9 4      (1, 2) occurs twice, every other pair once
//
// Of pairs that occur equally often, take the one with the smaller left number; if these are equal
// too, the one with the smaller right number. So the same text gives the same tokens everywhere.
//
// A run like 5 5 5 has two pairs, (5, 5) and (5, 5). It is replaced from the left: made 5. Replace
// even if the best pair occurs only once. With fewer than two tokens there is nothing to do.
//
// Derive: after a replacement, where does the search for the next place begin?
//
// Read before: chapter 15 of the book. `train_bpe` in model/tokenizer/bpe/train.cpp does the same
// for a whole text, without counting everything again after each merge.
#include <map>
#include <utility>
#include <vector>

#include "tests/exercises/exercise.h"

using namespace exercises;

void merge_once(Tokens& tokens, std::int32_t made) {
  // --- your code instead of the next line: std::map<std::pair<std::int32_t, std::int32_t>, int> ...
  not_done(tokens, made);
}

int main() { return grade_merge(merge_once); }
