#include "nn/sgd.h"

#include <cmath>

#include "engine/kernels/elementwise.h"

namespace nn {

using engine::kernels::broadcast;
using engine::kernels::Vec;

SGD::SGD(std::vector<ParameterGroup> groups, const SGDOptions& options)
    : parameters_("SGD", std::move(groups)), options_(options), velocity_(parameters_.zeros()) {}

// Clips and updates, which clears the gradients. If their norm is inf or NaN nothing changes, not
// even they.
double SGD::step(double lr) {
  const double norm = gradient_norm(parameters_.tensors());
  if (std::isfinite(norm)) update(lr, clipping_factor(norm, options_.grad_clip));
  return norm;
}

// v = momentum v + scale g + decay p,  p = p - lr v, for each piece of a parameter; then
// ParameterList::update clears the gradients.
void SGD::update(double lr, double scale) {
  const Vec momentum = broadcast(options_.momentum), clip = broadcast(scale);
  parameters_.update([&](const ParameterList::Piece& piece) {
    const Vec decay = broadcast(piece.group.weight_decay.value_or(options_.weight_decay));
    const Vec rate = broadcast(lr * piece.group.learning_rate);
    engine::kernels::update(
        piece.size,
        [=](Vec g, Vec& v, Vec& p) {
          v = momentum * v + (g * clip + decay * p);
          p = p - rate * v;
        },
        piece.g, velocity_.data() + piece.offset, piece.p);
  });
}

}  // namespace nn
