// Generation: the cache changes no bit, sampling follows its definition, text comes out whole.
#include "model/generate/generate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "engine/base/check.h"
#include "model/generate/text_stream.h"
#include "model/tokenizer/char_tokenizer.h"
#include "model/tokenizer/document_tokenizer.h"
#include "tests/catch.h"
#include "tests/scoped_precision.h"
#include "tests/unit/engine/scoped_threads.h"
#include "tests/unit/model/models.h"

using namespace model;
using engine::Generator;
using engine::kernels::Precision;
using models::Ids;
using models::of_family;
using models::random_gpt;
using models::random_ids;
using models::same_bits;
using models::sized;

namespace {

// Generation as it is defined, without a cache: the whole context is computed for every token.
Ids generate_without_cache(const GPT& gpt, Sampler& sampler, Ids text, Index count) {
  const Index block_size = gpt.config.block_size, V = gpt.config.vocab_size;
  Index start = std::max<Index>(std::ssize(text) - block_size, 0);
  for (Index i = 0; i < count; ++i) {
    start = context_start(start, std::ssize(text), block_size);
    const Index T = std::ssize(text) - start;
    const Tensor logits = gpt.logits(std::span(text).subspan(std::size_t(start)), 1, T);
    text.push_back(sampler.choose(logits.values().subspan(std::size_t((T - 1) * V)), text));
  }
  return text;
}

Ids generate_with_cache(const GPT& gpt, Sampler& sampler, Ids text, Index count) {
  generate(gpt, sampler, gpt.config.vocab_size, text, count, [](std::int32_t) { return true; });
  return text;
}

// How often each token is chosen in 20,000 draws is within 5 standard deviations, 5 sqrt(p (1 - p) /
// 20,000) <= 0.018, of the probabilities, or exactly 0 where those are.
void check_frequencies(Sampling sampling, std::span<const real> logits, const Ids& text,
                       const std::vector<double>& expected) {
  if (sampling.top_k == Sampling{}.top_k) sampling.top_k = 0;  // off, if not given
  Sampler sampler(sampling, 3);
  std::vector<double> found(logits.size(), 0.0);
  for (int i = 0; i < 20'000; ++i)
    found[static_cast<std::size_t>(sampler.choose(logits, text))] += 1.0 / 20'000;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO("token " << i << ": found " << found[i] << ", expected " << expected[i]);
    CHECK((expected[i] == 0 ? found[i] == 0 : std::abs(found[i] - expected[i]) < 0.018));
  }
}

std::vector<real> logarithms(const std::vector<double>& probabilities) {
  std::vector<real> logits;
  for (const double p : probabilities) logits.push_back(std::log(static_cast<real>(p)));
  return logits;
}

}  // namespace

