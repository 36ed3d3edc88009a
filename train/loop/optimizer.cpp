#include "train/loop/optimizer.h"

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "engine/base/storage.h"

namespace train {
namespace {

// transformer.h.*.attn.*.weight and transformer.h.*.mlp.*.weight; biases and norms have one axis.
bool is_block_matrix(const nn::NamedParameter& entry) {
  return entry.name.starts_with("transformer.h.") && entry.tensor.shape().rank() == 2;
}

// The rows of each matrix in a parameter. In c_attn, each head's queries and each head's keys are a
// matrix, since a head's scores depend on them alone; the values of all heads, which c_proj sums,
// are one matrix (tests/recipes/README.md, "Muon, head by head"). In SwiGLU's c_fc, gate and value
// are a matrix each.
std::vector<Index> parts_of(const model::Config& config, std::string_view name) {
  const engine::Heads heads = config.heads();
  const Index D = config.head_size();
  if (name.ends_with(".attn.c_attn.weight")) {
    std::vector<Index> rows(engine::unsigned_size(heads.queries + heads.keys), D);
    rows.push_back(heads.keys * D);
    return rows;
  }
  if (name.ends_with(".mlp.c_fc.weight") && config.activation == nn::Activation::swiglu)
    return {config.hidden_size(), config.hidden_size()};
  return {};
}

// The matrices of a block; Muon orthogonalizes each by itself.
std::vector<engine::Shape> matrices_of_block(const Plan& plan) {
  constexpr std::string_view names[] = {".attn.c_attn.weight", ".attn.c_proj.weight",
                                        ".mlp.c_fc.weight", ".mlp.c_proj.weight"};
  std::vector<engine::Shape> matrices;
  const std::array<engine::Shape, 4> shapes = plan.block_matrices();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    std::vector<Index> parts = parts_of(plan, names[i]);
    if (parts.empty()) parts = {shapes[i][0]};
    for (const Index rows : parts) matrices.push_back({rows, shapes[i][1]});
  }
  return matrices;
}

}  // namespace

Optimizers::Groups Optimizers::groups(const Plan& plan, const nn::FlatParameters& parameters) {
  Groups groups;
  std::vector<nn::Tensor> others;
  for (const auto& entry : parameters.entries()) {
    groups.by_muon.push_back(plan.optimizer == OptimizerKind::muon && is_block_matrix(entry));
    if (groups.by_muon.back())
      groups.muon.push_back({.parameters = {entry.tensor}, .parts = parts_of(plan, entry.name)});
    else
      others.push_back(entry.tensor);
  }
  groups.adamw = nn::decay_matrices(others);
  return groups;
}

double Optimizers::bytes(const Plan& plan) {
  const auto block_of = [](double numbers) {
    return engine::pool::block_bytes(sizeof(engine::real) * numbers);
  };
  const auto all = static_cast<double>(plan.parameter_count());
  if (plan.optimizer != OptimizerKind::muon) return 2 * block_of(all);
  const std::array<engine::Shape, 4> shapes = plan.block_matrices();
  double by_muon = 0;
  for (const engine::Shape& shape : shapes)
    by_muon += static_cast<double>(plan.n_layer) * static_cast<double>(shape.size());
  const Index matrices = plan.n_layer * std::ssize(matrices_of_block(plan));
  return 2 * block_of(all - by_muon) + block_of(by_muon) +
         block_of(static_cast<double>(nn::Muon::scratch_size(shapes, matrices)));
}

double Optimizers::flops(const Plan& plan) {
  double block = 0;
  if (plan.optimizer == OptimizerKind::muon)
    for (const engine::Shape& matrix : matrices_of_block(plan)) block += nn::Muon::flops(matrix);
  return static_cast<double>(plan.n_layer) * block;
}

Optimizers::Optimizers(const Plan& plan, const nn::FlatParameters& parameters)
    : Optimizers(plan, parameters, groups(plan, parameters)) {}

Optimizers::Optimizers(const Plan& plan, const nn::FlatParameters& parameters, Groups groups)
    : grad_clip_(plan.grad_clip),
      adamw_(std::move(groups.adamw), plan),
      muon_(std::move(groups.muon),
            {.momentum = plan.momentum, .weight_decay = plan.weight_decay}) {
  Index in_adamw = 0, in_muon = 0;
  for (const auto& entry : parameters.entries()) {
    if (groups.by_muon[parameters_.size()]) {
      moments_.push_back({muon_.first_moment(in_muon), nullptr});
      ++in_muon;
    } else {
      moments_.push_back({adamw_.first_moment(in_adamw), adamw_.second_moment(in_adamw)});
      ++in_adamw;
    }
    parameters_.push_back(entry.tensor);
  }
}

// Each of the two multiplies its gradients by `scale`. They share no parameter, so their order does
// not matter.
double Optimizers::step(double lr, const nn::Own& own) {
  const double norm = nn::gradient_norm(parameters_, own);
  if (!std::isfinite(norm)) return norm;
  for (Index i = 0; i < std::ssize(parameters_); ++i)  // neither optimizer changes what has none
    if (i < own.begin || i >= own.end) engine::at(parameters_, i).gradient().clear();
  const double scale = nn::clipping_factor(norm, grad_clip_);
  adamw_.apply(lr, scale);
  muon_.apply(lr, scale);
  return norm;
}

}  // namespace train
