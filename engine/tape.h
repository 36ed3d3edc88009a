// Tape: the recorded ops of a forward pass, for running backward.
//
// While a Tape is open, every op with an input that has a gradient slot records a node: its name,
// the slot of its output's gradient, and a closure that turns dy into additions to the slots of its
// inputs. The closure's captures are what is saved for backward. The order of recording is a
// topological order, so the backward pass pops nodes from the end: no sort, no recursion, no
// visited set. A node's closure and gradient are freed as soon as its backward has run. The tape
// owns nodes, nodes own closures, closures own what they saved. Nothing in a tensor or a slot owns
// a node, so a closure may hold the op's own result without a cycle.
//
//     Tape tape;
//     Tensor loss = cross_entropy(model(x), targets);
//     tape.backward(loss);
//
// With no tape open nothing is recorded: only training needs to open one.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/index.h"
#include "engine/base/storage.h"
#include "engine/base/thread_pool.h"
#include "engine/op.h"
#include "engine/tensor.h"

namespace engine {

class Tape {
 public:
  // Opens this tape; ops record on the tape opened last. Tapes and pauses may be destroyed in any
  // order, but in the thread that created them.
  Tape() : scope_(this) { nodes_.reserve(64); }  // so that a small graph's list never grows
  ~Tape();
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  // Runs all nodes that the loss depends on, last first, from d loss / d loss = seed. loss has one
  // element. Afterwards the tape is empty and still open, leaves hold their gradients, and the
  // slots of results are empty. An Error if the loss was not recorded on this tape, or if an op's
  // input or result has changed since. Nothing is recorded meanwhile: there are no second
  // derivatives.
  void backward(const Tensor& loss, double seed = 1);
  // The same from a result y of any shape: a leaf x gets J^T dy, J_ij = d y_i / d x_j.
  void backward(const Tensor& y, const Tensor& dy);

  Index size() const { return std::ssize(nodes_); }
  static Tape* current();  // the open tape of this thread, null if there is none

  // While a Pause exists, nothing is recorded (torch.no_grad).
  class Pause {
   public:
    Pause() : scope_(nullptr) {}

   private:
    detail::Scope scope_;
  };

  // For profiles, and for drawing the graph: called for every node when it is recorded (its forward
  // has just run) and when its backward has run, with the op's name and the slots of its result and
  // of its inputs.
  struct Observer {
    virtual void recorded(const char* op, const Gradient& y, std::span<const Gradient> inputs) = 0;
    virtual void ran_backward(const char* op, const Gradient& y, const Tensor& dy) = 0;

   protected:
    ~Observer() = default;
  };
  void observe(Observer* observer) { observer_ = observer; }

  // A recorded op. Each type of closure has a NodeOf; its backward calls the closure.
  struct Node {
    Node(OpName name, const Tensor& y) : op(name.text()), output(y.gradient()) {}
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;
    virtual ~Node() { output.slot_->tape = nullptr; }
    virtual void backward(const Tensor& dy) = 0;

    // Every update records the same nodes: their memory comes from the pool.
    static void* operator new(std::size_t bytes) { return pool::allocate(bytes); }
    static void operator delete(void* node, std::size_t bytes) { pool::release(node, bytes); }

    const char* op;
    Gradient output;  // d loss / d y
  };
  template <class Closure>
  struct NodeOf final : Node {
    NodeOf(OpName name, const Tensor& y, Closure backward_)
        : Node(name, y), closure(std::move(backward_)) {}
    void backward(const Tensor& dy) override { closure(dy); }
    Closure closure;
  };

  // For record. The tape on which to record an op with these inputs: null if none is open, or no
  // input has a slot. An Error if this thread runs the body of a parallel loop and the tape was
  // opened outside of it.
  static Tape* for_op(OpName op, std::span<const Gradient> inputs);
  void push(std::unique_ptr<Node> node, std::span<const Gradient> inputs);

 private:
  void run(const Tensor& y, Tensor dy);  // both forms of backward

  std::vector<std::unique_ptr<Node>, PoolAllocator<std::unique_ptr<Node>>> nodes_;
  Observer* observer_ = nullptr;
  bool running_ = false;  // a backward pass
  detail::Scope scope_;   // this tape among the open ones of its thread
};

// Returns y, for an op to return. If a tape is open and an input has a gradient slot, records the
// op first: backward(dy), with dy of y's shape, adds to the inputs' slots. An op of your own passes
// its name, "leaky_relu", in place of an Op.
template <class Backward>
Tensor record(OpName op, Tensor y, std::span<const Gradient> inputs, Backward backward) {
  Tape* const tape = Tape::for_op(op, inputs);
  if (tape == nullptr) return y;
  // Only this y gets the slot: a copy of y in the closure was made before, and has values only. If
  // an op returns an input itself, detach gives the result a slot of its own.
  if (y.gradient()) y = y.detach();
  y.require_gradient();
  tape->push(std::make_unique<Tape::NodeOf<Backward>>(op, y, std::move(backward)), inputs);
  return y;
}
template <class Backward>
Tensor record(OpName op, Tensor y, std::initializer_list<Gradient> inputs, Backward backward) {
  return record(op, std::move(y), std::span(inputs.begin(), inputs.size()), std::move(backward));
}

// For capture lists. saved_for(b, a) is a, if b needs a gradient, else no tensor: backward reads a
// only for db, so it is not kept in memory for nothing.
inline Tensor saved_for(const Tensor& needs, const Tensor& saved) {
  return needs.gradient() ? saved : Tensor();
}

}  // namespace engine
