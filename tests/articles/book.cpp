// The modules of Raschka's book "Build a large language model (from scratch)", which the articles
// follow, in the book's order: from causal attention to GPT-2 with 124 million parameters. PyTorch,
// given the same seeds, computes the same numbers (make_book_numbers.py).

#include <numbers>

#include "tests/articles/book_numbers.h"
#include "tests/torch_dropout.h"

namespace articles {
namespace {

using Dropout = TorchDropout;
using nn::Linear;

// --- attention -----------------------------------------------------------------------------------

struct CausalAttention {
  Linear W_query, W_key, W_value;
  Dropout dropout;
  CausalAttention(Index d_in, Index d_out, double dropout_p, bool qkv_bias = false)
      : W_query(d_in, d_out, qkv_bias),
        W_key(d_in, d_out, qkv_bias),
        W_value(d_in, d_out, qkv_bias),
        dropout{dropout_p} {}
  Tensor operator()(const Tensor& x, Generator* generator = nullptr) const {
    const Tensor keys = W_key(x), queries = W_query(x), values = W_value(x);
    const Index n = x.shape().from_end(2);
    const Tensor scores = matmul(queries, transpose(keys));
    const Tensor masked = masked_fill(scores, causal_mask(n, n), -INFINITY);
    const Tensor weights = softmax(masked / std::sqrt(keys.shape().cols()));
    return matmul(dropout(weights, generator), values);
  }
  void reflect(nn::Reflector& r) {
    r("W_query", W_query), r("W_key", W_key), r("W_value", W_value);
  }
};

struct MultiHeadAttentionWrapper {
  std::vector<CausalAttention> heads;
  MultiHeadAttentionWrapper(Index d_in, Index d_out, double dropout, Index num_heads) {
    for (Index i = 0; i < num_heads; ++i) heads.emplace_back(d_in, d_out, dropout);
  }
  Tensor operator()(const Tensor& x, Generator* generator = nullptr) const {
    std::vector<Tensor> contexts;
    for (const CausalAttention& head : heads) contexts.push_back(head(x, generator));
    return concat(contexts, -1);
  }
  void reflect(nn::Reflector& r) { r("heads", heads); }
};

struct MultiHeadAttention {
  Linear W_query, W_key, W_value, out_proj;
  Index num_heads;
  Dropout dropout;
  MultiHeadAttention(Index d_in, Index d_out, double dropout_p, Index num_heads_,
                     bool qkv_bias = false)
      : W_query(d_in, d_out, qkv_bias),
        W_key(d_in, d_out, qkv_bias),
        W_value(d_in, d_out, qkv_bias),
        out_proj(d_out, d_out),
        num_heads(num_heads_),
        dropout{dropout_p} {}
  Tensor operator()(const Tensor& x, Generator* generator = nullptr) const {
    const Index b = x.shape()[0], num_tokens = x.shape()[1];
    const auto split = [&](const Tensor& y) {  // (b, num_tokens, d_out) -> (b, heads, .., head_dim)
      return transpose(y.reshape({b, num_tokens, num_heads, -1}), 1, 2);
    };
    const Tensor queries = split(W_query(x)), keys = split(W_key(x)), values = split(W_value(x));
    const Tensor weights = nn::attention(queries, keys, values, {.causal = true}).weights;
    const Tensor context = matmul(dropout(weights, generator), values);
    return out_proj(transpose(context, 1, 2).reshape({b, num_tokens, -1}));
  }
  void reflect(nn::Reflector& r) {
    r("W_query", W_query), r("W_key", W_key), r("W_value", W_value), r("out_proj", out_proj);
  }
};

// The six words of the book, twice.
Tensor sentences() {
  const Tensor inputs = Tensor::of({{0.43, 0.15, 0.89},
                                    {0.55, 0.87, 0.66},
                                    {0.57, 0.85, 0.64},
                                    {0.22, 0.58, 0.33},
                                    {0.77, 0.25, 0.10},
                                    {0.05, 0.80, 0.55}});
  return stack({inputs, inputs});
}

// A module with the weights that PyTorch's has after torch.manual_seed(123), and what it makes of x
// if it trains on with the same generator.
template <class Module>
Tensor train_mode(Module module, const Tensor& x) {
  Generator generator(123);
  nn::initialize(module, generator);
  return module(x, &generator);
}

TEST_CASE("book: attention modules", "[articles][book]") {
  title("Build a large language model (Raschka)");
  const Tensor batch = sentences();
  section("Embedding");
  Generator generator(123);
  nn::Embedding embedding(6, 3);
  nn::initialize(embedding, generator);
  prints("embedding.weight", embedding.weight, book::embedding_weight);

  // Row 39.
  section("Dropout");
  Generator seed_123(123), again_123(123);
  const Tensor ones = Tensor::ones({6, 6});
  const Dropout half = {0.5};
  prints("dropout(ones)", half(ones, &seed_123), book::dropped_ones);
  const Tensor weights = Tensor::of(book::masked_simple_norm.shape, [] {
    std::vector<real> values;
    for (const double v : book::masked_simple_norm.values) values.push_back(real(v));
    return values;
  }());
  prints("dropout(weights)", half(weights, &again_123), book::dropped_weights);
  CHECK(difference(half(ones, nullptr), ones) == 0);

  // Rows 33, 34, 38, 40. Two equal inputs in a batch give two equal outputs.
  section("Causal attention");
  prints("CausalAttention(3, 2, 0.0)", train_mode(CausalAttention(3, 2, 0.0), batch), book::causal);
  prints("CausalAttention(3, 2, 0.5)", train_mode(CausalAttention(3, 2, 0.5), batch),
         book::causal_dropout);
  section("Multi-head attention");
  prints("MultiHeadAttentionWrapper(3, 2, 0.0, 2)",
         train_mode(MultiHeadAttentionWrapper(3, 2, 0.0, 2), batch), book::wrapper);
  prints("MultiHeadAttention(3, 2, 0.0, 2)", train_mode(MultiHeadAttention(3, 2, 0.0, 2), batch),
         book::multi_head);
  prints("MultiHeadAttention(3, 4, 0.5, 2, qkv_bias=True)",
         train_mode(MultiHeadAttention(3, 4, 0.5, 2, true), batch), book::multi_head_dropout);
}

// --- GPT -----------------------------------------------------------------------------------------

struct LayerNorm {
  Tensor scale, shift;
  explicit LayerNorm(Index emb_dim)
      : scale(Tensor::ones({emb_dim}).require_gradient()),
        shift(Tensor::zeros({emb_dim}).require_gradient()) {}
  Tensor operator()(const Tensor& x) const {
    const Tensor centered = x - mean(x, -1, true);
    const Tensor var = variance(x, -1, true, 0);
    return scale * (centered / sqrt(var + 1e-5)) + shift;
  }
  void reflect(nn::Reflector& r) { r("scale", scale), r("shift", shift); }
};

Tensor gelu_of_the_book(const Tensor& x) {
  return 0.5 * x * (1 + tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * pow(x, 3))));
}

