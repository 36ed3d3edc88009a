// Self-attention of H heads, fused. In each head, with rows Q, K, V of D features, scale 1 / sqrt D
// unless another is given, and N_i the keys that query i sees: 0..i if causal, else all,
//
//     S = scale Q K^T,   P_ij = exp(S_ij) / sum_{l in N_i} exp(S_il) for j in N_i, 0 for other j
//     O = (M P) V        (M: dropout, 0 or 1 / (1 - p); M P element by element)
//
//     dV = (M P)^T dO
//     dP = M (dO V^T)
//     dS_ij = P_ij (dP_ij - sum_l P_il dP_il)    and the sum over l is <dO_i, O_i>
//     dQ = scale dS K,   dK = scale dS^T Q
//
// since sum_l P_il dP_il = sum_l P_il M_il <dO_i, V_l> = <dO_i, sum_l M_il P_il V_l> = <dO_i, O_i>.
// So the sum over a row of P, which is not kept, is a product of two rows of D numbers, which are
// kept.
//
// With fewer heads of keys and values than of queries, H / K neighboring heads of queries share one
// head of keys and values; its dK and dV are sums over these heads of queries.
//
// Queries, keys and values are strided views of qkv (B, T, (H + 2K) D). Queries are processed in
// blocks of 64 rows, so a thread has only 64 rows of S at a time, and only the keys that one of
// them sees. With a cache, keys and values are views of it, and the first query is at the position
// after the cached ones. Saved for backward: qkv, O, and for each row the maximum m of Q K^T,
// before scale, and 1 / sum; backward recomputes the block of P from them (Dao et al.,
// FlashAttention, 2022). One number, L = scale m + log sum, would be enough; but rounding changes L
// by up to |L| 2^-24, which exp turns into a relative error of P: backward's P would not be
// forward's. M is not saved either: each of its numbers is a hash of a seed and the number's
// position, so backward computes it again.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/attention.h"
#include "engine/base/check.h"
#include "engine/kernels/gemm/problem.h"
#include "engine/ops/attention_block.h"
#include "engine/ops/dropout.h"
#include "engine/tape.h"

