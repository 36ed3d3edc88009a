// Comparisons, which make masks, and `where`, which chooses by a mask.

#include "engine/base/check.h"
#include "engine/broadcast.h"
#include "engine/ops.h"
#include "engine/ops/map.h"
#include "engine/tape.h"

namespace engine {

using kernels::select;
using kernels::Vec;

namespace {

// 1 where holds(a, b), 0 elsewhere: piecewise constant, so there is no gradient to record.
template <class Holds>
Mask compare(const char* op, Holds holds, const Tensor& a, const Tensor& b) {
  return Mask(map_broadcast(
      op, [holds](Vec u, Vec v) { return select(holds(u, v), kernels::splat(1), Vec{}); }, a, b));
}

}  // namespace

Mask less(const Tensor& a, const Tensor& b) {
  return compare(
      "less", [](Vec u, Vec v) { return u < v; }, a, b);
}
Mask less_equal(const Tensor& a, const Tensor& b) {
  return compare(
      "less_equal", [](Vec u, Vec v) { return u <= v; }, a, b);
}
Mask greater(const Tensor& a, const Tensor& b) {
  return compare(
      "greater", [](Vec u, Vec v) { return u > v; }, a, b);
}
Mask greater_equal(const Tensor& a, const Tensor& b) {
  return compare(
      "greater_equal", [](Vec u, Vec v) { return u >= v; }, a, b);
}
Mask equal(const Tensor& a, const Tensor& b) {
  return compare(
      "equal", [](Vec u, Vec v) { return u == v; }, a, b);
}
Mask not_equal(const Tensor& a, const Tensor& b) {
  return compare(
      "not_equal", [](Vec u, Vec v) { return u != v; }, a, b);
}

// y = a where mask is not 0, b elsewhere
//     da = dy where mask is not 0, 0 elsewhere;  db the other way round
// Chosen, not multiplied by 0 or 1, so an infinity or NaN that is not chosen does not get into y.
Tensor where(const Tensor& mask, const Tensor& a, const Tensor& b) {
  const Shape shape = broadcast("where", mask.shape(), broadcast("where", a.shape(), b.shape()));
  const auto whole = [&shape](const Tensor& x) {
    return x.shape() == shape ? x : broadcast_to(x.detach(), shape);
  };
  const Tensor y = map([](Vec m, Vec u, Vec v) { return select(m != 0, u, v); }, whole(mask),
                       whole(a), whole(b));
  return record(
      Op::where, y, {a.gradient(), b.gradient()},
      [mask, da = a.gradient(), db = b.gradient()](const Tensor& dy) {
        if (da)
          da.accumulate(map_broadcast(
              "where", [](Vec m, Vec dv) { return select(m != 0, dv, Vec{}); }, mask, dy));
        if (db)
          db.accumulate(map_broadcast(
              "where", [](Vec m, Vec dv) { return select(m != 0, Vec{}, dv); }, mask, dy));
      });
}

// Where x is beyond a limit, y is the limit and the gradient 0. On the limits the gradient is dy.
Tensor clamp(const Tensor& x, double low, double high) {
  check(low <= high, "clamp: low ", low, " and high ", high, ", expected low <= high");
  const Tensor raised = masked_fill(x, x < low, static_cast<real>(low));
  return masked_fill(raised, x > high, static_cast<real>(high));
}

}  // namespace engine