struct FeedForward {
  Linear up, down;
  explicit FeedForward(Index emb_dim) : up(emb_dim, 4 * emb_dim), down(4 * emb_dim, emb_dim) {}
  Tensor operator()(const Tensor& x, Generator* = nullptr) const {
    return down(gelu_of_the_book(up(x)));
  }
  void reflect(nn::Reflector& r) { r("layers.0", up), r("layers.2", down); }
};

struct Config {
  Index vocab_size, context_length, emb_dim, n_heads, n_layers;
  double drop_rate;
  bool qkv_bias;
};

struct TransformerBlock {
  MultiHeadAttention att;
  FeedForward ff;
  LayerNorm norm1, norm2;
  Dropout drop_shortcut;
  explicit TransformerBlock(const Config& cfg)
      : att(cfg.emb_dim, cfg.emb_dim, cfg.drop_rate, cfg.n_heads, cfg.qkv_bias),
        ff(cfg.emb_dim),
        norm1(cfg.emb_dim),
        norm2(cfg.emb_dim),
        drop_shortcut{cfg.drop_rate} {}
  Tensor operator()(const Tensor& x, Generator* generator = nullptr) const {
    const Tensor y = x + drop_shortcut(att(norm1(x), generator), generator);
    return y + drop_shortcut(ff(norm2(y)), generator);
  }
  void reflect(nn::Reflector& r) {
    r("att", att), r("ff", ff), r("norm1", norm1), r("norm2", norm2);
  }
};

