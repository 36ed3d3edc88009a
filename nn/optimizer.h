// What optimizers share: parameters in groups, the global norm of their gradients, clipping.
//
//     nn::AdamW optimizer({{.parameters = matrices}, {.parameters = norms, .weight_decay = 0}}, {});
//     ...
//     const double norm = optimizer.step(3e-4);
//
// Parameters are tensors with require_gradient, wherever they lie; FlatParameters are not needed. A
// step computes the norm, clips, updates, and clears the gradients. A parameter that no loss has reached
// since the last step is left alone, as in PyTorch: it neither decays nor follows its old momentum. (So
// unused parts keep their values in fine-tuning.) Two optimizers with one norm:
//
//     const double norm = nn::gradient_norm(all);
//     const double scale = nn::clipping_factor(norm, 1);
//     one.apply(lr, scale);
//     other.apply(lr, scale);
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/storage.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/reduce.h"
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
  engine::kernels::Gather gather;
};
double gradient_norm(std::span<const Tensor> parameters, const Own& own);

// The factor that brings gradients of this norm to a norm of at most max_norm (Pascanu et al.,
// 2013). max_norm 0: no clipping.
double clipping_factor(double norm, double max_norm);

// The parameters of an optimizer, in the order of their groups. An optimizer keeps its state for
// all weights in one block with the layout of FlatParameters: each parameter starts at a multiple
// of 64 bytes.
class ParameterList {
 public:
  // A thread's unit of work: a piece of a parameter, of a size that suits the caches, or a matrix;
  // then every parameter must have two axes.
  enum class Unit { piece, matrix };

  // Throws Error, starting with the optimizer's name, if a parameter has no gradient slot, if two
  // share memory, or if one does not consist of the matrices that its group lists.
  ParameterList(const char* optimizer, std::vector<ParameterGroup> groups, Unit unit = Unit::piece);

  const std::vector<Tensor>& tensors() const { return tensors_; }
  Index size() const { return size_; }  // of a block of state, gaps included
  Buffer zeros() const;                 // such a block

  // A unit of work.
  struct Piece {
    const ParameterGroup& group;
    Index offset, size;  // in a block of state
    Index cols;          // columns of the parameter; its rows lie one after another
    real *p, *g;         // both may be overwritten
  };
  Index count() const { return std::ssize(places_); }  // of pieces
  // Calls f(piece) for all pieces, in parallel: an optimizer's step is one such call, in which f
  // changes p by the formula. Parameters without a gradient are left out; the others count as
  // changed in place. Then clears the gradients. Threads take at least `grain` pieces at a time; by
  // default, as many as are worth waking a thread for. With grain = count(), all pieces run on the
  // calling thread, outside any parallel loop, so that each call may use all threads.
  template <class F>
  void for_each_piece(F f) const {
    const Index pieces = engine::kernels::elements_per_range * count() / (size_ + 1);
    for_each_piece(f, std::max<Index>(pieces, 1));
  }
  template <class F>
  void for_each_piece(F f, Index grain) const {
    const engine::Scratch<Memory> memory(std::ssize(tensors_));
    find(memory.data());
    engine::parallel_for(std::ssize(places_), grain, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const Place& place = engine::at(places_, i);
        const Memory& m = memory[place.parameter];
        if (m.g == nullptr) continue;
        f(Piece{engine::at(groups_, place.group), place.offset, place.size,
                engine::at(tensors_, place.parameter).shape().cols(), m.p + place.begin,
                m.g + place.begin});
      }
    });
    clear_gradients();
  }

 private:
  struct Place {
    Index group, parameter, begin, offset, size;  // begin: in the parameter; offset: in a block
  };
  struct Memory {
    real *p = nullptr, *g = nullptr;
  };
  void add(const char* optimizer, Index group, const Tensor& parameter, Unit unit);
  void check_parameters(const char* optimizer) const;
  // Where the parameters are now; null for a parameter that no loss has reached.
  void find(Memory* memory) const;
  void clear_gradients() const;

  std::vector<ParameterGroup> groups_;
  std::vector<Tensor> tensors_;
  std::vector<Place> places_;
  Index size_ = 0;
};

// What SGD, AdamW and Muon have in common.
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
  Optimizer(ParameterList parameters, double grad_clip)
      : parameters_(std::move(parameters)), grad_clip_(grad_clip) {}
  ~Optimizer() = default;
  ParameterList parameters_;

 private:
  double grad_clip_;
};

}  // namespace nn
