// Solution of exercise 2. The first contribution overwrites, the others add. The first one's
// memory is kept, which saves a copy for every value that is used once. If another slot holds it
// too, a sum goes to memory of its own.
#include "tests/exercises/exercise.h"

using namespace exercises;

void accumulate(SharedSlot& slot, const Memory& contribution) {
  if (!slot.written) {
    slot.values = contribution;
    slot.written = true;
    return;
  }
  if (slot.values.use_count() > 1) slot.values = std::make_shared<std::vector<real>>(*slot.values);
  for (std::size_t j = 0; j < contribution->size(); ++j) (*slot.values)[j] += (*contribution)[j];
}

int main() { return grade_accumulate(accumulate); }
