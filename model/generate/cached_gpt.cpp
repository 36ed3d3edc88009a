#include "model/generate/cached_gpt.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/kernels/attention.h"

namespace model {

using engine::check;
using engine::round_up;
using engine::Scratch;
namespace kernels = engine::kernels;
using kernels::MatrixView;
using kernels::MutableMatrixView;
using kernels::PackedMatrix;
using kernels::strip_rows;
using kernels::Write;

namespace {

// x weight + bias, where bias may be absent: (n, rows) -> (n, cols).
Tensor product(const Tensor& x, const PackedMatrix& weight, const Tensor& bias) {
  const Tensor y = Tensor::uninitialized({x.shape()[0], weight.cols()});
  kernels::gemm(x.matrix(), weight, y.mutable_matrix(), Write::overwrite,
                {.bias = bias ? bias.data() : nullptr});
  return y;
}

}  // namespace

// --- KvCache -----------------------------------------------------------------------------------

KvCache::KvCache(engine::Heads heads, Index head_size, Index capacity,
                 const engine::AttentionScores& scores)
    : heads_(heads),
      head_size_(head_size),
      capacity_(capacity),
      scores_(scores),
      padded_size_(round_up(head_size, kernels::lanes)),
      key_panels_(engine::ceil_div(capacity, panel)),
      keys_(heads.keys * key_panels_ * panel * head_size),
      values_(heads.keys * capacity * padded_size_) {}

Tensor KvCache::attend(const Tensor& qkv) {
  const Index n = qkv.shape()[0];
  check(size_ + n <= capacity_, "attention: ", size_ + n, " positions, the cache holds ",
        capacity_);
  const Tensor y = Tensor::uninitialized({n, heads_.queries * head_size_});
  // 2^17 multiplications take 10 us or more: enough for a thread of their own.
  const Index work = 2 * n * (size_ + n) * head_size_ * group();
  engine::parallel_for(heads_.keys, (Index(1) << 17) / work, [&](Index begin, Index end) {
    for (Index key_head = begin; key_head < end; ++key_head) {
      add(key_head, qkv);
      for (Index member = 0; member < group(); ++member)
        attend(key_head * group() + member, qkv, y);
    }
  });
  size_ += n;
  return y;
}

void KvCache::add(Index head, const Tensor& qkv) {
  const Index n = qkv.shape()[0], row = qkv.shape()[1];
  const auto [H, K] = heads_;
  for (Index i = 0; i < n; ++i) {
    const Index position = size_ + i, column = position % panel;
    const real* const key = qkv.data() + i * row + (H + head) * head_size_;
    real* const keys = keys_.data() + (head * key_panels_ + position / panel) * panel * head_size_;
    if (column == 0) std::fill_n(keys, panel * head_size_, real(0));
    for (Index d = 0; d < head_size_; ++d) keys[d * panel + column] = key[d];
    real* const value = values_.data() + (head * capacity_ + position) * padded_size_;
    std::copy_n(key + K * head_size_, head_size_, value);
    std::fill(value + head_size_, value + padded_size_, real(0));
  }
}

// One head of engine/ops/attention.cpp's forward pass, with keys and values read from the cache.
void KvCache::attend(Index head, const Tensor& qkv, const Tensor& y) const {
  const Index n = qkv.shape()[0], C = heads_.queries * head_size_, key_head = head / group();
  const real scale = scores_.scale_of(head_size_);
  const MatrixView queries{qkv.data() + head * head_size_, n, head_size_, qkv.shape()[1], 1};
  // Rows have room for all positions: every token asks for a block of one size, which the pool has.
  const Index stride = round_up(capacity_, kernels::lanes), max_rows = std::min(strip_rows, n);
  Scratch<real> memory(max_rows * (stride + padded_size_));
  for (Index i = 0; i < n; i += strip_rows) {
    const Index rows = std::min(strip_rows, n - i), seen = size_ + (scores_.causal ? i + rows : n);
    const MutableMatrixView scores{memory.data(), rows, seen, stride, 1};
    for (Index key = 0; key < seen; key += panel) {
      // Whole vectors: the columns after the last key are 0.
      const Index cols = std::min(panel, round_up(seen - key, kernels::lanes));
      const real* const keys =
          keys_.data() + (key_head * key_panels_ + key / panel) * panel * head_size_;
      kernels::gemm(queries.block(i, 0, rows, head_size_), {keys, head_size_, cols, panel, 1},
                    {memory.data() + key, rows, cols, stride, 1}, Write::overwrite);
    }
    for (Index row = 0; row < rows; ++row) {
      const Index visible = scores_.causal ? size_ + i + row + 1 : seen;
      kernels::attention_weights(visible, &scores(row, 0), scale);
      std::fill(&scores(row, 0) + visible, &scores(row, 0) + seen, real(0));
    }
    const MutableMatrixView out =
        kernels::matrix(memory.data() + max_rows * stride, rows, padded_size_);
    kernels::weighted_values(scores,
                             kernels::matrix(static_cast<const real*>(values_.data()) +
                                                 key_head * capacity_ * padded_size_,
                                             seen, padded_size_),
                             out);
    for (Index row = 0; row < rows; ++row)
      std::copy_n(&out(row, 0), head_size_, y.mutable_data() + (i + row) * C + head * head_size_);
  }
}

// --- CachedGPT ---------------------------------------------------------------------------------

CachedGPT::PackedLinear::PackedLinear(nn::Linear& layer)
    : weight(layer.weight.matrix().transposed()), bias(layer.bias) {
  layer.weight = {};
}

Tensor CachedGPT::PackedLinear::operator()(const Tensor& x) const {
  return product(x, weight, bias);
}

Tensor CachedGPT::CachedBlock::operator()(const Tensor& x, Index first) {
  const Tensor y = x + attn_proj(cache.attend(prepare(c_attn(ln_1(x)), first)));
  return y + mlp_proj(nn::activate(activation, c_fc(ln_2(y))));
}

CachedGPT::CachedGPT(GPT gpt)
    : config_(gpt.config),
      wte_(gpt.wte),
      wpe_(gpt.wpe),
      ln_f_(gpt.ln_f),
      head_(gpt.head_weight().matrix().transposed()) {
  for (Block& block : gpt.h)
    blocks_.push_back(
        {block.ln_1, PackedLinear(block.attn.c_attn), block.attn.prepare,
         KvCache(config_.heads(), config_.head_size(), config_.block_size, config_.scores()),
         PackedLinear(block.attn.c_proj), block.ln_2, PackedLinear(block.mlp.c_fc),
         PackedLinear(block.mlp.c_proj), block.mlp.activation});
}

void CachedGPT::clear() {
  size_ = 0;
  ids_.clear();
  for (CachedBlock& block : blocks_) block.cache.clear();
}

std::span<const real> CachedGPT::read(std::span<const std::int32_t> ids) {
  const Index end = size_ + std::ssize(ids);
  check(!ids.empty() && end <= config_.block_size, "gpt: ", end, " positions, expected 1..",
        config_.block_size, " (block_size)");
  if (!config_.causal) {  // what is new changes every position before it: all are read again
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    ids = ids_;
    size_ = 0;
    for (CachedBlock& block : blocks_) block.cache.clear();
  }
  const Index n = std::ssize(ids);
  Tensor x = wte_(ids, {n});
  if (wpe_.weight) x = x + engine::slice(wpe_.weight, 0, size_, size_ + n);
  for (CachedBlock& block : blocks_) x = block(x, size_);
  size_ = end;
  logits_ = product(ln_f_(engine::slice(x, 0, n - 1, n)), head_, {});
  return logits_.values();
}

}  // namespace model