struct GPTModel {
  nn::Embedding tok_emb, pos_emb;
  Dropout drop_emb;
  std::vector<TransformerBlock> trf_blocks;
  LayerNorm final_norm;
  Linear out_head;
  explicit GPTModel(const Config& cfg)
      : tok_emb(cfg.vocab_size, cfg.emb_dim),
        pos_emb(cfg.context_length, cfg.emb_dim),
        drop_emb{cfg.drop_rate},
        final_norm(cfg.emb_dim),
        out_head(cfg.emb_dim, cfg.vocab_size, false) {
    for (Index i = 0; i < cfg.n_layers; ++i) trf_blocks.emplace_back(cfg);
  }
  Tensor operator()(std::span<const std::int32_t> ids, Index batch,
                    Generator* generator = nullptr) const {
    const Index n = std::ssize(ids) / batch;
    const Tensor positions = slice(pos_emb.weight, 0, 0, n);
    Tensor x = drop_emb(tok_emb(ids, {batch, n}) + positions, generator);
    for (const TransformerBlock& block : trf_blocks) x = block(x, generator);
    return out_head(final_norm(x));
  }
  void reflect(nn::Reflector& r) {
    r("tok_emb", tok_emb), r("pos_emb", pos_emb), r("trf_blocks", trf_blocks);
    r("final_norm", final_norm), r("out_head", out_head);
  }
};

// The likeliest next token, `count` times.
std::vector<std::int32_t> generate_text_simple(const GPTModel& model, std::vector<std::int32_t> ids,
                                               int count) {
  for (int i = 0; i < count; ++i) ids.push_back(argmax(model(ids, 1)[0]).back());
  return ids;
}

TEST_CASE("book: the parts of GPT", "[articles][book]") {
  section("Layer normalization");
  Generator generator(123);
  const Tensor batch_example = Tensor::randn({2, 5}, generator);
  Linear layer(5, 6);
  nn::initialize(layer, generator);
  const Tensor out = relu(layer(batch_example));
  prints("out", out, book::layer_out);
  prints("mean", mean(out, -1, true), book::layer_out_mean);
  prints("var", variance(out, -1, true), book::layer_out_var);
  prints("LayerNorm(5)", LayerNorm(5)(batch_example), book::layer_norm);
  prints("nn::LayerNorm(5)", nn::LayerNorm(5)(batch_example), book::layer_norm);

  section("GELU and the feed-forward network");
  const Tensor x = Tensor::arange(13) * 0.5 - 3;
  prints("GELU()(x)", gelu_of_the_book(x), book::gelu);
  prints("gelu_tanh(x)", gelu_tanh(x), book::gelu);
  Generator seed_123(123);
  FeedForward ff(8);
  nn::initialize(ff, seed_123);
  prints("FeedForward(8)", ff(Tensor::rand({2, 3, 8}, seed_123)), book::feed_forward);
}

// Five layers. Their gradients vanish unless shortcuts lead around them.
struct DeepNetwork {
  std::vector<Linear> layers;
  bool use_shortcut;
  DeepNetwork(std::vector<Index> sizes, bool use_shortcut_) : use_shortcut(use_shortcut_) {
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) layers.emplace_back(sizes[i], sizes[i + 1]);
  }
  Tensor operator()(Tensor x) const {
    for (const Linear& layer : layers) {
      const Tensor y = gelu_tanh(layer(x));
      x = use_shortcut && x.shape() == y.shape() ? x + y : y;
    }
    return x;
  }
  void reflect(nn::Reflector& r) { r("layers", layers); }
};

