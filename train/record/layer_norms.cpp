#include "train/record/layer_norms.h"

#include <cmath>
#include <string_view>

#include "engine/kernels/reduce.h"
#include "nn/optimizer.h"

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

// Calls visit(layer, its parameters) for each layer. The parameters of one lie side by side.
template <class Visit>
void for_each_layer(const nn::FlatParameters& parameters, Visit visit) {
  std::string layer;
  std::vector<nn::Tensor> members;
  for (const auto& entry : parameters.entries()) {
    const std::string its = layer_of(entry.name);
    if (its != layer && !members.empty()) {
      visit(layer, members);
      members.clear();
    }
    layer = its;
    members.push_back(entry.tensor);
  }
  if (!members.empty()) visit(layer, members);
}

double norm(const std::vector<nn::Tensor>& tensors) {
  std::vector<std::span<const engine::real>> arrays;
  for (const nn::Tensor& tensor : tensors) arrays.push_back(tensor.values());
  return std::sqrt(engine::kernels::parallel_sum_of_squares(arrays));
}

}  // namespace

std::vector<std::string> layer_names(const nn::FlatParameters& parameters) {
  std::vector<std::string> names;
  for_each_layer(parameters,
                 [&](const std::string& layer, const auto&) { names.push_back(layer); });
  return names;
}

std::vector<double> weight_norms(const nn::FlatParameters& parameters) {
  std::vector<double> norms;
  for_each_layer(parameters,
                 [&](const std::string&, const auto& members) { norms.push_back(norm(members)); });
  return norms;
}

std::vector<double> gradient_norms(const nn::FlatParameters& parameters) {
  std::vector<double> norms;
  for_each_layer(parameters, [&](const std::string&, const auto& members) {
    norms.push_back(nn::gradient_norm(members));
  });
  return norms;
}

}  // namespace train
