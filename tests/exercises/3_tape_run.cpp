// Exercise 3: the backward loop of a tape.
//
// The forward pass has recorded its ops in a list, the first op first. Each is a node:
//
//     tape[i].result        the slot of its result y: d loss / d y is summed there
//     tape[i].backward(dy)  adds to the slots of the op's inputs, by the chain rule
//
// A slot has .sum, .written (whether something was added), .add(d) and .clear().
//
// Write: d loss / d loss is 1: add it to the slot of the loss. Then run each node if its result has
// a gradient, with that gradient as dy. If nothing was written to the slot, the node does not run:
// the loss does not depend on its result. When a node runs, its result's slot is no longer needed:
// leave it cleared. The slots of leaves, which are no node's result, keep their sums; they may hold
// some already, of an earlier backward pass.
//
// Derive: dy is a sum, with one term for each op that used y. In which order must the nodes run for
// all terms to be there?
//
// Read before: tests/tour/1_one_number.cpp, the comment at the top of engine/tape.h. `Tape::run` in
// engine/tape.cpp has the result.
#include "tests/exercises/exercise.h"

using namespace exercises;

void tape_run(Nodes tape, Slot& loss) {
  // --- your code instead of the next line: loss.add(...), tape[i].backward(...), i < tape.size ---
  not_done(tape, loss);
}

int main() { return grade_tape_run(tape_run); }
