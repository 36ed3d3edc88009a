#include "nn/attention.h"

#include <cmath>
#include <limits>

#include "engine/base/check.h"

namespace nn {

using engine::check;

AttentionResult attention(const Tensor& query, const Tensor& key, const Tensor& value,
                          const AttentionOptions& options, Generator* generator) {
  const auto &q = query.shape(), &k = key.shape(), &v = value.shape();
  check(q.rank() >= 2 && k.rank() >= 2 && v.rank() >= 2, "attention: query ", q, ", key ", k,
        ", value ", v, ": expected (..., positions, features)");
  check(q.cols() == k.cols(), "attention: query ", q, " and key ", k,
        " need the same number of features: ", q.cols(), " against ", k.cols());
  check(k.from_end(2) == v.from_end(2), "attention: key ", k, " and value ", v,
        " need the same number of positions: ", k.from_end(2), " against ", v.from_end(2));
  const double scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(q.cols())));
  Tensor scores = engine::matmul(query, engine::transpose(key)) * scale;
  if (options.causal)
    scores = engine::masked_fill(scores, engine::causal_mask(q.from_end(2), k.from_end(2)),
                                 -std::numeric_limits<engine::real>::infinity());
  const Tensor weights = options.dropout(engine::softmax(scores), generator);
  return {engine::matmul(weights, value), weights};
}

Attention::Attention(Index d_in, Index d_context, Index d_k, Index d_v, bool with_bias,
                     AttentionOptions options_)
    : W_query(d_in, d_k, with_bias),
      W_key(d_context, d_k, with_bias),
      W_value(d_context, d_v, with_bias),
      options(options_) {}

AttentionResult Attention::operator()(const Tensor& x, const Tensor& context,
                                      Generator* generator) const {
  return attention(W_query(x), W_key(context), W_value(context), options, generator);
}

void Attention::reflect(Reflector& r) {
  r("W_query", W_query);
  r("W_key", W_key);
  r("W_value", W_value);
}

Tensor QueriesAndKeys::operator()(const Tensor& qkv, Index first) const {
  const Tensor y = q_norm.weight
                       ? engine::qk_norm(qkv, heads, q_norm.weight, k_norm.weight, q_norm.epsilon)
                       : qkv;
  return angles ? engine::rope(y, angles, heads.queries + heads.keys, first) : y;
}

CausalSelfAttention::CausalSelfAttention(Index channels, engine::Heads heads, bool with_bias,
                                         double dropout_p, Index head_size)
    : weight_dropout(dropout_p), dropout{dropout_p} {
  prepare.heads = heads;
  const auto [H, K] = heads;
  check(H > 0 && (head_size > 0 || channels % H == 0),
        "attention: ", engine::counted(channels, "channel"), channels == 1 ? " is" : " are",
        " not divisible by ", engine::counted(H, "head"));
  const Index D = head_size == 0 ? channels / H : head_size;
  const Index queries = engine::Shape{H, D}.size(), keys = engine::Shape{K, D}.size();
  c_attn = Linear(channels, queries + 2 * keys, with_bias);
  c_proj = Linear(queries, channels, with_bias);
}

// c_attn projects x to queries, keys and values; `prepare` normalizes and rotates queries and keys,
// or does nothing; `scores` holds the scale and whether attention is causal.
Tensor CausalSelfAttention::operator()(const Tensor& x, Generator* generator,
                                       engine::KvCache* cache) const {
  const Tensor qkv = prepare(c_attn(x), cache ? cache->size : 0);
  const Tensor context =
      cache ? engine::cached_self_attention(qkv, prepare.heads, scores, *cache)
            : engine::self_attention(qkv, prepare.heads, generator ? weight_dropout : 0, generator,
                                     scores);
  return dropout(c_proj(context), generator);
}

void CausalSelfAttention::reflect(Reflector& r) {
  r("c_attn", c_attn);
  r("q_norm", prepare.q_norm);
  r("k_norm", prepare.k_norm);
  r("c_proj", c_proj);
}

}  // namespace nn
