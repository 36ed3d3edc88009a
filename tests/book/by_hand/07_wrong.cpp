// Three ways to get y = exp(-x^2) wrong, and what the check says of each (with three digits).
#include <regex>

#include "engine/gradient_check.h"
#include "engine/kernels/vector_math.h"
#include "engine/ops/map.h"
#include "engine/tape.h"
#include "tests/book/by_hand/by_hand.h"

using namespace engine;
using kernels::Vec;

namespace {

Tensor bell(const Tensor& x, real factor, bool overwrites) {
  const Tensor y = map([](Vec u) { return kernels::exp(-u * u); }, x);
  return record("bell", y, {x.gradient()},
                [x, y, factor, overwrites, dx = x.gradient()](const Tensor& dy) {
                  if (overwrites && dx.written()) dx.clear();
                  add_map(
                      dx, [factor](Vec u, Vec v, Vec dv) { return dv * v * factor * u; }, x, y, dy);
                });
}

void print(std::ostream& out) {
  const Tensor x = Tensor::of({0.25, 0.5, 1}).require_gradient();
  const auto check = [&](const char* mistake, const std::function<Tensor()>& f) {
    by_hand::print(out, "%s\n", mistake);
    try {
      check_gradient(f, {x});
      out << "  passes\n";
    } catch (const Error& error) {
      out << "  " << std::regex_replace(error.what(), std::regex(R"((\.\d{3})\d+)"), "$1") << "\n";
    }
  };
  check("none:", [&] { return bell(x, -2, false); });
  check("-1 where the derivative has -2:", [&] { return bell(x, -1, false); });
  check("overwrites what the slot holds:", [&] { return bell(x, -2, true); });
  check("changes x after the op has saved it:", [&] {
    const Tensor y = bell(x, -2, false);
    x.mark_changed();
    return y;
  });
}

const by_hand::Registered registered(print);

}  // namespace
