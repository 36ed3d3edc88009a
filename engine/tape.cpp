#include "engine/tape.h"

#include <algorithm>

#include "engine/check.h"

namespace engine {
namespace {

constexpr std::size_t chunk_bytes = 64 * 1024;

constexpr std::size_t aligned(std::size_t bytes) {
  constexpr std::size_t unit = alignof(std::max_align_t);
  return (bytes + unit - 1) / unit * unit;
}

thread_local Tape* current_tape = nullptr;

}  // namespace

Tape::Tape() : outer_(current_tape) { current_tape = this; }

Tape::~Tape() {
  while (last_ != nullptr) pop();
  current_tape = outer_;
}

Tape* Tape::current() { return current_tape; }

Tape::Pause::Pause() : paused_(current_tape) { current_tape = nullptr; }
Tape::Pause::~Pause() { current_tape = paused_; }

void Tape::backward(const Tensor& loss, double seed) {
  check(loss.size() == 1, "backward: the loss has shape ", loss.shape(),
        ", not one element; give dy, or sum it first");
  backward(loss, Tensor::full(loss.shape(), static_cast<real>(seed)));
}

void Tape::backward(const Tensor& y, const Tensor& dy) {
  check(y.shape() == dy.shape(), "backward: y has shape ", y.shape(), " but dy ", dy.shape());
  check(static_cast<bool>(y.gradient()),
        "backward: nothing was recorded for this result; no tape was open, or no input of it has a "
        "gradient");
  y.gradient().accumulate(dy.detach());
  const Pause no_recording;
  for (; last_ != nullptr; pop()) {
    if (!last_->output.written()) continue;  // nothing that came later depends on it
    const Tensor gradient = last_->output.value();
    last_->output.clear();  // from here on its memory belongs to `gradient` alone
    last_->run(last_, gradient);
    if (observer_ != nullptr) observer_->ran_backward(last_->op);
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
  node->destroy(node);
  --size_;
  chunk_->used = static_cast<std::size_t>(reinterpret_cast<std::byte*>(node) -
                                          reinterpret_cast<std::byte*>(chunk_));
  if (chunk_->used == aligned(sizeof(Chunk))) {
    Chunk* const empty = chunk_;
    chunk_ = empty->previous;
    pool::release(empty, empty->bytes);
  }
}

}  // namespace engine
