#include "train/loop/cost.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <set>
#include <vector>

#include "engine/base/real.h"
#include "engine/base/storage.h"
#include "engine/base/thread_pool.h"
#include "engine/ops/attention_block.h"

namespace train {

using engine::Index;
using model::Config;

namespace {

// Features of the arrays in a block.
struct Sizes {
  explicit Sizes(const Config& c) : Sizes(c.block_matrices()) {}
  explicit Sizes(const std::array<engine::Shape, 4>& matrices)
      : C(matrices[0][1]),
        qkv(matrices[0][0]),
        heads(matrices[1][1]),
        up(matrices[2][0]),
        hidden(matrices[3][1]) {
    for (const engine::Shape& matrix : matrices) weights += static_cast<double>(matrix.size());
  }
  Index C, qkv, heads;
  Index up, hidden;    // what c_fc makes, gates included, and what c_proj reads
  double weights = 0;  // of the matrices
};

// Blocks of the pool for B sequences of T tokens.
class Blocks {
 public:
  Blocks(Index B, Index T)
      : tokens_(static_cast<double>(B) * static_cast<double>(T)),
        scores_(static_cast<double>(std::min(engine::query_block, T)) *
                static_cast<double>(engine::round_up(T, engine::kernels::lanes) *
                                    engine::thread_count())) {}
  // Bytes of a tensor (tokens, features).
  double tensor(Index features) const { return bytes(tokens_ * static_cast<double>(features)); }
  // Each thread's scores of a block of queries, `count` times.
  double scores(Index count) const { return bytes(static_cast<double>(count) * scores_); }

 private:
  static double bytes(double numbers) {
    return engine::pool::block_bytes(sizeof(engine::real) * numbers);
  }
  double tokens_, scores_;
};

}  // namespace

double activation_bytes(const Config& config, Index B, Index T) {
  const Sizes n(config);
  const Blocks blocks(B, T);
  const auto tensor = [&](Index features) { return blocks.tensor(features); };
  // What ops save for backward. A norm and the linear layer after it save their inputs and, for
  // each row, a mean and a deviation, or only one of the two.
  const double normed = 2 * tensor(n.C) + tensor(config.norm == nn::NormKind::layernorm ? 2 : 1);
  // Norms of queries and keys save their input, and a number for each head. Attention saves its
  // input and result, and two numbers for each head of queries.
  const double attention =
      (config.qk_norm ? tensor(n.qkv) + tensor(config.n_head + config.heads().keys) : 0) +
      tensor(n.qkv) + tensor(n.heads) + tensor(2 * config.n_head);
  const double block = 2 * normed + attention + tensor(n.up);
  const double logits = tensor(config.vocab_size);  // their gradient overwrites them
  // Memory that one op at a time needs; ops that need the same size use the same block in turn.
  // Gradients of the residual stream, of queries, keys and values, of the heads' outputs, of the
  // hidden layer; in attention the scores, and in its backward also their gradients.
  const std::set<double> in_turn{tensor(n.C),      tensor(n.qkv),    tensor(n.heads),
                                 tensor(n.hidden), blocks.scores(1), blocks.scores(2)};
  return static_cast<double>(config.n_layer) * block + normed + logits +
         std::accumulate(in_turn.begin(), in_turn.end(), 0.0);
}

double forward_bytes(const Config& config, Index B, Index T) {
  const Sizes n(config);
  const Blocks blocks(B, T);
  // The features of the tensors that live at once. In attention: the block's input, the same
  // normalized, the projected queries, keys and values, the same normalized and rotated, and the
  // heads' outputs.
  std::multiset<Index> attention{n.C, n.C, n.qkv, n.heads};
  if (config.qk_norm) attention.insert(n.qkv);
  if (config.position == nn::PositionKind::rope) attention.insert(n.qkv);
  // In the feed-forward part: the block's input, that plus attention's result, the sum normalized,
  // the part's result, the next sum, and the hidden layer before and after its activation.
  const std::multiset<Index> feed_forward{n.C, n.C, n.C, n.C, n.C, n.up, n.hidden};
  // Blocks of one are reused by the other if they have the same size.
  std::vector<Index> all;
  std::ranges::set_union(attention, feed_forward, std::back_inserter(all));
  double bytes = blocks.scores(1);
  for (const Index features : all) bytes += blocks.tensor(features);
  return bytes;
}

double step_flops(const Config& config, Index B, Index T) {
  const Sizes n(config);
  const auto t = static_cast<double>(T);
  // Multiply-adds of a token, forward.
  const double per_token =
      static_cast<double>(config.n_layer) * (n.weights + 2 * t * static_cast<double>(n.heads)) +
      static_cast<double>(config.vocab_size) * static_cast<double>(n.C);
  return 3 * 2 * per_token * static_cast<double>(B) * t;  // the backward pass takes twice as many
}

}  // namespace train