TEST_CASE("kv cache: the logits of every position have the bits of the model without it") {
  const auto precision = GENERATE(Precision::float32, Precision::bfloat16);
  const ScopedPrecision scoped(precision);
  INFO(precision_name(precision));
  const Config configs[] = {
      sized(65, 64, 4, 4, 128),
      sized(65, 70, 2, 3, 33, {.bias = true}),
      sized(9, 1, 1, 1, 1),
      sized(300, 130, 1, 1, 40, {.bias = true, .activation = nn::Activation::gelu_tanh}),
      // Contexts of several key tiles, layers deeper than one block of gemm.
      sized(11, 700, 1, 2, 32),
      sized(50, 20, 1, 8, 416, {.activation = nn::Activation::relu}),
      // The later families, with heads shared by 1, 2 and all, and contexts longer than a block.
      of_family(Family::llama, sized(65, 70, 2, 4, 48)),
      of_family(Family::qwen3, sized(33, 300, 2, 4, 64, {.n_kv_head = 2, .tie_weights = false})),
      of_family(Family::llama, sized(9, 20, 1, 6, 36, {.bias = true, .n_kv_head = 1})),
      of_family(
          Family::qwen3,
          sized(
              13, 40, 1, 2, 20,
              {.n_kv_head = 1, .head_dim = 24, .n_inner = 17, .norm_eps = 0.01, .rope_theta = 50})),
      sized(12, 33, 1, 2, 20, {.activation = nn::Activation::relu2, .qk_norm = true}),
      // The switches of experiments: a context longer than a block of queries, and than a key tile.
      sized(12, 70, 2, 2, 20, {.attention_scale = {1}, .causal = false}),
      of_family(Family::qwen3,
                sized(9, 270, 1, 2, 12, {.n_kv_head = 1, .attention_scale = {0.01}})),
      sized(9, 270, 1, 1, 12, {.position = nn::PositionKind::rope, .causal = false}),
  };
  for (const Config& config : configs) {
    const GPT gpt = random_gpt(config);
    const Index T = config.block_size, V = config.vocab_size;
    const Ids ids = random_ids(T, V, 2);
    const Tensor all = gpt.logits(ids, 1, T);
    const auto check_position = [&](Index t, std::span<const real> logits) {
      INFO("C " << config.n_embd << ", T " << T << ", position " << t);
      // If not causal, logits depend on how many tokens have been read.
      const Tensor expected =
          config.causal ? all : gpt.logits(std::span(ids).first(std::size_t(t + 1)), 1, t + 1);
      REQUIRE(same_bits(logits, expected.values().subspan(std::size_t(t * V), std::size_t(V))));
    };
    GPT packed = gpt;
    packed.pack();
    Cache cache(config);
    // Reads all tokens up to position t that the cache does not have; all if not causal, since the
    // last then changes every position.
    const auto read_to = [&](const GPT& model, Index t) {
      if (!config.causal) cache.clear();
      const Index first = cache.size();
      const Tensor logits = model.next_logits(
          std::span(ids).subspan(std::size_t(first), std::size_t(t + 1 - first)), cache);
      check_position(t, logits.values());
    };
    for (const int threads : {1, 2, 3}) {
      const ScopedThreads of_this_many(threads);
      cache.clear();
      for (Index t = 0; t < T; ++t) read_to(packed, t);
      CHECK_THROWS_WITH(
          packed.next_logits(std::span(ids).first(1), cache),
          engine::joined("gpt: ", T + 1, " positions, expected 1..", T, " (block_size)"));
      for (const Index first : {T, T / 2, T / 3 + 1}) {  // the first ones in one pass
        if (first < 1 || first > T) continue;
        cache.clear();
        for (Index t = first - 1; t < std::min(T, first + 3); ++t)
          read_to(threads == 1 ? gpt : packed, t);
      }
    }
  }
}

TEST_CASE("kv cache: a clone goes on by itself; one of another model is refused") {
  STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<model::Cache>);
  const Config config = sized(9, 8, 2, 2, 8);
  const GPT gpt = models::initialized(config, 1);
  const Ids ids = {3, 1, 4};
  model::Cache cache(config);
  gpt.next_logits(std::span(ids).first(2), cache);
  model::Cache beam = cache.clone();
  gpt.next_logits(Ids{7}, beam);
  const engine::Tensor next = gpt.next_logits(std::span(ids).last(1), cache);
  model::Cache again(config);
  CHECK(engine::min(next == gpt.next_logits(ids, again)).item() == 1);
  CHECK((cache.size() == 3 && beam.size() == 3));
  beam.blocks.pop_back();
  CHECK_THROWS_WITH(gpt.next_logits(ids, beam), "gpt: 2 layers, but the cache has 1");
}

TEST_CASE("generate: with and without cache alike, past the end of the context") {
  const auto precision = GENERATE(Precision::float32, Precision::bfloat16);
  const ScopedPrecision scoped(precision);
  const auto causal = GENERATE(true, false);
  for (const Index block_size : {1, 2, 7, 16}) {
    const GPT gpt = random_gpt(sized(20, block_size, 2, 2, 16, {.causal = causal}));
    GPT packed = gpt;
    packed.pack();
    for (const Index prompt : {1, 5, 40})
      for (const double temperature : {0.0, 1.0}) {
        INFO("block_size " << block_size << ", prompt " << prompt << ", t " << temperature);
        const Ids begin = random_ids(prompt, 20, 2);
        // What has left the context is repeated as well.
        const Sampling sampling{.temperature = temperature, .top_k = 10, .repetition_penalty = 1.5};
        Sampler one(sampling, 5), other(sampling, 5), third(sampling, 5);
        const auto expected = generate_without_cache(gpt, one, begin, 60);
        CHECK(generate_with_cache(packed, other, begin, 60) == expected);
        CHECK(generate_with_cache(gpt, third, begin, 60) == expected);
      }
  }
}

