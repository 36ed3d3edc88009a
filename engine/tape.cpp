#include "engine/tape.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/thread_pool.h"

namespace engine {
namespace {

constexpr std::size_t chunk_bytes = 64 * 1024;

constexpr std::size_t aligned(std::size_t bytes) {
  return round_up(bytes, alignof(std::max_align_t));
}

}  // namespace

detail::Scope::Scope(Tape* tape_) : tape(tape_), outer_(innermost_scope) { innermost_scope = this; }

detail::Scope::~Scope() {
  Scope** link = &innermost_scope;
  while (*link != this && *link != nullptr) link = &(*link)->outer_;
  // An entry of another thread's list cannot be removed here. The error, thrown by a destructor,
  // ends the program.
  check(*link == this, "tape: opened in another thread than the one that destroys it");
  *link = outer_;
}

Tape::~Tape() {
  check(!running_, "tape: destroyed by the backward of one of its ops");  // ends the program, too
  clear();
}

Tape* Tape::current() {
  return detail::innermost_scope == nullptr ? nullptr : detail::innermost_scope->tape;
}

void Tape::check_outside_loop(OpName op) {
  check(detail::innermost_scope != detail::scope_of_loop, op.text(),
        ": recorded in the body of a parallel loop: its threads would record in any order; open "
        "a tape in the body, or compute outside of the loop");
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
      tape.clear();  // after an error, so that the next pass does not continue this one
      tape.running_ = false;
    }
  } pass{*this};
  try {
    for (; last_ != nullptr; pop()) {
      if (!last_->output.written()) continue;  // the loss does not depend on this result
      last_->output.check_unchanged("its result");
      const Tensor gradient = last_->output.value();
      // Empty the slot first: dy's memory is then freed after this op, unless the slot of an input
      // takes it over. (After y = a + b another slot may share it.)
      last_->output.clear();
      last_->run(last_, gradient);
      if (observer_ != nullptr) observer_->ran_backward(last_->op, last_->output, gradient);
    }
  } catch (const pool::OutOfMemory&) {
    throw;
  } catch (const Error& error) {
    fail("backward of ", last_->op, ": ", error.what());
  }
}

void* Tape::reserve(std::size_t bytes) {
  bytes = aligned(bytes);
  if (chunk_ == nullptr || chunk_->used + bytes > chunk_->bytes) {
    const std::size_t size = std::max(chunk_bytes, aligned(sizeof(Chunk)) + bytes);
    chunk_ = ::new (pool::allocate(size)) Chunk{chunk_, size, aligned(sizeof(Chunk))};
  }
  void* const memory = reinterpret_cast<std::byte*>(chunk_) + chunk_->used;
  chunk_->used += bytes;
  return memory;
}

void Tape::pop() noexcept {
  Node* const node = last_;
  last_ = node->previous;
  node->output.slot_->tape = nullptr;
  node->destroy(node);
  --size_;
  chunk_->used =
      unsigned_size(reinterpret_cast<std::byte*>(node) - reinterpret_cast<std::byte*>(chunk_));
  if (chunk_->used == aligned(sizeof(Chunk))) {
    Chunk* const empty = chunk_;
    chunk_ = empty->previous;
    pool::release(empty, empty->bytes);
  }
}

void Tape::clear() noexcept {
  while (last_ != nullptr) pop();
}

}  // namespace engine
