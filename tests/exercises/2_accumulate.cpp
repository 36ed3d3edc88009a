// Exercise 2: the sum of gradients of a value that is used more than once.
//
//     y = a + b, z = a c              a is used twice: da = dy + dz c
//
// Each op that uses a gives one term of da, and knows nothing of the others. So they meet in a's
// slot:
//
//     slot.values    a std::shared_ptr to the memory of the sum, a std::vector<real>
//     slot.written   false before the first contribution
//
// Write: *slot.values becomes the sum of all contributions since slot.written was false. Before the
// first one *slot.values holds numbers of an earlier step: they do not count.
//
// The contribution's memory is shared: y = a + b hands the same dy to the slots of a and of b, so
// you must not change *contribution. To keep the first contribution without copying it is allowed,
// slot.values = contribution, but then a later addition needs memory of its own: slot.values =
// std::make_shared<std::vector<real>>(*slot.values) makes a copy.
//
// Derive: which of the two, overwrite or add, is right for the first contribution, and which for
// the others?
//
// Read before: tests/tour/1_one_number.cpp, `GradientSlot` in engine/tensor.h.
// `Gradient::accumulate` in engine/tensor.cpp has the result, with the memory shared.
#include "tests/exercises/exercise.h"

using namespace exercises;

void accumulate(SharedSlot& slot, const Memory& contribution) {
  // --- your code instead of the next line: (*slot.values)[j] ... (*contribution)[j] ---
  not_done(slot, contribution);
}

int main() { return grade_accumulate(accumulate); }