TEST_CASE("generate: ends where it is told to, needs a beginning, keeps to the vocabulary") {
  const GPT gpt = random_gpt(sized(20, 8, 1, 1, 8));
  Sampler sampler({.temperature = 5}, 1);
  Ids text{0};
  int left = 7;
  generate(gpt, sampler, 20, text, 100, [&](std::int32_t id) {
    CHECK(id == text.back());
    return --left > 0;
  });
  CHECK(text.size() == 8);
  const auto all = [](std::int32_t) { return true; };
  generate(gpt, sampler, 20, text, 0, all);
  CHECK(text.size() == 8);
  generate(gpt, sampler, 3, text, 200, [](std::int32_t id) { return id < 3; });
  CHECK(text.size() == 208);
  Ids none;
  CHECK_THROWS(generate(gpt, sampler, 20, none, 1, all));
  CHECK_THROWS(generate(gpt, sampler, 21, text, 1, all));
  CHECK_THROWS(generate(gpt, sampler, 0, text, 1, all));
  CHECK_THROWS(generate(gpt, sampler, 20, text, -1, all));
  CHECK_THROWS(sampler.choose({}, {}));
  Sampler penalizes({.repetition_penalty = 2}, 1);
  const std::vector<real> logits(20, 0);
  for (const std::int32_t id : {20, -1}) CHECK_THROWS(penalizes.choose(logits, Ids{id}));
}

TEST_CASE("generate: a text without a prompt begins after the end of a text, a line or a word") {
  const auto of = [](const char* characters) {
    return std::make_shared<CharTokenizer>(characters);
  };
  CHECK(first_token(*of(" ab")) == 0);
  CHECK(first_token(*of("\n ab")) == 0);
  CHECK(first_token(*of("ab")) == 0);
  // Also if the token ends no text in training, as one of another program.
  for (const bool appends : {true, false})
    CHECK(first_token(DocumentTokenizer(of("\n ab"), "<e>", appends)) == 4);
}

TEST_CASE("context: full, then the last half of it again") {
  CHECK(context_start(0, 8, 8) == 0);
  CHECK(context_start(0, 9, 8) == 5);
  CHECK(context_start(5, 13, 8) == 5);
  CHECK(context_start(5, 14, 8) == 10);
  CHECK(context_start(0, 2, 1) == 1);
  CHECK(context_start(0, 4, 3) == 3);
}

TEST_CASE("sampler: temperature 0 takes the first of the likeliest and draws nothing") {
  const real logits[] = {1, 3, -2, 3};
  // Divided by the least number there is, logits overflow.
  const double least = static_cast<double>(std::numeric_limits<real>::denorm_min());
  for (const double temperature : {0.0, least}) {
    Sampler sampler({.temperature = temperature}, 1);
    for (int i = 0; i < 20; ++i) CHECK(sampler.choose(logits, {}) == 1);
    const real largest_only[] = {0, 3, 0}, smallest_only[] = {-3, 0, -3}, zeros[] = {0, 0};
    CHECK(sampler.choose(largest_only, {}) == 1);
    CHECK(sampler.choose(smallest_only, {}) == 1);
    if (temperature == 0) CHECK(sampler.choose(zeros, {}) == 0);
  }
}

TEST_CASE("sampler: frequencies are the probabilities that remain") {
  const std::vector<real> logits = logarithms({0.1, 0.4, 0.2, 0.25, 0.05});
  const auto check_with = [&](const Sampling& sampling, const std::vector<double>& expected) {
    check_frequencies(sampling, logits, {}, expected);
  };
  check_with({.temperature = 1, .top_k = 2}, {0, 0.4 / 0.65, 0, 0.25 / 0.65, 0});
  check_with({.temperature = 1, .top_k = 7}, {0.1, 0.4, 0.2, 0.25, 0.05});
  // 0.4 + 0.25 does not reach 0.7, with 0.2 it does.
  check_with({.temperature = 1, .top_p = 0.7}, {0, 0.4 / 0.85, 0.2 / 0.85, 0.25 / 0.85, 0});
  check_with({.temperature = 1, .top_p = 1e-9}, {0, 1, 0, 0, 0});
  check_with({.temperature = 1, .min_p = 0.3}, {0, 0.4 / 0.85, 0.2 / 0.85, 0.25 / 0.85, 0});
  check_with({.temperature = 1, .min_p = 1}, {0, 1, 0, 0, 0});
}

