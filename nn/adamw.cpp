#include "nn/adamw.h"

#include <algorithm>
#include <cmath>

#include "engine/base/index.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/reduce.h"
#include "engine/kernels/simd.h"

namespace nn {

using engine::kernels::broadcast;
using engine::kernels::Vec;

AdamW::AdamW(const FlatParameters& parameters, const AdamWOptions& options)
    : parameters_(parameters), options_(options), m_(parameters.size()), v_(parameters.size()) {
  std::fill_n(m_.data(), m_.size(), real(0));
  std::fill_n(v_.data(), v_.size(), real(0));
  constexpr Index max_piece = Index(1) << 15;  // 128 KiB each of p, g, m and v
  for (const auto& entry : parameters.entries())
    for (Index begin = 0; begin < entry.tensor.size(); begin += max_piece)
      pieces_.push_back({entry.offset + begin, std::min(max_piece, entry.tensor.size() - begin),
                         entry.tensor.shape().rank() >= 2});
}

double AdamW::gradient_norm() const {
  return std::sqrt(
      engine::kernels::parallel_sum_of_squares(parameters_.size(), parameters_.gradients()));
}

void AdamW::step(double lr, double norm) {
  ++steps_;
  const auto t = static_cast<double>(steps_);
  const auto vector = [](double x) { return broadcast(static_cast<real>(x)); };
  const double clip = options_.grad_clip;
  const Vec scale = vector(clip > 0 ? std::min(1.0, clip / (norm + 1e-6)) : 1);
  const Vec beta1 = vector(options_.beta1), rest1 = vector(1 - options_.beta1);
  const Vec beta2 = vector(options_.beta2), rest2 = vector(1 - options_.beta2);
  const Vec size = vector(lr / (1 - std::pow(options_.beta1, t)));
  const Vec root = vector(1 / std::sqrt(1 - std::pow(options_.beta2, t)));
  const Vec epsilon = vector(options_.epsilon);
  real *const p = parameters_.values(), *const g = parameters_.gradients();
  engine::parallel_for(std::ssize(pieces_), 1, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Piece& piece = engine::at(pieces_, i);
      const Vec keep = vector(piece.decays ? 1 - lr * options_.weight_decay : 1);
      // Whole vectors: the last one may extend into the gap after a parameter, which stays 0.
      for (Index k = piece.offset; k < piece.offset + piece.size; k += engine::kernels::lanes) {
        using engine::kernels::load, engine::kernels::store;
        const Vec gradient = load(g + k) * scale;
        const Vec m = beta1 * load(m_.data() + k) + rest1 * gradient;
        const Vec v = beta2 * load(v_.data() + k) + rest2 * gradient * gradient;
        store(m_.data() + k, m);
        store(v_.data() + k, v);
        store(p + k, load(p + k) * keep - size * m / (engine::kernels::sqrt(v) * root + epsilon));
      }
    }
  });
  parameters_.clear_gradients();
}

}  // namespace nn
