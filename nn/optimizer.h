// What optimizers share: parameters in groups, the global norm of their gradients, clipping.
//
//     nn::AdamW optimizer({{.parameters = matrices}, {.parameters = norms, .weight_decay = 0}});
//     ...
//     const double norm = optimizer.step(3e-4);
//
// Parameters are tensors with require_gradient, wherever they lie; FlatParameters are not needed. A
// step computes the norm, clips, updates, and clears the gradients. A parameter that no loss has
// reached since the last step is left alone, as in PyTorch: it neither decays nor follows its old
// momentum. (So unused parts keep their values in fine-tuning.) Two optimizers with one norm:
//
//     const double norm = nn::gradient_norm(all);
//     const double scale = nn::clipping_factor(norm, 1);
//     one.apply(lr, scale);
//     other.apply(lr, scale);
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "nn/module.h"

namespace nn {

using engine::real;

// Parameters that are treated alike.
struct ParameterGroup {
  std::vector<Tensor> parameters;
  std::optional<double> weight_decay = {};  // that of the optimizer's options if not given
  double learning_rate = 1;                 // times the learning rate of a step
  // For optimizers of matrices: the rows of each matrix, if a parameter is several matrices, one
  // above the other (GPT's c_attn holds queries, keys and values). Empty: one matrix.
  std::vector<Index> parts = {};
};

// nanoGPT's rule: parameters with two or more axes decay; norms and biases do not. The order is
// kept: a new group begins wherever the kind changes.
std::vector<ParameterGroup> decay_matrices(const std::vector<Tensor>& parameters);

// The length of all gradients as one vector; parameters that backward has not reached count as 0.
// inf or NaN if a gradient is. The bits depend on the order of the parameters, but not on their
// place in memory or the number of threads.
double gradient_norm(std::span<const Tensor> parameters);
// The same where each of several processes has the gradients of its `own` parameters only, all of
// them written: numbers [begin, end). `gather` adds up, element by element, what each process gives
// it.
struct Own {
  Index begin, end;
  std::function<void(std::span<double> sums)> gather;
};
double gradient_norm(std::span<const Tensor> parameters, const Own& own);

// The factor that brings gradients of this norm to a norm of at most max_norm (Pascanu et al.,
// 2013). max_norm 0: no clipping.
double clipping_factor(double norm, double max_norm);

// What SGD, AdamW and Muon have in common. An optimizer keeps its state in a buffer for each
// parameter, in the order of the groups.
class Optimizer {
 public:
  // One update with learning rate lr; clears the gradients. Returns their global norm before
  // clipping. If that is inf or NaN, nothing changes, not even the gradients: look at them and
  // stop, or nn::clear_gradients(module) before the next backward.
  double step(double lr);
  void zero_grad() const = delete;  // step clears the gradients
  // An update with gradients times `scale`, for several optimizers clipped by one norm.
  virtual void apply(double lr, double scale) = 0;

  // A copy would share the state but count its own updates. One that was moved from has no
  // parameters: its updates change nothing.
  Optimizer(Optimizer&&) = default;

 protected:
  // What a group says of its parameters.
  struct Treatment {
    double learning_rate;  // times that of a step
    double weight_decay;
  };

  // Groups without a weight decay get `weight_decay`. Throws Error, starting with the optimizer's
  // name, if a parameter has no gradient slot, or if two share memory.
  Optimizer(const char* name, const std::vector<ParameterGroup>& groups, double weight_decay,
            double grad_clip);
  ~Optimizer() = default;

  // A buffer of zeros for each parameter: parts of one block, each at a multiple of 64 bytes.
  std::vector<Buffer> zeros() const;

  std::vector<Tensor> parameters_;
  std::vector<Treatment> treatments_;  // of each parameter

 private:
  double grad_clip_;
};

}  // namespace nn
