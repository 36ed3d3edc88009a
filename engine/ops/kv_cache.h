// A key-value cache: attention's keys and values of the positions read so far, kept so that the next
// position costs one row through every layer instead of the whole sequence.
#pragma once

#include "engine/kernels/attention.h"
#include "engine/ops.h"

namespace engine {

// Of one layer and one sequence, for up to `capacity` positions.
class KvCache {
 public:
  KvCache(Heads heads, Index head_size, Index capacity);

  Index size() const { return size_; }  // positions
  Index capacity() const { return capacity_; }
  void clear() { size_ = 0; }

  // Adds the keys and values of the next T positions: qkv (1, T, (H + 2K) D).
  void add(const Tensor& qkv);

  // Of a head of keys, all positions.
  kernels::KeyPanels keys(Index head) const;
  kernels::MatrixView values(Index head) const;  // (positions, D)

 private:
  real* key_panel(Index head, Index panel) const;
  real* value(Index head, Index position) const;

  Heads heads_;
  Index head_size_, capacity_;
  // Keys lie transposed, as gemm reads them, in panels of 128 positions: (K, panels, D, panel).
  // Values: (K, capacity, D).
  static constexpr Index panel = 128;
  Index panels_;
  Buffer keys_, values_;
  Index size_ = 0;
};

}  // namespace engine
