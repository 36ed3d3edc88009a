// Attention against PyTorch 1.13 in float64, values and gradients: several causal heads with all
// biases, fused and by hand, and cross-attention (rows 26, 34, 36, 38, 46). Nothing is random:
// every input follows from a formula. Of each tensor three numbers are compared, which were made by
// torch.autograd: sum_i x_i, the norm, and sum_i x_i (i + 1) / n, which sees elements that changed
// places.

#include "engine/attention.h"
#include "tests/articles/walkthrough.h"

namespace articles {
namespace {

struct Fingerprint {
  double sum, norm, ramp;
};

constexpr double tolerance = sizeof(real) == 8 ? 1e-11 : 1e-4;

void compare(const char* name, const Tensor& x, const Fingerprint& by_pytorch) {
  Fingerprint f{};
  const double n = static_cast<double>(x.size());
  for (Index i = 0; i < x.size(); ++i) {
    const double v = x.data()[i];
    f.sum += v;
    f.norm += v * v;
    f.ramp += v * static_cast<double>(i + 1) / n;
  }
  f.norm = std::sqrt(f.norm);
  INFO(name);
  CHECK(f.sum == Approx(by_pytorch.sum).epsilon(0).margin(tolerance));
  CHECK(f.norm == Approx(by_pytorch.norm).epsilon(0).margin(tolerance));
  CHECK(f.ramp == Approx(by_pytorch.ramp).epsilon(0).margin(tolerance));
}

void compare_gradient(const char* name, const Tensor& x, const Fingerprint& by_pytorch) {
  compare(name, x.gradient().value(), by_pytorch);
}

// Element i of tensor k.
Tensor by_formula(const Shape& shape, Index k, double scale = 1) {
  Tensor x = Tensor::uninitialized(shape);
  for (Index i = 0; i < x.size(); ++i) {
    const Index residue = (31 * i * i + 7919 * i + 104729 * k + 17) % 2003;
    x.mutable_data()[i] = static_cast<real>(scale * (static_cast<double>(residue - 1001) / 1000));
  }
  return x;
}

TEST_CASE("PyTorch: causal heads, values and gradients", "[articles]") {
  const Index B = 2, T = 5, C = 12, H = 3;
  Tensor x = by_formula({B, T, C}, 0).require_gradient();
  Tensor W_q = by_formula({C, C}, 1), b_q = by_formula({C}, 2, 0.2);
  Tensor W_k = by_formula({C, C}, 3), b_k = by_formula({C}, 4, 0.2);
  Tensor W_v = by_formula({C, C}, 5, 0.5), b_v = by_formula({C}, 6, 0.2);
  Tensor W_o = by_formula({C, C}, 7, 0.5), b_o = by_formula({C}, 8, 0.2);
  for (Tensor* p : {&W_q, &b_q, &W_k, &b_k, &W_v, &b_v, &W_o, &b_o}) p->require_gradient();
  const Tensor g = by_formula({B, T, C}, 9);
  const auto split = [&](const Tensor& y) { return transpose(y.reshape({B, T, H, C / H}), 1, 2); };

  Tape tape;
  Tensor y;
  SECTION("by hand") {
    const auto [context, weights] =
        nn::attention(split(linear(x, W_q, b_q)), split(linear(x, W_k, b_k)),
                      split(linear(x, W_v, b_v)), {.causal = true});
    const Tensor joined = transpose(context, 1, 2).reshape({B, T, C});
    compare("weights", weights, {30.0, 4.20511607749807, 14.859279605230013});
    compare("context", joined, {0.5829291059866626, 4.996225732867991, 1.8798028113299368});
    y = linear(joined, W_o, b_o);
  }
  SECTION("fused") {
    const Tensor qkv = linear(x, concat({W_q, W_k, W_v}, 0), concat({b_q, b_k, b_v}, 0));
    y = linear(self_attention(qkv, H), W_o, b_o);
  }
  compare("y", y, {4.3654982443383386, 4.592772037085578, 1.8454333334258566});
  const Tensor loss = sum(y * g);
  CHECK(loss.item() == Approx(-2.145888569329606).epsilon(0).margin(tolerance));
  tape.backward(loss);
  compare_gradient("x", x, {4.31382225235653, 7.2812929044966115, 5.335421083006832});
  compare_gradient("W_q", W_q, {-2.414964629576179, 3.5556939993439003, -1.5723152645106688});
  compare_gradient("b_q", b_q, {1.351938956539235, 1.6106024392173357, 0.49457881999267944});
  compare_gradient("W_k", W_k, {0.4518190099673339, 3.1289447908874, 1.0606037948277727});
  compare_gradient("b_k", b_k,
                   {0, 0, 0});  // softmax does not change if a number is added to all scores
  compare_gradient("W_v", W_v, {-8.344734749878551, 8.754173207900832, -1.9627601128231018});
  compare_gradient("b_v", b_v, {1.6293304999999991, 4.828516535372613, 2.0967710416666656});
  compare_gradient("W_o", W_o, {-3.5400908546360474, 9.893202796073066, 0.12320362215937086});
  compare_gradient("b_o", b_o, {6.003, 6.368445571723134, 5.386333333333333});
}

TEST_CASE("PyTorch: cross-attention, values and gradients", "[articles]") {
  Tensor x_q = by_formula({4, 8}, 0).require_gradient();
  Tensor x_kv = by_formula({7, 8}, 1).require_gradient();
  nn::Attention attention(8, 8, 6, 10);
  attention.W_query.weight.assign(by_formula({6, 8}, 2));
  attention.W_key.weight.assign(by_formula({6, 8}, 3));
  attention.W_value.weight.assign(by_formula({10, 8}, 4));
  Tape tape;
  const auto [z, weights] = attention(x_q, x_kv);
  compare("weights", weights, {4.0, 0.9437882096337102, 2.0220499171433506});
  compare("z", z, {6.625254846986077, 2.836481242795237, 3.451339022847524});
  const Tensor loss = sum(z * by_formula({4, 10}, 5));
  CHECK(loss.item() == Approx(-0.9922525397501716).epsilon(0).margin(tolerance));
  tape.backward(loss);
  compare_gradient("x_q", x_q, {2.2908726864171536, 1.6338429499673626, 1.016874029936663});
  compare_gradient("x_kv", x_kv, {-3.352066, 3.5381378371023207, -1.058691947200673});
  compare_gradient("W_query", attention.W_query.weight,
                   {0.36479952866671367, 1.907592522101335, -4.530833924640265e-05});
  compare_gradient("W_key", attention.W_key.weight,
                   {1.6601565385384256, 1.906137069929235, 0.41455636489146486});
  compare_gradient("W_value", attention.W_value.weight,
                   {2.402675026027203, 3.725869964812731, -0.1493586958310245});
}

}  // namespace
}  // namespace articles
