// A tiny GPT against PyTorch: logits, loss, every gradient, and the weights after 20 steps of AdamW
// with clipping and weight decay. tests/data/make_pytorch_gpt.py says how the numbers were made.
#include "model/gpt/gpt.h"

#include "engine/ops.h"
#include "engine/tape.h"
#include "nn/adamw.h"
#include "tests/golden.h"

using namespace engine;

namespace {

constexpr Index V = 7, T = 5, B = 2, C = 8;

double norm(const golden::Values& x, const golden::Values& y) {
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) squares += (x[i] - y[i]) * (x[i] - y[i]);
  return std::sqrt(squares);
}

class Golden {
 public:
  // In double the order of sums differs, nothing else. PyTorch's own float32 run shows how far
  // single precision may be from float64: ours must be about as near, three times at most, give or
  // take a rounding of each value.
  void check(const std::string& name, const Tensor& x) const {
    golden::Values exact = all_.at("float64." + name), single = all_.at("float32." + name);
    golden::Values got(x.values().begin(), x.values().end());
    REQUIRE(got.size() == exact.size());
    // The middle third of c_attn.bias, the keys', shifts all scores of a query by the same number,
    // so softmax does not change. Its gradient is only rounding error, and AdamW divides that by
    // its own size.
    if (name.ends_with("c_attn.bias"))
      for (golden::Values* v : {&exact, &single, &got})
        v->erase(v->begin() + C, v->begin() + 2 * C);
    const double size = norm(exact, golden::Values(exact.size()));
    const double error = norm(got, exact) / size;
    const double allowed = golden::in_double ? 1e-11 : 3 * norm(single, exact) / size + 1.2e-7;
    INFO(name << ": off by " << error << ", allowed " << allowed);
    CHECK(error <= allowed);
  }

 private:
  std::map<std::string, golden::Values> all_ = golden::read("tests/data/pytorch_gpt.txt");
};

model::GPT golden_gpt() {
  model::GPT gpt(
      {.vocab_size = V, .block_size = T, .n_layer = 2, .n_head = 2, .n_embd = C, .bias = true});
  Index k = 0;
  nn::for_each_parameter(gpt, [&](const std::string& name, Tensor& t) {
    golden::fill(t, k++, 0.3, name.find(".ln_") != name.npos && name.ends_with("weight") ? 1 : 0);
  });
  return gpt;
}

struct Batch {
  std::vector<std::int32_t> ids, targets;
  explicit Batch(Index step) {
    for (Index i = 0; i < B * T; ++i) {
      ids.push_back(static_cast<std::int32_t>((3 * i * i + 5 * i + 7 * step + 1) % V));
      targets.push_back(i == 3 ? -1 : static_cast<std::int32_t>((2 * i * i + i + 3 * step) % V));
    }
  }
};

}  // namespace

TEST_CASE("gpt: logits, gradients and 20 steps of AdamW as PyTorch has them") {
  const Golden golden;
  model::GPT gpt = golden_gpt();
  const nn::FlatParameters flat(gpt);
  nn::AdamW optimizer(nn::decay_matrices(nn::tensors(gpt)),
                      {.beta1 = 0.9, .beta2 = 0.99, .weight_decay = 0.1, .grad_clip = 1});
  std::vector<real> losses;
  for (Index step = 0; step < 20; ++step) {
    const Batch batch(step);
    if (step == 0) golden.check("logits", gpt.logits(batch.ids, B, T));
    Tape tape;
    const Tensor loss = gpt.loss(batch.ids, batch.targets, B, T);
    tape.backward(loss);
    if (step == 0)
      nn::for_each_parameter(gpt, [&](const std::string& name, Tensor& t) {
        golden.check("gradient." + name, t.gradient().value());
      });
    losses.push_back(loss.item());
    optimizer.step(0.01);
  }
  golden.check("losses", Tensor::of({20}, losses));
  nn::for_each_parameter(
      gpt, [&](const std::string& name, Tensor& t) { golden.check("trained." + name, t); });
}
