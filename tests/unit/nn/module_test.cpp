#include "nn/module.h"

#include "engine/ops.h"
#include "engine/tape.h"
#include "nn/layers.h"
#include "tests/catch.h"

using namespace engine;

namespace {

// A model with two handles on one weight, both listed.
struct Tied {
  nn::Embedding tokens{5, 4};
  nn::Linear head{4, 5};
  Tied() { head.weight = tokens.weight; }
  Tensor operator()(std::span<const std::int32_t> ids) const { return head(tokens(ids)); }
  void reflect(nn::Reflector& r) {
    r("tokens", tokens);
    r("head", head);
  }
};

}  // namespace

TEST_CASE("module: a weight that is listed twice is one parameter") {
  Tied model;
  Generator generator(1);
  nn::initialize(model, generator);
  const auto list = nn::parameters(model);
  REQUIRE(list.size() == 2);
  CHECK(list[0].name == "tokens.weight");
  CHECK(list[1].name == "head.bias");
  CHECK(nn::parameter_count(model) == 5 * 4 + 5);
  int visits = 0;
  nn::for_each_parameter(model, [&](const std::string&, Tensor&) { ++visits; });
  CHECK(visits == 2);

  const nn::FlatParameters flat(model);
  REQUIRE(flat.entries().size() == 2);
  CHECK(model.head.weight.data() == flat.entries()[0].tensor.data());
  CHECK(model.tokens.weight.data() == flat.entries()[0].tensor.data());
  Tape tape;
  const std::int32_t ids[] = {2};
  tape.backward(sum(model(ids)));
  // Row 2 gets the embedding's gradient as well, the sum over the head's rows.
  const Tensor w = model.tokens.weight, dw = flat.entries()[0].tensor.gradient().value();
  CHECK(dw.at({0, 1}) == w.at({2, 1}));
  CHECK(dw.at({2, 1}) == Approx(w.at({2, 1}) + sum(w, 0).at({1})));
  CHECK(model.head.weight.gradient() == flat.entries()[0].tensor.gradient());
}

TEST_CASE("module: a visitor that moves a parameter moves every handle on it") {
  Tied model;
  const Tensor weight = Tensor::ones({5, 4}).require_gradient();
  nn::for_each_parameter(model, [&](const std::string& name, Tensor& t) {
    if (name == "tokens.weight") t = weight;
  });
  CHECK(model.head.weight.data() == weight.data());
}

TEST_CASE("module: an optimizer's step between forward and backward is found") {
  nn::Linear layer(2, 3);
  const nn::FlatParameters flat(layer);
  Tape tape;
  const Tensor loss = sum(layer(Tensor::ones({1, 2})));
  flat.values()[0] = 1;
  CHECK_THROWS_WITH(tape.backward(loss), Catch::Contains("changed in place"));
}

TEST_CASE("layers: a feed-forward part is 4 C wide; with swiglu 8/3 C, up to a multiple of 32") {
  using nn::Activation;
  CHECK(nn::hidden_features(48, Activation::relu2) == 4 * 48);
  CHECK(nn::hidden_features(12, Activation::swiglu) == 32);
  CHECK(nn::hidden_features(13, Activation::swiglu) == 64);  // 34 2/3
  CHECK(nn::hidden_features(48, Activation::swiglu) == 128);
  CHECK(nn::hidden_features(4096, Activation::swiglu) == 10944);
}
