// The engine's answers, here, to what tests/book/live/changed.txt chooses in the book's live figures: a line of JSON each.
// site.mjs compares those of the browser. In the file a figure's name stands above its choices; behind it `said` where
// only its words are the same everywhere, since numbers are rounding or speed.
#include <iostream>
#include <string>

#include "engine/base/thread_pool.h"
#include "tests/book/live/live.h"

int main() {
  engine::set_thread_count(1);  // as in a page: each thread keeps memory of its own
  std::string name, line, choices;
  while (std::getline(std::cin, name)) {
    for (choices.clear(); std::getline(std::cin, line) && !line.empty();) choices += line + "\n";
    choices.pop_back();
    std::cout << live::answer(name.substr(0, name.find(' ')), choices) << "\n";
  }
}
