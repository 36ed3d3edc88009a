// Module: anything with
//
//     void reflect(nn::Reflector& r) { r("weight", weight); r("attn", attn); r("h", blocks); }
//
// which lists its members once: parameters (tensors), modules, vectors of modules. Names, counts,
// initialization, saving, loading and optimizing all derive from that list. A module stores no
// pointers, so it copies and moves like any value; copies share their parameters, as tensors do: a
// vector<Block>(2, Block(C)) is one block twice, emplace_back(C) in a loop makes two.
//
// A module with its own rule for initial values also has
//
//     void initialize(Generator& generator);
//
// which then also calls nn::initialize of the modules in it. A bare tensor keeps the value that the
// constructor gave it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/random/generator.h"
#include "engine/tensor.h"

namespace nn {

using engine::Buffer;
using engine::Generator;
using engine::Index;
using engine::Tensor;

template <class M>
concept InitializesItself = requires(M& module, Generator& generator) {
  module.initialize(generator);
};

class Reflector {
 public:
  using Visit = std::function<void(const std::string& name, Tensor& parameter)>;
  explicit Reflector(Visit visit) : visit_(std::move(visit)) {}
  // Calls initialize(generator) of the modules that have it, instead of visiting parameters.
  explicit Reflector(Generator& generator)
      : visit_([](const std::string&, Tensor&) {}), generator_(&generator) {}

  // A parameter; an absent one (a layer without bias) is skipped.
  void operator()(std::string_view name, Tensor& parameter) {
    if (parameter) visit_(prefix_ + std::string(name), parameter);
  }
  template <class M>
  requires requires(M& module, Reflector& r) { module.reflect(r); }
  void operator()(std::string_view name, M& module) {
    if constexpr (InitializesItself<M>)
      if (generator_ != nullptr) return module.initialize(*generator_);
    const std::size_t outer = prefix_.size();
    prefix_.append(name).append(".");
    module.reflect(*this);
    prefix_.resize(outer);
  }
  template <class M>
  void operator()(std::string_view name, std::vector<M>& modules) {
    for (std::size_t i = 0; i < modules.size(); ++i)
      (*this)(std::string(name) + "." + std::to_string(i), modules[i]);
  }

 private:
  Visit visit_;
  Generator* generator_ = nullptr;
  std::string prefix_;
};

// A visitor that calls `visit` only for the first of several handles on the same memory (tied
// weights). If `visit` assigns a new tensor to it, the other handles are set to the same tensor.
Reflector::Visit once_each(Reflector::Visit visit);

// Calls visit(name, parameter) for every parameter, in the order of reflection, with names like
// "transformer.h.0.attn.c_attn.weight"; tied weights are visited once.
template <class M>
void for_each_parameter(M& module, Reflector::Visit visit) {
  Reflector r(once_each(std::move(visit)));
  module.reflect(r);
}

struct NamedParameter {
  std::string name;
  Tensor tensor;  // a handle: shares the module's values and gradient
};

template <class M>
std::vector<NamedParameter> parameters(M& module) {
  std::vector<NamedParameter> list;
  for_each_parameter(module, [&](const std::string& name, Tensor& t) {
    list.push_back({name, t});
  });
  return list;
}

// The parameters without names, as an optimizer takes them.
template <class M>
std::vector<Tensor> tensors(M& module) {
  std::vector<Tensor> list;
  for_each_parameter(module, [&](const std::string&, Tensor& t) { list.push_back(t); });
  return list;
}

// Number of trained values.
template <class M>
Index parameter_count(M& module) {
  Index count = 0;
  for_each_parameter(module, [&](const std::string&, Tensor& t) { count += t.size(); });
  return count;
}

// Draws the initial parameters of a module and of the modules in it, in the order of reflection,
// with PyTorch's defaults for Linear and Embedding: a PyTorch module that constructs its layers in
// the same order has the same weights under the same seed.
template <class M>
void initialize(M& module, Generator& generator) {
  Reflector r(generator);
  r("", module);
}

template <class M>
void clear_gradients(M& module) {
  Reflector r([](const std::string&, Tensor& t) { t.gradient().clear(); });
  module.reflect(r);
}

// The elements that a parameter takes in a block, where each starts at a multiple of 64 bytes.
constexpr Index padded(Index size) {
  return engine::round_up(size, Index(64 / sizeof(engine::real)));
}

// All parameters of a module in one block of memory, in the order of reflection, each starting at
// a multiple of 64 bytes (the gaps are 0), and their gradients in a second block of the same
// layout. That suits large pages and prefetchers; optimizers do not need it.
class FlatParameters {
 public:
  // Moves the parameters of `module` into the blocks, with their values, without their gradients.
  template <class M>
  explicit FlatParameters(M& module) : entries_(parameters(module)) {
    move_to_blocks();
    std::size_t i = 0;
    for_each_parameter(module, [&](const std::string&, Tensor& t) { t = entries_[i++].tensor; });
    engine::pool::trim();  // frees the memory of the parameters before the move
  }

  const std::vector<NamedParameter>& entries() const { return entries_; }
  Index size() const { return values_.size(); }  // of each block, gaps included
  // Where one of the entries begins in each block.
  Index offset(const NamedParameter& entry) const { return entry.tensor.data() - values_.data(); }
  // For writing: counts as a change in place of every parameter.
  engine::real* values() const;
  // All gradients, for reading and writing; zeros where nothing was written, which count as written
  // now.
  engine::real* gradients() const;
  void clear_gradients() const;

 private:
  void move_to_blocks();

  std::vector<NamedParameter> entries_;
  Buffer values_, gradients_;
};

}  // namespace nn
