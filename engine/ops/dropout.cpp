// dropout: y_i = x_i m_i, where m_i is 1 / (1 - p) if element i is kept and 0 if it is not; with
// p = 1 none is
//     dx_i = dy_i m_i

#include "engine/ops/dropout.h"

#include <algorithm>
#include <cstdint>

#include "engine/base/check.h"
#include "engine/kernels/counter_hash.h"
#include "engine/kernels/elementwise.h"
#include "engine/ops.h"
#include "engine/ops/map.h"
#include "engine/tape.h"

namespace engine {
namespace {

using kernels::Vec;
using kernels::Write;

// y (+)= x M, on all threads.
void apply_mask(const DropoutMask& mask, const Tensor& x, real* y, Write write) {
  parallel_for(x.size(), kernels::elements_per_range, [&](Index begin, Index end) {
    mask.apply(end - begin, static_cast<std::uint64_t>(begin), x.data() + begin, y + begin, write);
  });
}

void check_probability(double p) { check(p >= 0 && p <= 1, "dropout: p ", p, " is not in [0, 1]"); }

}  // namespace

DropoutMask DropoutMask::draw(double p, Generator* generator) {
  check_probability(p);
  DropoutMask mask;
  if (p == 0) return mask;
  check(generator != nullptr, "dropout: p ", p, " needs a generator");
  mask.p_ = p;
  mask.key_ = generator->random64();
  return mask;
}

void DropoutMask::apply(Index n, std::uint64_t first, const real* x, real* y, Write write) const {
  const std::int32_t threshold = kernels::CounterHash::threshold(p_);
  const Vec scale = kernels::splat(p_ < 1 ? 1 / (1 - p_) : 0);
  while (n > 0) {  // one iteration per segment of 2^32 elements, so nearly always one
    const kernels::CounterHash hash(key_, first >> 32);
    auto element = static_cast<std::uint32_t>(first);
    const Index count = std::min(n, (Index(1) << 32) - static_cast<Index>(element));
    kernels::map(
        count, y, write,
        [&](Vec u) {
          const Vec factor = kernels::select(hash.kept(element, threshold), scale, Vec{});
          element += kernels::lanes;
          return u * factor;
        },
        x);
    first += static_cast<std::uint64_t>(count);
    n -= count;
    x += count;
    y += count;
  }
}

Tensor dropout(const Tensor& x, double p, Generator& generator) {
  const DropoutMask mask = DropoutMask::draw(p, &generator);
  const Tensor y = Tensor::uninitialized(x.shape());
  apply_mask(mask, x, y.mutable_data(), Write::overwrite);
  return record(Op::dropout, y, {x.gradient()}, [mask, dx = x.gradient()](const Tensor& dy) {
    const GradientDestination out = dx.destination();
    apply_mask(mask, dy, out.data, out.write);
  });
}

}  // namespace engine