TEST_CASE("book: shortcuts keep gradients alive", "[articles][book]") {
  section("Shortcut connections");
  for (const bool use_shortcut : {false, true}) {
    Generator generator(123);
    DeepNetwork network({3, 3, 3, 3, 3, 1}, use_shortcut);
    nn::initialize(network, generator);
    Tape tape;
    const Tensor output = network(Tensor::of({{1, 0, -1}}));
    tape.backward(mean(output * output));  // the squared distance from 0
    const Numbers& by_pytorch = use_shortcut ? book::gradients_with_shortcut : book::gradients;
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
      double sum = 0;
      const Tensor gradient = network.layers[i].weight.gradient().value();
      for (const real g : gradient.values()) sum += std::abs(g);
      const double average = sum / static_cast<double>(gradient.size());
      say("layers.", i, ".0.weight has gradient mean of ", average);
      CHECK(average == Approx(by_pytorch.values[i]).epsilon(1e-5));
    }
  }
}

// Row 41.
TEST_CASE("book: GPT", "[articles][book]") {
  section("Transformer block");
  const Config cfg{.vocab_size = 50,
                   .context_length = 8,
                   .emb_dim = 12,
                   .n_heads = 3,
                   .n_layers = 2,
                   .drop_rate = 0.1,
                   .qkv_bias = false};
  Generator generator(123);
  const Tensor x = Tensor::rand({2, 4, 12}, generator);
  TransformerBlock block(cfg);
  nn::initialize(block, generator);
  prints("block(x)", block(x, &generator), book::block);

  section("GPT, a small one");
  Generator seed_123(123);
  GPTModel model(cfg);
  nn::initialize(model, seed_123);
  const std::vector<std::int32_t> ids = {6, 3, 45, 10, 6, 1, 22, 49};
  const std::vector<std::int32_t> targets = {3, 45, 10, 6, 1, 22, 49, 6};
  prints("model(ids), training", model(ids, 2, &seed_123), book::gpt_training);
  const Tensor logits = model(ids, 2);
  prints("model(ids)", logits, book::gpt);
  prints("loss", cross_entropy(logits, targets), book::gpt_loss);
  const std::vector<std::int32_t> generated = generate_text_simple(model, {6, 3, 45, 10}, 4);
  const std::vector<std::int32_t> expected(book::generated.values.begin(),
                                           book::generated.values.begin() + 8);
  CHECK(generated == expected);
}

// Hidden from `make test`, as it takes 650 MB: `make articles` runs it.
TEST_CASE("book: GPT-2 with 124 million parameters", "[.][book-124M]") {
  section("GPT-2");
  const Config cfg{.vocab_size = 50257,
                   .context_length = 1024,
                   .emb_dim = 768,
                   .n_heads = 12,
                   .n_layers = 12,
                   .drop_rate = 0.1,
                   .qkv_bias = false};
  Generator generator(123);
  GPTModel model(cfg);
  nn::initialize(model, generator);
  const Index parameters = nn::parameter_count(model);
  say(parameters, " parameters, ", parameters - model.out_head.weight.size(),
      " if the head shares its weights with the embedding");
  CHECK(parameters == 163'009'536);
  CHECK(parameters - model.out_head.weight.size() == 124'412'160);

  const std::vector<std::int32_t> ids = {6109, 3626, 6100, 345, 6109, 1110, 6622, 257};
  const auto ends = [](const Tensor& logits) {
    return concat({slice(logits, 2, 0, 3), slice(logits, 2, 50254, 50257)}, 2);
  };
  const Tensor training = model(ids, 2, &generator);
  show("model(ids), training", training);
  prints("its ends", ends(training), book::gpt_124m_training);
  prints("in evaluation", ends(model(ids, 2)), book::gpt_124m);
  const std::vector<std::int32_t> hello = {15496, 11, 314, 716};  // "Hello, I am"
  const std::vector<std::int32_t> expected(book::gpt_124m_generated.values.begin(),
                                           book::gpt_124m_generated.values.end());
  CHECK(generate_text_simple(model, hello, 6) == expected);
}

}  // namespace
}  // namespace articles