TEST_CASE("sampler: equal logits at the edge of top_k stay, at the edge of top_p the first does") {
  const real logits[] = {0, 1, 1, 1};
  check_frequencies({.temperature = 1, .top_k = 2}, logits, {}, {0, 1. / 3, 1. / 3, 1. / 3});
  check_frequencies({.temperature = 1, .top_k = 3, .top_p = 0.5}, logits, {}, {0, 0.5, 0.5, 0});
}

TEST_CASE("sampler: repetition penalty works on each token of the text once") {
  // Penalized by 2: 2 -> 1 and -1 -> -2; the others keep their logits.
  const real logits[] = {2, -1, 1, 0};
  const double sum = 2 * std::exp(1.0) + std::exp(-2.0) + 1;
  for (const std::size_t length : {5u, 1000u}) {
    Ids text(length, 0);
    text[0] = 1;
    check_frequencies({.temperature = 1, .repetition_penalty = 2}, logits, text,
                      {std::exp(1.0) / sum, std::exp(-2.0) / sum, std::exp(1.0) / sum, 1 / sum});
  }
}

TEST_CASE("sampler: filters in pairs work in the order that is promised") {
  // Probabilities 0.5, 0.25, 0.15, 0.1; the most likely token is in the text.
  const std::vector<real> logits = logarithms({0.5, 0.25, 0.15, 0.1});
  const auto check_with = [&](const Sampling& sampling, const std::vector<double>& expected) {
    check_frequencies(sampling, logits, {0}, expected);
  };
  // The penalty 3 makes 0.5 (a negative logit) to its cube, 0.125.
  const double all = 0.125 + 0.25 + 0.15 + 0.1;
  check_with({.temperature = 1, .repetition_penalty = 3},
             {0.125 / all, 0.25 / all, 0.15 / all, 0.1 / all});
  check_with({.temperature = 0, .repetition_penalty = 3}, {0, 1, 0, 0});
  check_with({.temperature = 0, .repetition_penalty = 1.5}, {1, 0, 0, 0});
  check_with({.temperature = 1, .top_k = 2, .repetition_penalty = 3}, {0, 0.625, 0.375, 0});
  check_with({.temperature = 1, .top_p = 0.5, .repetition_penalty = 3}, {0, 0.625, 0.375, 0});
  check_with({.temperature = 1, .min_p = 0.55, .repetition_penalty = 3}, {0, 0.625, 0.375, 0});
  // Temperature 0.5 squares: 0.25, 0.0625, 0.0225, 0.01 of 0.345.
  check_with({.temperature = 0.5, .top_k = 2}, {0.8, 0.2, 0, 0});
  check_with({.temperature = 0.5, .top_p = 0.73}, {0.8, 0.2, 0, 0});
  check_with({.temperature = 0.5, .top_p = 0.72}, {1, 0, 0, 0});
  check_with({.temperature = 0.5, .min_p = 0.2}, {0.8, 0.2, 0, 0});
  check_with({.temperature = 0, .top_k = 3, .top_p = 0.9, .min_p = 0.1}, {1, 0, 0, 0});
  // Of the two that top_k leaves, 0.5 is 2/3.
  check_with({.temperature = 1, .top_k = 2, .top_p = 0.66}, {1, 0, 0, 0});
  check_with({.temperature = 1, .top_k = 2, .top_p = 0.67}, {2. / 3, 1. / 3, 0, 0});
  check_with({.temperature = 1, .top_k = 3, .min_p = 0.4}, {2. / 3, 1. / 3, 0, 0});
  check_with({.temperature = 1, .top_p = 0.76, .min_p = 0.25},
             {0.5 / 0.9, 0.25 / 0.9, 0.15 / 0.9, 0});
  check_with({.temperature = 1, .top_p = 0.76, .min_p = 0.4}, {2. / 3, 1. / 3, 0, 0});
}

