#include "model/gpt/config.h"

#include <string_view>

#include "engine/base/check.h"

namespace model {

using engine::check;

void Config::validate() const {
  const auto in_range = [](std::string_view field, Index value, Index most) {
    check(1 <= value && value <= most, field, ": ", value, " is not in 1..", most);
  };
  // Bounds that keep every product of sizes below within 63 bits; memory is far smaller.
  in_range("vocab_size", vocab_size, Index(1) << 24);
  in_range("block_size", block_size, Index(1) << 20);
  in_range("n_layer", n_layer, 1000);
  in_range("n_head", n_head, Index(1) << 16);
  in_range("n_embd", n_embd, Index(1) << 16);
  check(n_embd % n_head == 0, "n_head: ", n_embd, " channels are not divisible by ", n_head,
        " heads");
  check(dropout >= 0 && dropout < 1, "dropout: ", dropout, " is not in [0, 1)");
}

Index Config::parameter_count() const {
  const Index C = n_embd, biases = bias ? (3 + 1 + 4 + 1) * C : 0, norm = bias ? 2 * C : C;
  return vocab_size * C + block_size * C + n_layer * (12 * C * C + biases + 2 * norm) + norm;
}

double Config::training_bytes(Index B, Index T) const {
  const auto C = static_cast<double>(n_embd), L = static_cast<double>(n_layer),
             V = static_cast<double>(vocab_size);
  const double tokens = static_cast<double>(B) * static_cast<double>(T);
  // Saved in a block: its input and the stream between its halves, two norms, queries, keys and
  // values, the heads' outputs, hidden features before and after the activation.
  const double saved = tokens * (L * (1 + 1 + 2 + 3 + 1 + 8) * C + 2 * C + V);
  return sizeof(engine::real) * (4 * static_cast<double>(parameter_count()) + saved);
}

double Config::step_flops(Index B, Index T) const {
  const auto C = static_cast<double>(n_embd), L = static_cast<double>(n_layer),
             t = static_cast<double>(T), V = static_cast<double>(vocab_size);
  const double per_token = L * (12 * C * C + 2 * t * C) + V * C;  // multiply-adds, forward
  return 3 * 2 * per_token * static_cast<double>(B) * t;          // backward does twice as many
}

}  // namespace model
