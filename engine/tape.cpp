#include "engine/tape.h"

#include <algorithm>

#include "engine/base/check.h"

namespace engine {

Tape::~Tape() {
  check(!running_, "tape: destroyed by the backward of one of its ops");  // ends the program
}

Tape* Tape::current() {
  return detail::innermost_scope == nullptr ? nullptr : detail::innermost_scope->tape;
}

Tape* Tape::for_op(OpName op, std::span<const Gradient> inputs) {
  Tape* const tape = current();
  if (tape == nullptr || std::ranges::none_of(inputs, &Gradient::operator bool)) return nullptr;
  check(detail::innermost_scope != detail::scope_of_loop, op.text(),
        ": recorded in the body of a parallel loop: its threads would record in any order; open "
        "a tape in the body, or compute outside of the loop");
  return tape;
}

void Tape::push(std::unique_ptr<Node> node, std::span<const Gradient> inputs) {
  nodes_.push_back(std::move(node));
  const Node& top = *nodes_.back();
  top.output.slot_->tape = this;
  top.output.slot_->leaf = false;
  if (observer_ != nullptr) observer_->recorded(top.op, top.output, inputs);
}

void Tape::backward(const Tensor& loss, double seed) {
  check(loss.size() == 1, "backward: the loss has shape ", loss.shape(),
        ", not one element; give dy, or sum it first");
  run(loss, Tensor::full(loss.shape(), static_cast<real>(seed)));
}

void Tape::backward(const Tensor& y, const Tensor& dy) {
  check(y.shape() == dy.shape(), "backward: y has shape ", y.shape(), " but dy ", dy.shape());
  run(y, dy.clone());  // the caller may write to dy
}

void Tape::run(const Tensor& y, Tensor dy) {
  check(!running_, "backward: called by the backward of an op, while the pass of this tape runs");
  const GradientSlot* const slot = y.slot_.get();
  check(slot != nullptr && !slot->leaf,
        "backward: nothing was recorded for this tensor: it is a leaf, or no tape was open, or no "
        "input of it has a gradient");
  check(slot->tape != nullptr,
        "backward: the ops that led to this result are gone: a backward pass or the end of their "
        "tape has freed them. Compute the result again. For the gradients of several losses, run "
        "backward once on their sum, or give each loss a tape of its own");
  check(slot->tape == this,
        "backward: this result was recorded on another tape; call backward of that one");
  y.gradient().accumulate(std::move(dy));
  // Closures use ops, such as dy * b. If b is a parameter, the op would be recorded on this tape.
  const Pause no_recording;
  running_ = true;
  const struct Pass {
    Tape& tape;
    ~Pass() {
      tape.nodes_.clear();  // after an error, so that the next pass does not continue this one
      tape.running_ = false;
    }
  } pass{*this};
  try {
    for (; !nodes_.empty(); nodes_.pop_back()) {
      Node& node = *nodes_.back();
      if (!node.output.written()) continue;  // the loss does not depend on this result
      node.output.check_unchanged("its result");
      const Tensor gradient = node.output.value();
      // Empty the slot first: dy's memory is then freed after this op, unless the slot of an input
      // takes it over. (After y = a + b another slot may share it.)
      node.output.clear();
      node.backward(gradient);
      if (observer_ != nullptr) observer_->ran_backward(node.op, node.output, gradient);
    }
  } catch (const pool::OutOfMemory&) {
    throw;
  } catch (const Error& error) {
    fail("backward of ", nodes_.back()->op, ": ", error.what());
  }
}

}  // namespace engine
