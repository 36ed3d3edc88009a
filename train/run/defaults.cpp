#include "train/run/defaults.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

namespace train {
namespace {

// The first row counts for which the text is long enough and the run is within the budget.
struct Row {
  Index characters;  // the shortest text for this row
  Index block_size, n_layer, n_head, n_embd, batch_size, max_iters;
  double learning_rate;
};

// nanoGPT's architecture and AdamW. A longer text allows a larger model before it overfits; a
// smaller model takes a higher learning rate.
constexpr Row nanogpt_rows[] = {
    {2'000'000, 256, 8, 8, 512, 16, 5000, 6e-4},  // hours: only for --minutes
    {500'000, 256, 6, 6, 384, 16, 4000, 1e-3},
    {500'000, 128, 6, 6, 192, 16, 3000, 1e-3},
    {500'000, 128, 4, 4, 128, 16, 1500, 2e-3},
    {100'000, 64, 4, 4, 128, 16, 2000, 2e-3},
    {20'000, 64, 4, 4, 96, 16, 1000, 2e-3},
    {4'000, 32, 3, 3, 48, 16, 500, 3e-3},
    {0, 16, 2, 2, 32, 8, 300, 3e-3},
};

// Qwen3's architecture and Muon, as measured in tests/recipes/README.md. Small batches learn more
// from each token. The learning rates are Muon's.
constexpr Row best_rows[] = {
    {2'000'000, 256, 8, 8, 512, 16, 5000, 3e-3},  // hours: only for --minutes
    {500'000, 256, 6, 12, 384, 4, 3600, 4e-3},    // half an hour in bfloat16
    {500'000, 256, 6, 8, 256, 4, 3000, 4e-3},     // a quarter of an hour and more
    {500'000, 256, 6, 6, 192, 4, 1500, 5e-3},     // five minutes
    {500'000, 128, 4, 4, 128, 8, 2400, 5e-3},     // the default for a long text
    {500'000, 128, 4, 3, 96, 4, 3000, 6e-3},      // less for fewer --minutes: in a short run
    {500'000, 128, 4, 4, 64, 4, 1000, 6e-3},      // many small updates are worth more than weights
    {100'000, 128, 4, 4, 128, 8, 1500, 6e-3},     // the default
    {100'000, 64, 4, 3, 96, 8, 1000, 6e-3},       // for fewer --minutes
    {20'000, 128, 4, 3, 96, 8, 800, 6e-3},
    {4'000, 32, 3, 3, 48, 16, 500, 6e-3},
    {0, 16, 2, 2, 32, 8, 300, 6e-3},
};

}  // namespace

void take_recipe(Recipe recipe, Plan& plan) {
  for (const PlanSetting& setting : plan_settings)
    if (const std::string_view value = setting.in_new_runs.of(recipe); !value.empty())
      setting.set(plan, value, setting.name);
}

Plan default_plan(Index characters, Index vocabulary, Recipe recipe, double flops) {
  Plan plan;
  take_recipe(recipe, plan);
  plan.vocab_size = vocabulary;
  if (recipe == Recipe::best) model::set_architecture(plan, model::Family::qwen3);
  for (const Row& row : recipe == Recipe::best ? std::span<const Row>(best_rows)
                                               : std::span<const Row>(nanogpt_rows)) {
    plan.block_size = row.block_size;
    plan.n_layer = row.n_layer;
    plan.n_head = row.n_head;
    plan.n_embd = row.n_embd;
    plan.batch_size = row.batch_size;
    plan.max_iters = row.max_iters;
    plan.learning_rate = row.learning_rate;
    const double cost = plan.update_flops() * static_cast<double>(row.max_iters);
    if (characters >= row.characters && cost <= flops) break;
  }
  return plan;
}

Plan fine_tuning_plan(const model::Config& config, Index tokens, Recipe recipe, double flops) {
  Plan plan;
  static_cast<model::Config&>(plan) = config;
  take_recipe(recipe, plan);
  plan.dropout = 0;
  plan.batch_size = config.block_size < 128 ? 16 : config.block_size <= 512 ? 8 : 1;
  // A small model learns a new text best at the learning rate of a new model
  // (tests/recipes/README.md). A large one, trained on gigabytes, would forget what it knows:
  // nanoGPT uses 3e-5.
  plan.learning_rate = plan.n_embd <= 384 ? learning_rate_of(plan) : 6e-5;
  const Index once = tokens / (plan.batch_size * config.block_size);
  const auto affordable = static_cast<Index>(flops / plan.update_flops());
  plan.max_iters = std::max<Index>(20, std::min(3 * once, affordable));
  return plan;
}

double overfitting(const Plan& plan, Index updates, Index tokens) {
  const auto read = static_cast<double>(updates * plan.sequences_per_update() * plan.block_size);
  const auto all = static_cast<double>(tokens);
  return read / all * static_cast<double>(plan.parameter_count()) / all;
}

double dropout_for(double overfitting) {
  struct Limit {
    double overfitting, dropout;
  };
  constexpr Limit limits[] = {{60, 0.05}, {100, 0.1},  {150, 0.15},
                              {250, 0.2}, {450, 0.25}, {600, 0.3}};
  double dropout = 0;
  for (const Limit& limit : limits)
    if (overfitting >= limit.overfitting) dropout = limit.dropout;
  return dropout;
}

double weight_decay_for(const Plan& plan, Index tokens) {
  const auto update = static_cast<double>(plan.sequences_per_update() * plan.block_size);
  const double decay = 1.5 * update / (plan.learning_rate * static_cast<double>(tokens));
  return std::clamp(std::round(100 * decay) / 100, 0.1, 1.0);
}

double learning_rate_of(const Plan& plan) {
  if (plan.optimizer == OptimizerKind::muon) return 5e-3;
  return plan.n_embd < 96 ? 3e-3 : plan.n_embd <= 128 ? 2e-3 : plan.n_embd <= 384 ? 1e-3 : 6e-4;
}

}  // namespace train
