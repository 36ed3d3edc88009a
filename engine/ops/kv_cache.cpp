#include "engine/ops/kv_cache.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/thread_pool.h"

namespace engine {

KvCache::KvCache(Heads heads, Index head_size, Index capacity)
    : heads_(heads),
      head_size_(head_size),
      capacity_(capacity),
      panels_(ceil_div(capacity, panel)),
      keys_(heads.keys * panels_ * panel * head_size),
      values_(heads.keys * capacity * head_size) {}

real* KvCache::key_panel(Index head, Index number) const {
  return keys_.data() + (head * panels_ + number) * panel * head_size_;
}
real* KvCache::value(Index head, Index position) const {
  return values_.data() + (head * capacity_ + position) * head_size_;
}

kernels::KeyPanels KvCache::keys(Index head) const {
  return {{key_panel(head, 0), head_size_, panel, panel, 1}, panel * head_size_};
}
kernels::MatrixView KvCache::values(Index head) const {
  return kernels::matrix(static_cast<const real*>(value(head, 0)), size_, head_size_);
}

void KvCache::add(const Tensor& qkv) {
  const auto [H, K] = heads_;
  const Index D = head_size_, T = qkv.shape().from_end(2), features = (H + 2 * K) * D;
  check(qkv.shape() == Shape{1, T, features}, "attention: qkv ", qkv.shape(),
        ", the cache expects (1, T, ", features, ")");
  check(size_ + T <= capacity_, "attention: ", size_ + T, " positions, the cache holds ",
        capacity_);
  // 2^12 keys and as many values, most of them in cache lines of their own, take 10 us or more.
  parallel_for(K, (Index(1) << 12) / std::max<Index>(T * D, 1),
               [&, queries = H, all = K](Index begin, Index end) {
                 for (Index head = begin; head < end; ++head)
                   for (Index t = 0; t < T; ++t) {
                     const Index position = size_ + t, column = position % panel;
                     const real* const key = qkv.data() + t * features + (queries + head) * D;
                     real* const keys = key_panel(head, position / panel);
                     if (column == 0) std::fill_n(keys, panel * D, real(0));
                     for (Index d = 0; d < D; ++d) keys[d * panel + column] = key[d];
                     std::copy_n(key + all * D, D, value(head, position));
                   }
               });
  size_ += T;
}

}  // namespace engine
