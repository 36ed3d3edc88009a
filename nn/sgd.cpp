#include "nn/sgd.h"

#include "engine/kernels/elementwise.h"

namespace nn {

using engine::kernels::broadcast;
using engine::kernels::Vec;

SGD::SGD(std::vector<ParameterGroup> groups, const SGDOptions& options)
    : Optimizer({"SGD", std::move(groups)}, options.grad_clip),
      options_(options),
      velocity_(parameters_.zeros()) {}

// v = momentum v + scale g + decay p,  p = p - lr v, for each piece of a parameter; then
// ParameterList::for_each_piece clears the gradients.
void SGD::apply(double lr, double scale) {
  const Vec momentum = broadcast(options_.momentum), clip = broadcast(scale);
  parameters_.for_each_piece([&](const ParameterList::Piece& piece) {
    const Vec decay = broadcast(piece.group.weight_decay.value_or(options_.weight_decay));
    const Vec rate = broadcast(lr * piece.group.learning_rate);
    engine::kernels::for_each(
        piece.size,
        [=](Vec g, Vec& v, Vec& p) {
          v = momentum * v + (g * clip + decay * p);
          p = p - rate * v;
        },
        piece.g, velocity_.data() + piece.offset, piece.p);
  });
}

}  // namespace nn
