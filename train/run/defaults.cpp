#include "train/run/defaults.h"

namespace train {

Plan default_plan(Index tokens, Index vocabulary, double flops) {
  // A longer text allows a larger model before it overfits; a smaller model takes a higher learning
  // rate.
  struct Row {
    Index tokens;  // the text has at least so many
    Index block_size, n_layer, n_head, n_embd, batch_size, max_iters;
    double learning_rate;
  };
  static constexpr Row rows[] = {
      {2'000'000, 256, 8, 8, 512, 16, 5000, 6e-4},  // hours: only for --minutes
      {500'000, 256, 6, 6, 384, 16, 4000, 1e-3},
      {500'000, 128, 6, 6, 192, 16, 3000, 1e-3},
      {500'000, 128, 4, 4, 128, 16, 1500, 2e-3},
      {100'000, 64, 4, 4, 128, 16, 2000, 2e-3},
      {20'000, 64, 4, 4, 96, 16, 1000, 2e-3},
      {4'000, 32, 3, 3, 48, 16, 500, 3e-3},
      {0, 16, 2, 2, 32, 8, 300, 3e-3},
  };
  Plan plan;
  plan.vocab_size = vocabulary;
  for (const Row& row : rows) {
    plan.block_size = row.block_size;
    plan.n_layer = row.n_layer;
    plan.n_head = row.n_head;
    plan.n_embd = row.n_embd;
    plan.batch_size = row.batch_size;
    plan.max_iters = row.max_iters;
    plan.learning_rate = row.learning_rate;
    const double cost = plan.update_flops() * static_cast<double>(row.max_iters);
    if (tokens >= row.tokens && cost <= flops) break;
  }
  return plan;
}

}  // namespace train