namespace engine {
namespace {

using kernels::MatrixView;
using kernels::MutableMatrixView;
using kernels::splat;
using kernels::Vec;
using kernels::Write;

// gemm sums the keys of a tile in one block. So a later key has no effect on the bits, whether its
// weight is zero (in this op) or it is not there yet (in generation with a cache).
static_assert(key_tile <= kernels::max_depth);

struct Sizes {
  Index B, T, H, K, D;
  real scale;
  bool causal;
  Index past = 0, capacity = T;                       // keys before the first query; keys at most
  Index features() const { return (H + 2 * K) * D; }  // of a row of qkv
  Index group() const { return H / K; }               // heads of queries per head of keys
  Index scores_size() const {
    return std::min(query_block, T) * round_up(capacity, kernels::lanes);
  }
};

// Head h of sequence b in data (B, T, features): (T, D).
template <class T>
kernels::BasicMatrixView<T> head(T* data, const Sizes& n, Index features, Index b, Index h) {
  return {data + b * n.T * features + h * n.D, n.T, n.D, features, 1};
}
// The queries of head h in qkv or its gradient, and the keys and values for them.
template <class T>
struct HeadViews {
  HeadViews(T* qkv, const Sizes& n, Index b, Index h)
      : q(head(qkv, n, n.features(), b, h)),
        k(head(qkv, n, n.features(), b, n.H + h / n.group())),
        v(head(qkv, n, n.features(), b, n.H + n.K + h / n.group())) {}
  kernels::BasicMatrixView<T> q, k, v;
};

// Queries [i, i + rows) of one head and the keys [0, keys) that they may see.
struct QueryBlock {
  QueryBlock(Index begin, const Sizes& n)
      : i(begin),
        rows(std::min(query_block, n.T - begin)),
        past(n.past),
        keys(past + (n.causal ? begin + rows : n.T)),
        causal(n.causal) {}
  Index i, rows, past, keys;
  bool causal;
  MatrixView queries(MatrixView m) const { return m.block(i, 0, rows, m.cols); }
  MutableMatrixView queries(MutableMatrixView m) const { return m.block(i, 0, rows, m.cols); }
  MatrixView seen(MatrixView m) const { return m.block(0, 0, keys, m.cols); }
  MutableMatrixView seen(MutableMatrixView m) const { return m.block(0, 0, keys, m.cols); }
  MutableMatrixView scores(real* memory) const {
    return {memory, rows, keys, round_up(keys, kernels::lanes), 1};
  }
  // The number of keys that query i + row may see.
  Index visible(Index row) const { return causal ? past + i + row + 1 : keys; }
};

// One head of one sequence: q, v and o are (T, D), k holds the keys as columns. first_weight is the
// number of the head's first weight among those of all heads, for dropout.
void forward_head(const Sizes& n, MatrixView q, const KeyPanels& k, MatrixView v,
                  MutableMatrixView o, real* saved, const DropoutMask& dropout, Index first_weight,
                  real* memory) {
  for (Index i = 0; i < n.T; i += query_block) {
    const QueryBlock block(i, n);  // 64 queries, and the keys up to the last one's
    const MutableMatrixView s = block.scores(memory);  // (block.rows, block.keys)
    scores(block.queries(q), k, s);                    // their rows of Q K^T
    for (Index row = 0; row < block.rows; ++row) {
      real* const x = &s(row, 0);
      const Index visible = block.visible(row);  // as many keys as this query sees
      const auto [max, inverse] = attention_weights(visible, x, n.scale);
      dropout.apply(visible, static_cast<std::uint64_t>(first_weight + (i + row) * n.T), x);
      std::fill(x + visible, x + block.keys, real(0));
      saved[2 * (i + row)] = max;
      saved[2 * (i + row) + 1] = inverse;
    }
    weighted_values(s, block.seen(v), block.queries(o));  // O = (M P) V, for these rows
  }
}

// Overwrites or adds to dq as `write_q` says, and to dk and dv as `write` says. o and d_o are the
// head's O and dO.
void backward_head(const Sizes& n, const HeadViews<const real>& in, MatrixView o, MatrixView d_o,
                   const HeadViews<real>& d, Write write_q, Write write, const real* saved,
                   const DropoutMask& dropout, Index first_weight, real* memory) {
  const auto& [q, k, v] = in;
  // From the last block to the first: the last sees all keys, so it overwrites all of dk and dv.
  for (Index i = (n.T - 1) / query_block * query_block; i >= 0;
       i -= query_block, write = Write::add) {
    const QueryBlock block(i, n);
    const MutableMatrixView p = block.scores(memory);
    const MutableMatrixView dp = block.scores(memory + n.scores_size());
    kernels::gemm(block.queries(q), block.seen(k).transposed(), p, Write::overwrite);
    kernels::gemm(block.queries(d_o), block.seen(v).transposed(), dp, Write::overwrite);
    for (Index row = 0; row < block.rows; ++row) {
      real *const x = &p(row, 0), *const dx = &dp(row, 0);
      const Index visible = block.visible(row), r = i + row;
      const auto weight = static_cast<std::uint64_t>(first_weight + r * n.T);
      const auto dot = static_cast<real>(kernels::sum_of(  // sum_l P_il dP_il = <dO_i, O_i>
          n.D, [](Vec a, Vec b) { return a * b; }, &d_o(r, 0), &o(r, 0)));
      dropout.apply(visible, weight, dx);  // dx is dP
      const auto softmax = [m = splat(saved[2 * r]), scale = splat(n.scale),
                            inverse = splat(saved[2 * r + 1])](Vec s) {
        return kernels::exp((s - m) * scale) * inverse;
      };
      kernels::for_each(
          visible,
          [&, t = splat(dot)](Vec& s, Vec& dw) {
            s = softmax(s);
            dw = s * (dw - t) * splat(n.scale);
          },
          x, dx);                         // x is P, dx is scale dS
      dropout.apply(visible, weight, x);  // x is M P
      std::fill(x + visible, x + block.keys, real(0));
      std::fill(dx + visible, dx + block.keys, real(0));
    }
    const MatrixView mp = p, ds = dp;
    kernels::gemm(mp.transposed(), block.queries(d_o), block.seen(d.v), write);
    kernels::gemm(ds.transposed(), block.queries(q), block.seen(d.k), write);
    kernels::gemm(ds, block.seen(k), block.queries(d.q), write_q);
  }
}

Sizes sizes_of(const Tensor& qkv, Heads heads, const AttentionScores& scores) {
  const Shape& shape = qkv.shape();
  const auto [H, K] = heads;
  check(H == K || (K > 0 && H % K == 0), "attention: ", H,
        " heads of queries are not divisible by ", K, " of keys");
  // Shape bounds shape[2], so that 3 H does not overflow.
  const bool fits = shape.rank() == 3 && 0 < H && H <= std::max<Index>(shape[2], 1) &&
                    shape[2] % (H + 2 * K) == 0;
  check(fits || H != K, "attention: qkv ", shape, " and ", H,
        " heads: expected (B, T, 3 C) with C divisible by the heads");
  check(fits, "attention: qkv ", shape, ", ", H, " query heads, ", K,
        " key heads: expected (B, T, (H + 2 K) D)");
  // attention_weights assumes that a row's largest q k has its largest score.
  check(!scores.scale || *scores.scale > 0, "attention: scale ", scores.scale.value_or(0),
        ": expected a positive number");
  const Index D = shape[2] / (H + 2 * K);
  return {.B = shape[0],
          .T = shape[1],
          .H = H,
          .K = K,
          .D = D,
          .scale = scores.scale_of(D),
          .causal = scores.causal};
}

// Keys and values are those in the cache, if there is one, else those in qkv.
Tensor forward(const Sizes& n, const Tensor& qkv, const KvCache* cache, const DropoutMask& dropout,
               const Tensor& saved) {
  const Index C = n.H * n.D;
  const Tensor y = Tensor::uninitialized({n.B, n.T, C});
  const Scratch<real> scores(thread_count() * n.scores_size());
  // The unit of work is one head of one sequence. 2^17 multiplications take 10 us or more: enough
  // for a thread of their own.
  const Index work = std::max<Index>(2 * n.T * (n.past + n.T) * n.D, 1);
  parallel_for(n.B * n.H, (Index(1) << 17) / work, [&](Index begin, Index end) {
    for (Index u = begin; u < end; ++u) {
      const Index b = u / n.H, h = u % n.H;
      const HeadViews<const real> in(qkv.data(), n, b, h);
      MatrixView v = in.v;
      KeyPanels k{in.k.transposed()};
      if (cache != nullptr) {
        constexpr Index panel = KvCache::panel;
        const Index key_head = h / n.group(), panels = cache->keys.shape()[1];
        k = {{cache->keys.data() + key_head * panels * n.D * panel, n.D, panel, panel, 1},
             n.D * panel};
        v = kernels::matrix(cache->values.data() + key_head * n.capacity * n.D, cache->size, n.D);
      }
      forward_head(n, in.q, k, v, head(y.mutable_data(), n, C, b, h),
                   saved.mutable_data() + u * n.T * 2, dropout, u * n.T * n.T,
                   scores.data() + thread_index() * n.scores_size());
    }
  });
  return y;
}

}  // namespace

real AttentionScores::scale_of(Index D) const {
  return static_cast<real>(scale.value_or(1 / std::sqrt(static_cast<double>(D))));
}

Tensor self_attention(const Tensor& qkv, Heads heads, double p, Generator* generator,
                      const AttentionScores& scores) {
  const Sizes n = sizes_of(qkv, heads, scores);
  const DropoutMask dropout = DropoutMask::draw(p, generator);
  const Index C = n.H * n.D;
  const Tensor saved = Tensor::uninitialized({n.B, n.H, n.T, 2});
  const Tensor y = forward(n, qkv, nullptr, dropout, saved);
  return record(
      Op::attention, y, {qkv.gradient()},
      [n, C, qkv, y, saved, dropout, dx = qkv.gradient()](const Tensor& dy) {
        const GradientDestination out = dx.destination();
        const Scratch<real> blocks(thread_count() * 2 * n.scores_size());  // of P and of dP
        // The unit of work is one head of keys, with all its queries.
        parallel_for(n.B * n.K, 1, [&](Index begin, Index end) {
          for (Index unit = begin; unit < end; ++unit)
            for (Index member = 0; member < n.group(); ++member) {
              const Index u = unit * n.group() + member, b = u / n.H, h = u % n.H;
              backward_head(n, {qkv.data(), n, b, h}, head(y.data(), n, C, b, h),
                            head(dy.data(), n, C, b, h), {out.data, n, b, h}, out.write,
                            member == 0 ? out.write : Write::add, saved.data() + u * n.T * 2,
                            dropout, u * n.T * n.T,
                            blocks.data() + thread_index() * 2 * n.scores_size());
            }
        });
      });
}

Tensor cached_self_attention(const Tensor& qkv, Heads heads, const AttentionScores& scores,
                             KvCache& cache) {
  Sizes n = sizes_of(qkv, heads, scores);
  n.past = cache.size;
  n.capacity = cache.values.shape()[1];
  check(n.B == 1 && cache.values.shape() == Shape{n.K, n.capacity, n.D} &&
            cache.keys.shape() ==
                Shape{n.K, ceil_div(n.capacity, KvCache::panel), n.D, KvCache::panel},
        "attention: qkv ", qkv.shape(), ", ", n.H, " query heads, ", n.K,
        " key heads, but the cache has keys ", cache.keys.shape(), " and values ",
        cache.values.shape(), " of one sequence");
  check(0 <= n.past && n.past <= n.capacity && n.T <= n.capacity - n.past, "attention: ", n.T,
        " positions after ", n.past, ", the cache holds ", n.capacity);
  check(Tape::current() == nullptr,
        "attention: with a cache there is no backward pass, but a tape is open");
  constexpr Index panel = KvCache::panel;
  const Index panels = cache.keys.shape()[1];
  for (Index h = 0; h < n.K; ++h)
    for (Index t = 0; t < n.T; ++t) {
      const Index position = n.past + t, column = position % panel;
      const real* const key = qkv.data() + t * n.features() + (n.H + h) * n.D;
      real* const keys = cache.keys.mutable_data() + (h * panels + position / panel) * n.D * panel;
      if (column == 0) std::fill_n(keys, n.D * panel, real(0));
      for (Index d = 0; d < n.D; ++d) keys[d * panel + column] = key[d];
      std::copy_n(key + n.K * n.D, n.D,
                  cache.values.mutable_data() + (h * n.capacity + position) * n.D);
    }
  cache.size += n.T;
  const Tensor saved = Tensor::uninitialized({n.B, n.H, n.T, 2});
  return forward(n, qkv, &cache, {}, saved);
}

}  // namespace engine
