#include "train/defaults.h"

namespace train {

Plan default_plan(Index tokens) {
  // Each row was the best of those tried at about a minute on two cores; a text is read some ten
  // times before a model of this size overfits it.
  struct Row {
    Index tokens;  // at least
    Index block_size, n_layer, n_head, n_embd, batch_size, max_iters;
    double learning_rate;
  };
  constexpr Row rows[] = {
      {5'000'000, 128, 6, 6, 192, 16, 2500, 1e-3}, {500'000, 128, 4, 4, 128, 16, 2500, 2e-3},
      {100'000, 64, 4, 4, 128, 16, 2000, 2e-3},    {20'000, 64, 4, 4, 96, 16, 1000, 2e-3},
      {4'000, 32, 3, 3, 48, 16, 500, 3e-3},        {0, 16, 2, 2, 32, 8, 300, 3e-3},
  };
  const Row* row = rows;
  while (tokens < row->tokens) ++row;
  Plan plan;
  plan.model.block_size = row->block_size;
  plan.model.n_layer = row->n_layer;
  plan.model.n_head = row->n_head;
  plan.model.n_embd = row->n_embd;
  plan.batch_size = row->batch_size;
  plan.max_iters = row->max_iters;
  plan.schedule.learning_rate = row->learning_rate;
  return plan;
}

}  // namespace train
