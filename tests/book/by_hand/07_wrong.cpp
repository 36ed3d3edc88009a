// Five ways to get an op wrong, and what the check says of each (with four digits).
#include <functional>
#include <regex>

#include "engine/gradient_check.h"
#include "engine/kernels/vector_math.h"
#include "engine/ops.h"
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

Tensor scaled(const Tensor& x, const Tensor& w) {
  return record("scaled", x.detach() * w.detach(), {x.gradient(), w.gradient()},
                [w, dx = x.gradient()](const Tensor& dy) { dx.accumulate(dy * w); });
}

void print(std::ostream& out) {
  const Tensor x = Tensor::of({0.25, 0.5, 1}).require_gradient();
  const Tensor w = Tensor::of({3}).require_gradient();
  const auto check = [&](const char* mistake, const auto& f, const std::vector<Tensor>& inputs) {
    by_hand::print(out, "%s\n", mistake);
    try {
      check_gradient(f, inputs);
      out << "  passes\n";
    } catch (const Error& error) {
      out << "  " << std::regex_replace(error.what(), std::regex(R"((\.\d{4})\d+)"), "$1") << "\n";
    }
  };
  const auto of = [&](real factor, bool over) { return std::bind_front(bell, x, factor, over); };
  check("none:", of(-2, false), {x});
  check("-1 where the derivative has -2:", of(-1, false), {x});
  check("a factor that is 1.001 times too large:", of(real(-2.002), false), {x});
  check("overwrites what the slot holds:", of(-2, true), {x});
  check("forgets one of two inputs:", std::bind_front(scaled, x, w), {x, w});
  const auto changing = [&] {
    const Tensor y = bell(x, -2, false);
    x.mark_changed();
    return y;
  };
  check("changes x after the op has saved it:", changing, {x});
}

const by_hand::Registered registered(print);

}  // namespace
