// Broadcasting (4, 1) and (3): which element of each operand every row of the result begins to read from.
#include "engine/broadcast.h"
#include "tests/book/by_hand/by_hand.h"

using engine::Shape;

namespace {

void print(std::ostream& out) {
  const Shape a{4, 1}, b{3}, y = engine::broadcast("add", a, b);
  const engine::detail::RowWalk walk_a(a, y), walk_b(b, y);
  by_hand::print(out, "  row of y   offset in a (4, 1)   offset in b (3)\n");
  for (engine::Index row = 0; row < y.rows(); ++row)
    by_hand::print(out, "  %8d %20d %17d\n", static_cast<int>(row),
                   static_cast<int>(walk_a.offset(row)), static_cast<int>(walk_b.offset(row)));
  by_hand::print(out, "  one element for the whole row:  a %s, b %s\n",
                 walk_a.repeats_element() ? "yes" : "no", walk_b.repeats_element() ? "yes" : "no");
}

const by_hand::Registered registered(print);

}  // namespace
