// Sampling, stop strings and documents where one condition alone decides, and the layers' initial
// values.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "model/generate/sampler.h"
#include "model/generate/text_stream.h"
#include "model/tokenizer/document_tokenizer.h"
#include "nn/layers.h"
#include "tests/catch.h"

using engine::Generator;
using engine::real;
using engine::Tensor;

TEST_CASE("sampler: a temperature at which only the largest logit overflows") {
  const double least = static_cast<double>(std::numeric_limits<real>::denorm_min());
  model::Sampler sampler({.temperature = least}, 1);
  const real largest_only[] = {0, 3, 0}, smallest_only[] = {-3, 0, -3};
  CHECK(sampler.choose(largest_only, {}) == 1);
  CHECK(sampler.choose(smallest_only, {}) == 1);
}

TEST_CASE("text stream: the first of several stop strings ends the text, in whatever order") {
  for (const auto& stops : {std::vector<std::string>{"stop", "never"},
                            {"never", "stop"},
                            {"stop", "top here"},
                            {"top here", "stop"}}) {
    model::TextStream stream(stops);
    INFO("stop strings " << stops[0] << ", " << stops[1]);
    CHECK(stream.add("go on, stop here") == "go on, ");
    CHECK(stream.stopped());
  }
}

TEST_CASE("documents: the pieces between separators, empty ones too, first and last") {
  const std::string_view texts[] = {"a||b||", "||", "", "c|d"};
  const std::vector<std::string_view> expected = {"a", "b", "", "", "", "", "c|d"};
  CHECK(model::documents(texts, "||") == expected);
}

TEST_CASE("layers are initialised with PyTorch's bounds, weight first, then bias") {
  for (const bool with_bias : {false, true}) {
    nn::Linear layer(9, 4, with_bias);
    Generator generator(5), same(5);
    nn::initialise(layer, generator);
    std::vector<real> weight(36), bias(4);
    same.uniform(weight, -1.0 / 3, 1.0 / 3);  // 1 / sqrt(9)
    if (with_bias) same.uniform(bias, -1.0 / 3, 1.0 / 3);
    CHECK(std::ranges::equal(layer.weight.values(), weight));
    if (with_bias) CHECK(std::ranges::equal(layer.bias.values(), bias));
    CHECK(generator.random64() == same.random64());
  }
  nn::Embedding table(5, 4);
  Generator generator(5), same(5);
  nn::initialise(table, generator);
  std::vector<real> weight(20);
  same.normal(weight, 0, 1);
  CHECK(std::ranges::equal(table.weight.values(), weight));
}
