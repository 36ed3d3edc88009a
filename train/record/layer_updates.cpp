#include "train/record/layer_updates.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string_view>

#include "engine/kernels/reduce.h"

namespace train {
namespace {

// transformer.h.0.ln_1.weight and transformer.h.0.attn.c_attn.weight belong to h.0.attn.
std::string layer_of(std::string_view parameter) {
  constexpr std::string_view prefix = "transformer.";
  if (parameter.starts_with(prefix)) parameter.remove_prefix(prefix.size());
  if (!parameter.starts_with("h.")) return std::string(parameter.substr(0, parameter.find('.')));
  const std::size_t block = parameter.find('.', 2);
  const std::string_view part = parameter.substr(block + 1);
  const bool attention = part.starts_with("ln_1") || part.starts_with("attn");
  return std::string(parameter.substr(0, block)) + (attention ? ".attn" : ".mlp");
}

}  // namespace

std::vector<engine::real> weights_of(const nn::FlatParameters& parameters) {
  std::vector<engine::real> weights;
  for (const auto& entry : parameters.entries())
    weights.insert(weights.end(), entry.tensor.values().begin(), entry.tensor.values().end());
  return weights;
}

std::vector<LayerUpdate> layer_updates(const nn::FlatParameters& parameters,
                                       std::vector<engine::real> before) {
  // Of one layer, whose parameters lie side by side: their values, and what the update added.
  struct Parts {
    std::string layer;
    std::vector<std::span<const engine::real>> weights, changes;
  };
  std::vector<Parts> all;
  std::span<engine::real> rest = before;
  for (const auto& entry : parameters.entries()) {
    const std::span<const engine::real> weights = entry.tensor.values();
    const std::span<engine::real> change = rest.first(weights.size());
    rest = rest.subspan(weights.size());
    std::ranges::transform(weights, change, change.begin(), std::minus());
    if (const std::string layer = layer_of(entry.name); all.empty() || all.back().layer != layer)
      all.push_back({layer, {}, {}});
    all.back().weights.push_back(weights);
    all.back().changes.push_back(change);
  }
  std::vector<LayerUpdate> updates;
  for (const Parts& parts : all) {
    const double squares = engine::kernels::parallel_sum_of_squares(parts.weights);
    const double changes = engine::kernels::parallel_sum_of_squares(parts.changes);
    updates.push_back({parts.layer, squares > 0 ? std::sqrt(changes / squares) : 0});
  }
  return updates;
}

}  // namespace train
