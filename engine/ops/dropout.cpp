// dropout: y_i = x_i m_i, where m_i is 1 / (1 - p) if element i is kept and 0 if it is not
//     dx_i = dy_i m_i

#include "engine/ops/dropout.h"

#include <algorithm>

#include "engine/check.h"
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

// M drawn as PyTorch does.
Tensor pytorch_mask(const Shape& shape, double p, Generator& generator) {
  const Tensor mask = Tensor::uninitialized(shape);
  generator.dropout_mask(mask.mutable_values(), p);
  return mask;
}

void check_probability(double p) { check(p >= 0 && p < 1, "dropout: p ", p, " is not in [0, 1)"); }

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

// Element i of the tensor is kept iff hash(key, i) >= p 2^32. The hash is two rounds of multiply
// and xor-shift (the constants are those of Ettinger's lowbias32), the low half of the key mixed in
// before the first and the high half between them, so that two keys give unrelated masks.
void DropoutMask::apply(Index n, std::uint64_t first, const real* x, real* y, Write write) const {
  constexpr Index width = kernels::lanes;
  typedef std::uint32_t Words __attribute__((vector_size(4 * width)));
  typedef std::int32_t Signs __attribute__((vector_size(4 * width)));
  Words lane;
  for (int i = 0; i < width; ++i) lane[i] = static_cast<std::uint32_t>(i);
  const auto threshold = static_cast<std::uint32_t>(std::min(p_ * 0x1p32, 4294967295.0));
  const Vec scale = kernels::broadcast(static_cast<real>(1 / (1 - p_)));
  std::uint64_t element = first;
  const auto factor = [&] {
    // Elements beyond the first 2^32 take another key.
    const std::uint64_t key = key_ + (element >> 32) * 0x9e3779b97f4a7c15;
    Words h = (lane + static_cast<std::uint32_t>(element)) ^ static_cast<std::uint32_t>(key);
    h ^= h >> 16;
    h *= 0x7feb352d;
    h ^= h >> 15;
    h += static_cast<std::uint32_t>(key >> 32);
    h *= 0x846ca68b;
    h ^= h >> 16;
    element += static_cast<std::uint64_t>(width);
    const Signs kept = h >= threshold;
    return kernels::select(__builtin_convertvector(kept, kernels::IntVec), scale, Vec{});
  };
  kernels::map(
      n, y, write, [&](Vec u) { return u * factor(); }, x);
}

Tensor dropout(const Tensor& x, double p, Generator& generator, DropoutRule rule) {
  check_probability(p);
  if (rule == DropoutRule::pytorch && p > 0) {
    const Tensor m = pytorch_mask(x.shape(), p, generator);
    const Tensor y = map([](Vec u, Vec v) { return u * v; }, x, m);
    return record(Op::dropout, y, {x.gradient()}, [m, dx = x.gradient()](const Tensor& dy) {
      add_map(
          dx, [](Vec dv, Vec v) { return dv * v; }, dy, m);
    });
  }
  const DropoutMask mask = DropoutMask::draw(p, &generator);
  const Tensor y = Tensor::uninitialized(x.shape());
  apply_mask(mask, x, y.mutable_data(), Write::overwrite);
  return record(Op::dropout, y, {x.gradient()}, [mask, dx = x.gradient()](const Tensor& dy) {
    const Sum sum = dx.sum();
    apply_mask(mask, dy, sum.data, sum.write);
  });
}

}  // namespace engine
