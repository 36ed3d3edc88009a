// Arithmetic, element by element. da is d loss / d a, the gradient: of y = a b, da = dy b. Operands
// broadcast; in backward Gradient::accumulate sums over the broadcast axes, so the rules below are
// written for equal shapes. In lambdas u, v are the operands' lanes.

#include <cmath>

#include "engine/broadcast.h"
#include "engine/ops.h"
#include "engine/ops/map.h"
#include "engine/tape.h"

namespace engine {

using kernels::Vec;

// y = a + b
//     da = dy, db = dy
Tensor add(const Tensor& a, const Tensor& b) {
  const Tensor y = map_broadcast(
      "add", [](Vec u, Vec v) { return u + v; }, a, b);
  return record(Op::add, y, {a.gradient(), b.gradient()},
                [da = a.gradient(), db = b.gradient()](const Tensor& dy) {
                  if (da) da.accumulate(dy);
                  if (db) db.accumulate(dy);
                });
}

// y = a - b
//     da = dy, db = -dy
Tensor sub(const Tensor& a, const Tensor& b) {
  const Tensor y = map_broadcast(
      "sub", [](Vec u, Vec v) { return u - v; }, a, b);
  return record(Op::sub, y, {a.gradient(), b.gradient()},
                [da = a.gradient(), db = b.gradient()](const Tensor& dy) {
                  if (da) da.accumulate(dy);
                  if (db) db.accumulate(-dy);
                });
}

// y = a b
//     da = dy b, db = dy a     (a is saved only if b has a gradient slot, and b only if a has one)
Tensor mul(const Tensor& a, const Tensor& b) {
  const Tensor y = map_broadcast(
      "mul", [](Vec u, Vec v) { return u * v; }, a, b);
  return record(Op::mul, y, {a.gradient(), b.gradient()},
                [a = saved_for(b, a), b = saved_for(a, b), da = a.gradient(),
                 db = b.gradient()](const Tensor& dy) {
                  if (da) da.accumulate(dy * b);
                  if (db) db.accumulate(dy * a);
                });
}

// y = a / b
//     da = dy / b, db = -dy y / b
Tensor div(const Tensor& a, const Tensor& b) {
  const Tensor y = map_broadcast(
      "div", [](Vec u, Vec v) { return u / v; }, a, b);
  return record(Op::div, y, {a.gradient(), b.gradient()},
                [b, y = saved_for(b, y), da = a.gradient(), db = b.gradient()](const Tensor& dy) {
                  if (da) da.accumulate(dy / b);
                  if (db) db.accumulate(-(dy * y / b));
                });
}

// y = x^p
//     dx = dy p x^(p-1), and 0 where p = 0 (x^0 is 1 everywhere)
//     dp = dy y ln x,    and 0 where x = 0 and p >= 0, by convention
Tensor pow(const Tensor& x, const Tensor& exponent) {
  const auto lanewise = [](auto f) {
    return [f](Vec u, Vec v) {
      for (int i = 0; i < kernels::lanes; ++i) u[i] = f(u[i], v[i]);
      return u;
    };
  };
  const Tensor y =
      map_broadcast("pow", lanewise([](real u, real p) { return std::pow(u, p); }), x, exponent);
  return record(
      Op::pow, y, {x.gradient(), exponent.gradient()},
      [lanewise, x, exponent, dx = x.gradient(), dp = exponent.gradient()](const Tensor& dy) {
        const auto by_x =
            lanewise([](real u, real p) { return p == 0 ? real(0) : p * std::pow(u, p - 1); });
        const auto by_p = lanewise([](real u, real p) {
          return u == 0 && p >= 0 ? real(0) : std::pow(u, p) * std::log(u);
        });
        if (dx) dx.accumulate(dy * map_broadcast("pow", by_x, x, exponent));
        if (dp) dp.accumulate(dy * map_broadcast("pow", by_p, x, exponent));
      });
}

// y = -x
//     dx = -dy
Tensor neg(const Tensor& x) {
  const Tensor y = map([](Vec u) { return -u; }, x);
  return record(Op::neg, y, {x.gradient()},
                [dx = x.gradient()](const Tensor& dy) { dx.accumulate(-dy); });
}

}  // namespace engine
