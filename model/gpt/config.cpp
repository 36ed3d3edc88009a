#include "model/gpt/config.h"

#include "engine/base/check.h"

namespace model {

using engine::check;

void Config::validate() const {
  Config copy;
  for (const Setting<Config>& setting : config_settings)
    setting.set(copy, setting.get(*this), setting.name);
  check(n_embd % n_head == 0, "n_head: ", n_embd, " channels are not divisible by ", n_head,
        " heads");
}

Index Config::parameter_count() const {
  const Index C = n_embd, biases = bias ? (3 + 1 + 4 + 1) * C : 0, norm = bias ? 2 * C : C;
  return vocab_size * C + block_size * C + n_layer * (12 * C * C + biases + 2 * norm) + norm;
}

double Config::training_bytes(Index B, Index T) const {
  const auto C = static_cast<double>(n_embd), L = static_cast<double>(n_layer),
             V = static_cast<double>(vocab_size);
  const double tokens = static_cast<double>(B) * static_cast<double>(T);
  // Saved per block, in units of C: its input, the residual stream after attention, two norms (2),
  // queries, keys and values (3), the heads' outputs, the hidden layer before and after the
  // activation (8).
  const double saved = tokens * (L * (1 + 1 + 2 + 3 + 1 + 8) * C + 2 * C + V);
  return sizeof(engine::real) * (4 * static_cast<double>(parameter_count()) + saved);
}

double Config::step_flops(Index B, Index T) const {
  const auto C = static_cast<double>(n_embd), L = static_cast<double>(n_layer),
             t = static_cast<double>(T), V = static_cast<double>(vocab_size);
  const double per_token = L * (12 * C * C + 2 * t * C) + V * C;  // multiply-adds, forward
  return 3 * 2 * per_token * static_cast<double>(B) * t;  // the backward pass takes twice as many
}

}  // namespace model
