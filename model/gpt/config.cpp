#include "model/gpt/config.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <vector>

#include "engine/base/number.h"
#include "engine/base/storage.h"
#include "engine/base/thread_pool.h"
#include "engine/ops/attention_block.h"

std::string nn::value_text(AttentionScale scale) {
  return scale.factor == 0 ? "sqrt" : scale.factor == 1 ? "none" : model::value_text(scale.factor);
}

namespace model {

void read_value(const SettingText& about, std::string_view label, std::string_view text,
                nn::AttentionScale& out) {
  if (text == "sqrt" || text == "none")
    out.factor = text == "sqrt" ? 0 : 1;
  else if (engine::parse_number(text, out.factor) != engine::Parsed::ok ||
           !contains(about.range, out.factor))
    refuse_value(label, text, "not sqrt, none or a number " + range_text(about.range));
}

void set_architecture(Config& config, Family family) {
  const bool llama = family != Family::gpt2;
  config.position = llama ? nn::PositionKind::rope : nn::PositionKind::learned;
  config.norm = llama ? nn::NormKind::rmsnorm : nn::NormKind::layernorm;
  config.activation = llama ? nn::Activation::swiglu : nn::Activation::gelu;
  config.qk_norm = family == Family::qwen3;
}

bool Config::scales_by_sqrt() const {
  return scores().scale_of(head_size()) == engine::AttentionScores().scale_of(head_size());
}

void Config::validate() const {
  Config copy;
  for (const Setting<Config>& setting : config_settings)
    setting.set(copy, setting.get(*this), setting.name);
  check(head_dim > 0 || n_embd % n_head == 0, "n_head: ", counted(n_embd, "channel"),
        n_embd == 1 ? " is" : " are", " not divisible by ", counted(n_head, "head"));
  check(n_head % heads().keys == 0, "n_kv_head: ", counted(n_head, "head"),
        n_head == 1 ? " is" : " are", " not divisible by ", n_kv_head);
  check(position == nn::PositionKind::learned || head_size() % 2 == 0,
        "position: rope rotates pairs of features, but a head has ", head_size());
  // A file may name any context length. With rope, that costs memory for a table of angles, but no
  // weights. The limit keeps a file from requesting much more memory than its weights take; readers
  // compare their number with parameter_count().
  constexpr Index some = Index(1) << 22;
  check(position == nn::PositionKind::learned ||
            block_size <= (some + parameter_count()) / head_size(),
        "block_size: a context of ", block_size, " tokens is too long for a model of ",
        parameter_count(), " weights");
}

namespace {

// The sizes of a block's matrices.
struct Sizes {
  explicit Sizes(const Config& c)
      : C(c.n_embd),
        qkv((c.n_head + 2 * c.heads().keys) * c.head_size()),
        heads(c.n_head * c.head_size()),
        hidden(c.hidden_size()),
        up(c.activation == nn::Activation::swiglu ? 2 * hidden : hidden) {}
  Index C, qkv, heads, hidden;
  Index up;  // features of c_fc, including the gates

  Index matrices() const { return (qkv + heads + up + hidden) * C; }
  Index biases() const { return qkv + C + up + C; }
};

}  // namespace

Index Config::parameter_count() const {
  const Index C = n_embd;
  const Sizes sizes(*this);
  const Index norm_size = bias && norm == nn::NormKind::layernorm ? 2 * C : C;
  const Index block = sizes.matrices() + (bias ? sizes.biases() : 0) + 2 * norm_size +
                      (qk_norm ? 2 * head_size() : 0);
  const Index tables = vocab_size + (tie_weights ? 0 : vocab_size) +
                       (position == nn::PositionKind::learned ? block_size : 0);
  return tables * C + n_layer * block + norm_size;
}

void Config::check_holds(Index weights, bool or_more) const {
  const Index expected = parameter_count();
  check(weights == expected || (or_more && weights > expected), "the file holds ", weights,
        " weights but its architecture (", counted(n_layer, "layer"), ", ", n_embd,
        " channels) has ", expected);
}

std::array<engine::Shape, 4> Config::block_matrices() const {
  const Sizes n(*this);
  return {{{n.qkv, n.C}, {n.C, n.heads}, {n.up, n.C}, {n.C, n.hidden}}};
}

namespace {

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

double Config::activation_bytes(Index B, Index T) const {
  const Sizes n(*this);
  const Blocks blocks(B, T);
  const auto tensor = [&](Index features) { return blocks.tensor(features); };
  // What ops save for backward. A norm and the linear layer after it save their inputs and, for
  // each row, a mean and a deviation, or only one of the two.
  const double normed = 2 * tensor(n.C) + tensor(norm == nn::NormKind::layernorm ? 2 : 1);
  // Norms of queries and keys save their input, and a number for each head. Attention saves its
  // input and result, and two numbers for each head of queries.
  const double attention = (qk_norm ? tensor(n.qkv) + tensor(n_head + heads().keys) : 0) +
                           tensor(n.qkv) + tensor(n.heads) + tensor(2 * n_head);
  const double block = 2 * normed + attention + tensor(n.up);
  const double logits = tensor(vocab_size);  // their gradient overwrites them
  // Memory that one op at a time needs; ops that need the same size use the same block in turn.
  // Gradients of the residual stream, of queries, keys and values, of the heads' outputs, of the
  // hidden layer; in attention the scores, and in its backward also their gradients.
  const std::set<double> in_turn{tensor(n.C),      tensor(n.qkv),    tensor(n.heads),
                                 tensor(n.hidden), blocks.scores(1), blocks.scores(2)};
  return static_cast<double>(n_layer) * block + normed + logits +
         std::accumulate(in_turn.begin(), in_turn.end(), 0.0);
}

double Config::forward_bytes(Index B, Index T) const {
  const Sizes n(*this);
  const Blocks blocks(B, T);
  // The features of the tensors that live at once. In attention: the block's input, the same
  // normalized, the projected queries, keys and values, the same normalized and rotated, and the
  // heads' outputs.
  std::multiset<Index> attention{n.C, n.C, n.qkv, n.heads};
  if (qk_norm) attention.insert(n.qkv);
  if (position == nn::PositionKind::rope) attention.insert(n.qkv);
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

double Config::step_flops(Index B, Index T) const {
  const auto C = static_cast<double>(n_embd), L = static_cast<double>(n_layer),
             t = static_cast<double>(T), V = static_cast<double>(vocab_size);
  // Multiply-adds of a token, forward.
  const Sizes sizes(*this);
  const double per_token =
      L * (static_cast<double>(sizes.matrices()) + 2 * t * static_cast<double>(sizes.heads)) +
      V * C;
  return 3 * 2 * per_token * static_cast<double>(B) * t;  // the backward pass takes twice as many
}

}  // namespace model
