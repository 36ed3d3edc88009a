// Where a slot's sum lies after each contribution: in the contribution's memory, in the slot's as before, or in new memory.
#include <utility>

#include "engine/ops.h"
#include "engine/tape.h"
#include "tests/book/by_hand/by_hand.h"

using namespace engine;

namespace {

const real* memory(const Gradient& slot) { return slot.value().data(); }

// Adds a contribution, and prints where the sum lies then.
void add(std::ostream& out, const char* what, const Gradient& slot, Tensor contribution) {
  const real* const before = slot.written() ? memory(slot) : nullptr;
  const real* const theirs = contribution.data();
  slot.accumulate(std::move(contribution));
  const real* const now = memory(slot);
  by_hand::print(out, "  %-38s %-20s %.0f %.0f\n", what,
                 now == theirs   ? "the contribution's"
                 : now == before ? "the same as before"
                                 : "new",
                 static_cast<double>(now[0]), static_cast<double>(now[1]));
}

void print(std::ostream& out) {
  Tensor leaf = Tensor::of({0, 0}), other = Tensor::of({0, 0});
  leaf.require_gradient();
  other.require_gradient();
  Tape tape;
  const Gradient result = (leaf * 2).gradient();
  const Tensor dy = Tensor::of({1, 2}), more = Tensor::of({10, 20});
  by_hand::print(out, "  %-38s %-20s %s\n", "", "memory of the sum", "sum");
  add(out, "a result: dy (1)", result, dy);
  add(out, "  then more (4)", result, more);
  add(out, "  then more again (3)", result, more);
  add(out, "a leaf: dy (2)", leaf.gradient(), dy);
  add(out, "  then more (3)", leaf.gradient(), more);
  add(out, "a leaf: dy that nobody shares (1)", other.gradient(), dy.clone());
  by_hand::print(out, "  dy is still %.0f %.0f\n", static_cast<double>(dy.data()[0]),
                 static_cast<double>(dy.data()[1]));
}

const by_hand::Registered registered(print);

}  // namespace
