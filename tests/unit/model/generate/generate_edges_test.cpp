// Sampling, stop strings and documents in cases that a single condition decides, and the layers'
// initial values.
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

TEST_CASE(
    "text stream: every text of eight letters of two, letter by letter, against its definition") {
  const std::vector<std::vector<std::string>> all_stops = {
      {}, {""}, {"a"}, {"ab"}, {"aab", "ba"}, {"abab", "bb"}, {"aaaaaaaab"}, {"bab", "", "aabb"}};
  for (const std::vector<std::string>& stops : all_stops)
    for (int bits = 0; bits < 256; ++bits) {
      std::string text;
      for (int i = 0; i < 8; ++i) text += bits >> i & 1 ? 'b' : 'a';
      model::TextStream stream(stops);
      std::string shown;
      bool stopped = false;
      std::size_t end = 0, begin = 0;  // what is known, and where what is held back begins
      for (; end < text.size() && !stopped; ++end) {
        shown += stream.add(text.substr(end, 1));
        const std::string known = text.substr(0, end + 1);
        begin = known.size();
        for (const std::string& stop : stops)
          for (std::size_t held = 1; held <= std::min(stop.size(), known.size()); ++held)
            if (known.ends_with(stop.substr(0, held))) {
              begin = std::min(begin, known.size() - held);
              stopped |= held == stop.size();
            }
        if (stopped) {  // before the longest that ends here
          begin = known.size();
          for (const std::string& stop : stops)
            if (!stop.empty() && known.ends_with(stop))
              begin = std::min(begin, known.size() - stop.size());
        }
        if (shown == text.substr(0, begin) && stream.stopped() == stopped) continue;
        INFO(text << " at " << end);
        CHECK(shown == text.substr(0, begin));
        CHECK(stream.stopped() == stopped);
      }
      CHECK(stream.add(stopped ? "a" : "") == "");
      CHECK(shown + stream.flush() == (stopped ? text.substr(0, begin) : text));
    }
}

TEST_CASE("documents: the pieces between separators, empty ones too, first and last") {
  const std::string_view texts[] = {"a||b||", "||", "", "c|d"};
  const std::vector<std::string_view> expected = {"a", "b", "", "", "", "", "c|d"};
  CHECK(model::documents(texts, "||") == expected);
}

TEST_CASE("layers are initialized with PyTorch's bounds, weight first, then bias") {
  for (const bool with_bias : {false, true}) {
    nn::Linear layer(9, 4, with_bias);
    Generator generator(5), same(5);
    nn::initialize(layer, generator);
    std::vector<real> weight(36), bias(4);
    same.uniform(weight, -1.0 / 3, 1.0 / 3);  // 1 / sqrt(9)
    if (with_bias) same.uniform(bias, -1.0 / 3, 1.0 / 3);
    CHECK(std::ranges::equal(layer.weight.values(), weight));
    if (with_bias) CHECK(std::ranges::equal(layer.bias.values(), bias));
    CHECK(generator.random64() == same.random64());
  }
  nn::Embedding table(5, 4);
  Generator generator(5), same(5);
  nn::initialize(table, generator);
  std::vector<real> weight(20);
  same.normal(weight, 0, 1);
  CHECK(std::ranges::equal(table.weight.values(), weight));
}
