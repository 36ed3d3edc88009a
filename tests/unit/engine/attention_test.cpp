// Attention against PyTorch 1.13: values and gradients of causal multi-head attention and of
// cross-attention. tests/data/pytorch_attention.txt holds its results in float64, for inputs by the
// formula of tests/golden.h (number and scale of each tensor are below).

#include "nn/attention.h"

#include <algorithm>

#include "engine/attention.h"
#include "engine/tape.h"
#include "tests/golden.h"

using namespace engine;

namespace {

// Only the order of sums differs in double; in float a few roundings of 6e-8 of values up to 20.
constexpr double tolerance = golden::in_double ? 1e-12 : 2e-5;

using Named = std::pair<const char*, Tensor>;

class Golden {
 public:
  explicit Golden(std::string prefix) : prefix_(std::move(prefix)) {}
  void check(const std::string& name, const Tensor& x) const {
    static const auto all = golden::read("tests/data/pytorch_attention.txt");
    const golden::Values& expected = all.at(prefix_ + "." + name);
    REQUIRE(x.values().size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double error = std::abs(double(x.values()[i]) - expected[i]);
      // Large values, of gradients summed over positions, may be off in proportion.
      const double allowed = std::max(tolerance, tolerance / 2 * std::abs(expected[i]));
      if (!(error <= allowed)) {
        INFO(prefix_ << "." << name << "[" << i << "]: " << x.values()[i] << ", expected "
                     << expected[i]);
        CHECK(error <= allowed);
      }
    }
  }
  void check_gradients(std::initializer_list<Named> inputs) const {
    for (const auto& [name, x] : inputs)
      check(std::string("gradient.") + name, x.gradient().value());
  }

 private:
  std::string prefix_;
};

Tensor data(const Shape& shape, Index k, double scale = 1) {
  const Tensor x = Tensor::uninitialized(shape);
  golden::fill(x, k, scale);
  return x;
}
Tensor leaf(const Shape& shape, Index k, double scale = 1) {
  return data(shape, k, scale).require_gradient();
}

}  // namespace

TEST_CASE("attention: causal, three heads, as PyTorch has it") {
  const Golden golden("causal_mha");
  const Tensor x = leaf({2, 5, 12}, 0), W_q = leaf({12, 12}, 1), b_q = leaf({12}, 2, 0.2),
               W_k = leaf({12, 12}, 3), b_k = leaf({12}, 4, 0.2), W_v = leaf({12, 12}, 5, 0.5),
               b_v = leaf({12}, 6, 0.2), W_o = leaf({12, 12}, 7, 0.5), b_o = leaf({12}, 8, 0.2);
  Tape tape;
  const Tensor qkv = linear(x, concat({W_q, W_k, W_v}, 0), concat({b_q, b_k, b_v}, 0));
  const Tensor context = self_attention(qkv, 3);
  const Tensor y = linear(context, W_o, b_o);
  const Tensor loss = sum(y * data({2, 5, 12}, 9));
  golden.check("context_before_out_proj", context);
  golden.check("y", y);
  golden.check("loss", loss);
  tape.backward(loss);
  golden.check_gradients({Named("x", x), Named("W_q", W_q), Named("b_q", b_q), Named("W_k", W_k),
                          Named("b_k", b_k), Named("W_v", W_v), Named("b_v", b_v),
                          Named("W_o", W_o), Named("b_o", b_o)});
}

TEST_CASE("attention: the weights of every head, as PyTorch has them") {
  const Tensor x = leaf({2, 5, 12}, 0);
  const auto heads = [&](Index k_weight, double scale, Index k_bias) {
    const Tensor y = linear(x, leaf({12, 12}, k_weight, scale), leaf({12}, k_bias, 0.2));
    return permute(y.reshape({2, 5, 3, 4}), {0, 2, 1, 3});
  };
  const nn::AttentionResult result =
      nn::attention(heads(1, 1, 2), heads(3, 1, 4), heads(5, 0.5, 6), {.causal = true});
  const Golden golden("causal_mha");
  golden.check("attention_weights", result.weights);
  golden.check("context_before_out_proj", permute(result.context, {0, 2, 1, 3}));
}

TEST_CASE("attention: from one sequence to another, as PyTorch has it") {
  const Golden golden("cross_attention");
  const Tensor x = leaf({4, 8}, 0), context = leaf({7, 8}, 1);
  nn::Attention layer(8, 8, 6, 10);
  golden::fill(layer.W_query.weight, 2, 1);
  golden::fill(layer.W_key.weight, 3, 1);
  golden::fill(layer.W_value.weight, 4, 1);
  Tape tape;
  const nn::AttentionResult result = layer(x, context);
  const Tensor loss = sum(result.context * data({4, 10}, 5));
  golden.check("scores_unscaled", matmul(layer.W_query(x), transpose(layer.W_key(context))));
  golden.check("attention_weights", result.weights);
  golden.check("z", result.context);
  golden.check("loss", loss);
  tape.backward(loss);
  golden.check_gradients({Named("x_q", x), Named("x_kv", context),
                          Named("W_q", layer.W_query.weight), Named("W_k", layer.W_key.weight),
                          Named("W_v", layer.W_value.weight)});
}

TEST_CASE("attention: a scale that is given counts, whatever its sign") {
  const Tensor q = leaf({3, 2}, 1), k = leaf({4, 2}, 2), v = leaf({4, 5}, 3);
  for (const double scale : {-1.0, 0.0, 0.25, 3.0}) {
    const Tensor weights = softmax(matmul(q, transpose(k)) * real(scale)),
                 found = nn::attention(q, k, v, {.scale = scale}).weights;
    for (std::size_t i = 0; i < 12; ++i)
      CHECK(double(found.values()[i]) == Approx(double(weights.values()[i])).epsilon(tolerance));
  }
}
