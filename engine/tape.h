// Tape: the recorded ops of a forward pass, for running backward.
//
// While a Tape is open, every op with an input that has a gradient slot records a node: its name,
// the slot of its output's gradient, and a closure that turns dy into additions to the slots of its
// inputs. The closure's captures are what is saved for backward. The order of recording is a
// topological order, so the backward pass pops nodes from the end: no sort, no recursion, no visited
// set. A node's closure and gradient are freed as soon as its backward has run. A closure may hold
// the op's own result y without a cycle: its copy of y has no slot.
//
//     Tape tape;
//     Tensor loss = cross_entropy(model(x), targets);
//     tape.backward(loss);
//
// With no tape open nothing is recorded: inference is the default and needs no guard.
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "engine/op.h"
#include "engine/tensor.h"

namespace engine {

class Tape;
namespace detail {
// An entry of this thread's linked list of open tapes and pauses, innermost first.
class Scope {
 public:
  explicit Scope(Tape* tape);
  ~Scope();  // removes this entry, wherever in the list it is
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  Tape* const tape;  // null: a pause

 private:
  Scope* outer_;
};
}  // namespace detail

class Tape {
 public:
  // Opens this tape; ops record on the tape opened last. Tapes and pauses may be destroyed in any
  // order, but in the thread that created them.
  Tape() : scope_(this) {}
  ~Tape();  // frees the nodes that backward has not run
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  // Runs all nodes, last first, from d loss / d loss = seed. loss has one element.
  // Afterwards the tape is empty and still open, and leaves hold their gradients. An Error if the
  // loss was not recorded on this tape, or if an op's input or result has changed since.
  void backward(const Tensor& loss, double seed = 1);
  // The same from a result y of any shape: leaves get J^T dy.
  void backward(const Tensor& y, const Tensor& dy);

  Index size() const { return size_; }  // nodes
  static Tape* current();               // the open tape of this thread, null if there is none

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

  // For record: an Error if the current tape was opened outside of the parallel loop's body that this
  // thread runs.
  static void check_outside_loop(OpName op);
  // For record: appends a node with the result y, which has a slot.
  template <class Backward>
  void push(OpName op, const Tensor& y, std::span<const Gradient> inputs, Backward backward);

 private:
  // run and destroy stand for virtual functions: only push knows the type of a node's closure.
  struct Node {
    Node* previous;
    const char* op;
    Gradient output;
    void (*run)(Node*, const Tensor& dy);
    void (*destroy)(Node*) noexcept;
  };
  template <class Backward>
  struct NodeOf : Node {
    Backward backward;
  };
  // A stack of nodes in chunks of 64 KiB; popping the first node of a chunk releases the chunk.
  struct Chunk {
    Chunk* previous;
    std::size_t bytes, used;
  };

  void run(const Tensor& y, Tensor dy);  // both forms of backward
  void* reserve(std::size_t bytes);      // memory for the next node, behind the last one
  void pop() noexcept;                   // destroys the last node and frees its memory
  void clear() noexcept;

  detail::Scope scope_;
  Observer* observer_ = nullptr;
  Node* last_ = nullptr;
  Chunk* chunk_ = nullptr;
  Index size_ = 0;
  bool running_ = false;  // a backward pass
};

// Returns y, for an op to return. If a tape is open and an input has a gradient slot, records the
// op first: backward(dy), with dy of y's shape, adds to the inputs' slots. An op of your own passes
// its name, "leaky_relu", in place of an Op.
template <class Backward>
Tensor record(OpName op, Tensor y, std::span<const Gradient> inputs, Backward backward);
template <class Backward>
Tensor record(OpName op, Tensor y, std::initializer_list<Gradient> inputs, Backward backward) {
  return record(op, std::move(y), std::span(inputs.begin(), inputs.size()), std::move(backward));
}

// For capture lists, for a tensor that backward reads only to compute dx: `saved` if x has a
// gradient slot, else no tensor. So it is not kept in memory if dx is not needed.
inline Tensor saved_for(const Tensor& x, const Tensor& saved) {
  return x.gradient() ? saved : Tensor();
}

// --- implementation of templates ---------------------------------------------------------------

template <class Backward>
void Tape::push(OpName op, const Tensor& y, std::span<const Gradient> inputs, Backward backward) {
  using N = NodeOf<Backward>;
  static_assert(alignof(N) <= alignof(std::max_align_t),
                "backward captures a Vec: capture reals, and broadcast them inside");
  static_assert(std::is_nothrow_move_constructible_v<Backward>,
                "what backward captures must move without throwing");
  // Makes {Node, closure} in the chunk. Node does not know its type N; the two lambdas, run and
  // destroy, do.
  void* const memory = reserve(sizeof(N));
  y.slot_->tape = this;
  y.slot_->leaf = false;
  last_ =
      ::new (memory) N{{last_, op.text(), y.gradient(),
                        [](Node* node, const Tensor& dy) { static_cast<N*>(node)->backward(dy); },
                        [](Node* node) noexcept { static_cast<N*>(node)->~N(); }},
                       std::move(backward)};
  ++size_;
  if (observer_ != nullptr) observer_->recorded(op.text(), last_->output, inputs);
}

template <class Backward>
Tensor record(OpName op, Tensor y, std::span<const Gradient> inputs, Backward backward) {
  Tape* const tape = Tape::current();
  if (tape == nullptr) return y;
  bool needed = false;
  for (const Gradient& input : inputs) needed |= static_cast<bool>(input);
  if (!needed) return y;
  Tape::check_outside_loop(op);
  // Only this y gets the slot: a copy of y in the closure was made before, and has values only. An op
  // of your own may return its input: y has another slot.
  if (y.gradient()) y = y.detach();
  y.require_gradient();
  tape->push(op, y, inputs, std::move(backward));
  return y;
}

}  // namespace engine