TEST_CASE("sampler: draws as torch.multinomial, tokens that are out included") {
  std::vector<real> logits(200);
  Generator(7).normal(logits, 0, 2);
  for (const Index top_k : {0, 1, 5, 150}) {
    Sampler sampler({.temperature = 0.8, .top_k = top_k}, 1337);
    Generator generator(1337);
    for (int i = 0; i < 100; ++i) {
      std::vector<real> p = logits;
      if (top_k > 0) {
        std::vector<real> sorted = logits;
        std::ranges::sort(sorted, std::greater());
        for (real& x : p)
          if (x < sorted[static_cast<std::size_t>(top_k - 1)]) x = -1e30f;
      }
      for (real& x : p) x /= real(0.8);
      const Tensor weights = engine::softmax(Tensor::of({200}, p));
      const engine::Id expected = generator.multinomial(weights.values());
      INFO("top_k " << top_k << ", draw " << i);
      REQUIRE(sampler.choose(logits, {}) == expected);
    }
  }
}

TEST_CASE("sampler: logits that are no numbers are an error, extreme ones are not") {
  Sampler sampler({}, 1);
  const real infinity = std::numeric_limits<real>::infinity();
  for (const real bad : {infinity, -infinity, std::numeric_limits<real>::quiet_NaN()}) {
    const real logits[] = {0, bad};
    CHECK_THROWS_WITH(sampler.choose(logits, {}), "the model's logits are not finite numbers");
  }
  const real extreme[] = {-3e38f, 3e38f, 0};
  CHECK(sampler.choose(extreme, {}) == 1);
  const real one[] = {5};
  CHECK(sampler.choose(one, {}) == 0);
}

TEST_CASE("text stream: characters come whole, whatever the pieces") {
  const std::string text =
      "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z\xFF\x80!";  // a é € 😀 z, not UTF-8
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    TextStream stream({});
    std::string all;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      const std::string shown = stream.add(std::string_view(text).substr(at, piece));
      INFO("piece " << piece << " at " << at << " after \"" << all << "\"");
      CHECK((shown.empty() || static_cast<unsigned char>(shown[0]) >> 6 != 2 || all.size() > 11));
      all += shown;
    }
    CHECK(all + stream.flush() == text);
  }
  TextStream cut({});
  CHECK(cut.add("ab\xE2\x82") == "ab");
  CHECK(cut.flush().empty());  // the character's last byte never came
}

TEST_CASE("text stream: the first of several stop strings ends the text, whatever their order") {
  const std::string text = "one two three";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    std::vector<std::string> stops = {"nothing", " three", "two th", ""};
    if (piece % 2 == 0) std::ranges::reverse(stops);
    TextStream stream(stops);
    std::string shown;
    for (std::size_t at = 0; at < text.size() && !stream.stopped(); at += piece)
      shown += stream.add(std::string_view(text).substr(at, piece));
    INFO("piece " << piece);
    CHECK(stream.stopped());
    CHECK(shown == "one ");
    CHECK(stream.add("more").empty());
    CHECK(stream.flush().empty());
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
      TextStream stream(stops);
      std::string known, shown;
      for (const char letter : text) {
        known += letter;
        shown += stream.add({&letter, 1});
        std::size_t end = known.npos, held = 0;  // where a stop begins; what may be one's beginning
        for (const std::string& stop : stops) {
          if (!stop.empty()) end = std::min(end, known.find(stop));
          for (std::size_t size = held + 1; size < stop.size(); ++size)
            if (known.ends_with(stop.substr(0, size))) held = size;
        }
        const bool stops_here = end != known.npos;
        INFO(known << " of " << text);
        REQUIRE(stream.stopped() == stops_here);
        REQUIRE(shown == known.substr(0, stops_here ? end : known.size() - held));
        if (stops_here) break;
      }
      CHECK(shown + stream.flush() == (stream.stopped() ? shown : text));
    }
}
