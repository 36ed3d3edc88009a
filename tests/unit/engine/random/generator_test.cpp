// Generator against PyTorch: every vector of tests/data/pytorch_random.txt (made by the script
// beside it), bit for bit, in both builds.
#include "engine/random/generator.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "engine/base/check.h"
#include "model/gpt/gpt.h"
#include "nn/layers.h"
#include "tests/catch.h"
#include "tests/torch_dropout.h"

using engine::Generator;
using engine::Id;
using engine::Index;
using engine::real;

namespace {

// Values of any type by their bits: float32 and integers as in memory, 64 bits wide.
using Bits = std::vector<std::uint64_t>;

struct Vector {
  std::string group, name;
  char type;  // f, d, i
  std::uint64_t seed;
  Bits values;
};

std::uint64_t parse(const std::string& text, int base) {
  std::uint64_t value = 0;
  const bool negative = text[0] == '-';
  const char *begin = text.data() + negative, *end = text.data() + text.size();
  REQUIRE(std::from_chars(begin, end, value, base).ptr == end);
  return negative ? 0 - value : value;
}

std::vector<Vector> read_vectors() {
  std::ifstream file("tests/data/pytorch_random.txt");
  REQUIRE(file.good());
  std::vector<Vector> vectors;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Vector v;
    std::string seed, word;
    words >> v.group >> seed >> v.name >> v.type;
    v.seed = parse(seed, 10);
    while (words >> word) v.values.push_back(parse(word, v.type == 'i' ? 10 : 16));
    vectors.push_back(std::move(v));
  }
  return vectors;
}

const std::vector<Vector>& vectors() {
  static const std::vector<Vector> all = read_vectors();
  return all;
}

const Vector& find(const std::string& group, std::uint64_t seed, const std::string& name) {
  for (const Vector& v : vectors())
    if (v.group == group && v.seed == seed && v.name == name) return v;
  FAIL("no vector " << group << " " << seed << " " << name);
  return vectors().front();
}

// In the double build a value that is not a widened float shows as a wrong one.
std::uint64_t bits_of(real x) {
  const auto narrow = static_cast<float>(x);
  return static_cast<real>(narrow) == x ? std::bit_cast<std::uint32_t>(narrow) : ~std::uint64_t(0);
}
std::uint64_t bits_of(std::int64_t x) { return static_cast<std::uint64_t>(x); }

template <class T>
Bits bits_of_all(const std::vector<T>& values) {
  Bits bits;
  for (const T& value : values) bits.push_back(bits_of(value));
  return bits;
}

Bits& operator+=(Bits& a, const Bits& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// The span functions, as functions that return what they drew.
template <class T, class Draw>
std::vector<T> draw(std::size_t n, Draw draw_into) {
  std::vector<T> values(n);
  draw_into(values);
  return values;
}
Bits rand(Generator& g, std::size_t n, double low = 0, double high = 1) {
  return bits_of_all(draw<real>(n, [&](auto& out) { g.uniform(out, low, high); }));
}
Bits randn(Generator& g, std::size_t n, double mean = 0, double deviation = 1) {
  return bits_of_all(draw<real>(n, [&](auto& out) { g.normal(out, mean, deviation); }));
}
// One call after another; of a tensor that is not contiguous, each for one value.
Bits randn_calls(Generator& g, const std::vector<std::size_t>& sizes, double mean = 0,
                 double deviation = 1) {
  Bits bits;
  for (const std::size_t n : sizes) bits += randn(g, n, mean, deviation);
  return bits;
}
Bits randint(Generator& g, std::size_t n, std::int64_t low, std::int64_t high) {
  return bits_of_all(draw<std::int64_t>(n, [&](auto& out) { g.randint(out, low, high); }));
}
Bits dropout(Generator& g, std::size_t n, double p) {
  return bits_of_all(draw<real>(n, [&](auto& out) { draw_torch_mask(out, p, g); }));
}
Bits exponential(Generator& g, std::size_t n, double rate) {
  return bits_of_all(draw<real>(n, [&](auto& out) { g.exponential(out, rate); }));
}
Bits multinomial(Generator& g, const std::vector<real>& p, int times) {
  Bits bits;
  for (int i = 0; i < times; ++i) bits.push_back(bits_of(std::int64_t{g.multinomial(p)}));
  return bits;
}
Bits parameters_of(const engine::Tensor& tensor) {
  return bits_of_all(std::vector<real>(tensor.data(), tensor.data() + tensor.size()));
}
Bits linear(Generator& g, Index in, Index out, bool bias = true) {
  nn::Linear layer(in, out, bias);
  nn::initialize(layer, g);
  Bits bits = parameters_of(layer.weight);
  if (bias) bits += parameters_of(layer.bias);
  return bits;
}
Bits embedding(Generator& g, Index entries, Index channels) {
  nn::Embedding layer(entries, channels);
  nn::initialize(layer, g);
  return parameters_of(layer.weight);
}
// Integers as the floats they become in a float tensor.
Bits as_floats(const Bits& integers) {
  Bits bits;
  for (const std::uint64_t i : integers) bits.push_back(bits_of(static_cast<real>(i)));
  return bits;
}

std::vector<real> softmax_weights() {
  std::vector<real> p;
  for (const std::uint64_t bits : find("input", 0, "p_multinomial").values)
    p.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return p;
}

using Calls = std::map<std::string, std::function<Bits(Generator&)>>;

// The calls by the names of their vectors.
Calls all_calls() {
  constexpr double root = 0.57735026918962584;
  Calls calls = {
      {"raw_u32",
       [](Generator& g) {
         Bits words;
         for (int i = 0; i < 20; ++i) words.push_back(g.random32());
         return words;
       }},
      {"raw_u32_around_state_refills",
       [](Generator& g) {
         Bits words;
         for (int i = 0; i < 1254; ++i) {
           const std::uint32_t word = g.random32();
           if ((618 <= i && i < 630) || 1242 <= i) words.push_back(word);
         }
         return words;
       }},
      {"rand", [](Generator& g) { return rand(g, 20); }},
      {"rand_transposed_fill",  // memory order: the (4, 5) storage is filled, then read by columns
       [](Generator& g) {
         const Bits storage = rand(g, 20);
         Bits logical;
         for (std::size_t i = 0; i < 20; ++i) logical.push_back(storage[i % 4 * 5 + i / 4]);
         return logical;
       }},
      {"uniform_sym", [](Generator& g) { return rand(g, 20, -root, root); }},
      {"uniform_2_5", [](Generator& g) { return rand(g, 20, 2, 5); }},
      {"normal_0_0.02_48", [](Generator& g) { return randn(g, 48, 0, 0.02); }},
      {"normal_1.5_0.3_9", [](Generator& g) { return randn(g, 9, 1.5, 0.3); }},
      {"randn_5x4_calls",
       [](Generator& g) {
         return randn_calls(g, {5, 5, 5, 5});
       }},
      {"randn_3_16_3",
       [](Generator& g) {
         return randn_calls(g, {3, 16, 3});
       }},
      {"randn_20_strided",
       [](Generator& g) { return randn_calls(g, std::vector<std::size_t>(20, 1)); }},
      {"randint_0_10", [](Generator& g) { return randint(g, 20, 0, 10); }},
      {"randint_-5_12", [](Generator& g) { return randint(g, 20, -5, 12); }},
      {"randint_0_2e40", [](Generator& g) { return randint(g, 20, 0, std::int64_t(1) << 40); }},
      {"randperm_5", [](Generator& g) { return bits_of_all(g.randperm(5)); }},
      {"randperm_20", [](Generator& g) { return bits_of_all(g.randperm(20)); }},
      {"dropout_0.5", [](Generator& g) { return dropout(g, 20, 0.5); }},
      {"dropout_0.1", [](Generator& g) { return dropout(g, 20, 0.1); }},
      {"exponential_1", [](Generator& g) { return exponential(g, 20, 1); }},
      {"exponential_2.5", [](Generator& g) { return exponential(g, 20, 2.5); }},
      {"multinomial_1_x20", [](Generator& g) { return multinomial(g, softmax_weights(), 20); }},
      {"linear_5_3", [](Generator& g) { return linear(g, 5, 3); }},
      {"linear_16_4_nobias", [](Generator& g) { return linear(g, 16, 4, false); }},
      {"embedding_6_16", [](Generator& g) { return embedding(g, 6, 16); }},
      {"embedding_5_3", [](Generator& g) { return embedding(g, 5, 3); }},
      {"embedding_6_3", [](Generator& g) { return embedding(g, 6, 3); }},
      {"mixed",
       [](Generator& g) {
         Bits bits = linear(g, 3, 4);
         bits += embedding(g, 5, 3);
         bits += randn(g, 3);
         bits += rand(g, 2);
         bits += as_floats(bits_of_all(g.randperm(6)));
         bits += dropout(g, 5, 0.5);
         bits += randn(g, 2);
         bits += embedding(g, 4, 4);
         bits += as_floats(multinomial(g, softmax_weights(), 1));
         return bits += rand(g, 1);
       }},
  };
  for (const std::size_t n : {1u, 15u, 16u, 17u, 20u, 32u, 33u})
    calls["randn_" + std::to_string(n)] = [n](Generator& g) { return randn(g, n); };
  return calls;
}

constexpr std::uint64_t seeds[] = {0, 42, 123, 1337, 2147483647};

// A tiny model's parameters as they are initialized: first four and last two values bit for bit; the
// sum up to the rounding of any order of adding.
void check_parameter(const std::string& name, std::uint64_t seed, const engine::Tensor& tensor) {
  INFO(name << " with seed " << seed);
  const Bits all = parameters_of(tensor);
  Bits ends(all.begin(), all.begin() + 4);
  ends.insert(ends.end(), all.end() - 2, all.end());
  CHECK(ends == find("model", seed, name).values);
  double sum = 0, absolute = 0;
  for (const real value : tensor.values()) {
    sum += static_cast<double>(value);
    absolute += std::abs(static_cast<double>(value));
  }
  const double expected = std::bit_cast<double>(find("sum", seed, name).values[0]);
  CHECK(std::abs(sum - expected) <= static_cast<double>(tensor.size()) * 0x1p-52 * absolute);
}

}  // namespace

TEST_CASE("the generator reproduces PyTorch's vectors bit for bit") {
  const Calls calls = all_calls();
  int reproduced = 0;
  for (const Vector& v : vectors()) {
    if (v.group != "avx2") continue;
    INFO(v.name << " with seed " << v.seed);
    Generator generator(v.seed);
    CHECK(calls.at(v.name)(generator) == v.values);
    ++reproduced;
  }
  CHECK(reproduced == 170);
}

TEST_CASE("thousands of numbers have PyTorch's bits") {
  std::vector<real> weights;
  for (int i = 0; i < 65; ++i) weights.push_back(static_cast<real>(i % 7));
  std::vector<std::size_t> to_99(99);
  std::iota(to_99.begin(), to_99.end(), 1);
  const std::vector<std::size_t> ones(3003, 1);
  const Calls long_calls = {
      {"rand", [](Generator& g) { return rand(g, 10007); }},
      {"uniform_-0.05_0.3", [](Generator& g) { return rand(g, 10007, -0.05, 0.3); }},
      {"randn", [](Generator& g) { return randn(g, 10007); }},
      {"normal_0_0.02", [](Generator& g) { return randn(g, 10016, 0, 0.02); }},
      {"randn_sizes_1_to_99", [&](Generator& g) { return randn_calls(g, to_99); }},
      {"normal_strided", [&](Generator& g) { return randn_calls(g, ones, 1, 3); }},
      {"exponential", [](Generator& g) { return exponential(g, 5003, 0.7); }},
      {"dropout", [](Generator& g) { return dropout(g, 5003, 0.2); }},
      {"randint_1003790", [](Generator& g) { return randint(g, 5003, 0, 1003790); }},
      {"randperm", [](Generator& g) { return bits_of_all(g.randperm(5003)); }},
      {"multinomial", [&](Generator& g) { return multinomial(g, weights, 500); }},
  };
  for (const Vector& v : vectors()) {
    if (v.group != "long") continue;
    INFO(v.name << " with seed " << v.seed);
    Generator generator(v.seed);
    const Bits values = long_calls.at(v.name)(generator);
    CHECK(values.size() == v.values[0]);
    // FNV-1a over the bytes: 4 of a float, 8 of everything else.
    const bool wide = v.name.starts_with("randint") || v.name.starts_with("randperm") ||
                      v.name.starts_with("multinomial");
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const std::uint64_t value : values)
      for (int shift = 0; shift < (wide ? 64 : 32); shift += 8)
        hash = (hash ^ (value >> shift & 255)) * 0x100000001b3;
    CHECK(hash == v.values[1]);
  }
}

TEST_CASE("a GPT is initialized with nanoGPT's draws") {
  for (const std::uint64_t seed : seeds) {
    model::GPT gpt(
        {.vocab_size = 11, .block_size = 8, .n_layer = 2, .n_head = 2, .n_embd = 16, .bias = true});
    Generator generator(seed);
    model::initialize(gpt, generator);
    int checked = 0;
    for (const nn::NamedParameter& p : nn::parameters(gpt)) {
      if (p.tensor.shape().rank() < 2) continue;
      check_parameter("nanogpt_tiny_init/" + p.name, seed, p.tensor);
      ++checked;
    }
    CHECK(checked == 10);
    CHECK(rand(generator, 1) == find("next", seed, "nanogpt_tiny_init").values);
  }
}

TEST_CASE("layers are initialized with the draws of the tutorials' GPTModel") {
  for (const std::uint64_t seed : seeds) {
    Generator generator(seed);
    const auto check_embedding = [&](const std::string& name, Index entries, Index channels) {
      nn::Embedding layer(entries, channels);
      nn::initialize(layer, generator);
      check_parameter("book_gptmodel_tiny/" + name + ".weight", seed, layer.weight);
    };
    const auto check_linear = [&](const std::string& name, Index in, Index out, bool bias) {
      nn::Linear layer(in, out, bias);
      nn::initialize(layer, generator);
      check_parameter("book_gptmodel_tiny/" + name + ".weight", seed, layer.weight);
      if (bias) check_parameter("book_gptmodel_tiny/" + name + ".bias", seed, layer.bias);
    };
    check_embedding("tok_emb", 50, 32);
    check_embedding("pos_emb", 12, 32);
    for (const std::string block : {"trf_blocks.0.", "trf_blocks.1."}) {
      for (const char* part : {"W_query", "W_key", "W_value"})
        check_linear(block + "att." + part, 32, 32, false);
      check_linear(block + "att.out_proj", 32, 32, true);
      check_linear(block + "ff.layers.0", 32, 128, true);
      check_linear(block + "ff.layers.2", 128, 32, true);
    }
    check_linear("out_head", 32, 50, false);
    CHECK(rand(generator, 1) == find("next", seed, "book_gptmodel_tiny").values);
  }
}

TEST_CASE("discarding draws leaves the generator where drawing them would") {
  for (std::size_t n = 0; n < 70; ++n) {
    INFO(n << " values");
    Generator drawn(42), discarded(42);
    randn(drawn, 3);  // leaves a cached normal
    discarded.discard_normal(3);
    randn(drawn, n);
    discarded.discard_normal(static_cast<Index>(n));
    rand(drawn, 10 * n);
    discarded.discard_uniform(static_cast<Index>(10 * n));
    CHECK(discarded.state() == drawn.state());
    CHECK(randn(discarded, 3) == randn(drawn, 3));
  }
}

TEST_CASE("every call takes the words it says") {
  const std::vector<real> half(20, real(0.5));
  std::vector<real> out(20);
  std::vector<std::int64_t> whole(20);
  std::vector<Id> ids(20);
  const auto words = [&](auto&& call) {
    Generator generator(7);
    call(generator);
    const std::uint32_t next = generator.random32();
    std::mt19937 engine(7);
    Index n = 0;
    while (engine() != next) ++n;
    return n;
  };
  CHECK(words([&](Generator& g) { g.uniform(out, 0, 1); }) == 20);
  CHECK(words([&](Generator& g) { g.normal(out, 0, 1); }) == 36);
  CHECK(words([&](Generator& g) { g.normal(std::span(out).first(16), 0, 1); }) == 16);
  CHECK(words([&](Generator& g) { g.normal(std::span(out).first(3), 0, 1); }) == 8);
  CHECK(words([&](Generator& g) { g.randint(whole, 0, 10); }) == 20);
  CHECK(words([&](Generator& g) { g.randint(whole, 0, std::int64_t(1) << 32); }) == 40);
  CHECK(words([&](Generator& g) { g.randperm(20); }) == 19);
  CHECK(words([&](Generator& g) { g.randperm(1); }) == 0);
  CHECK(words([&](Generator& g) { g.exponential(out); }) == 40);
  CHECK(words([&](Generator& g) { g.randint(ids, 0, 10); }) == 20);
  CHECK(words([&](Generator& g) { g.multinomial(half); }) == 40);
}

TEST_CASE("only the low 32 bits of a seed count, negative ones modulo 2^64") {
  Generator a(123), b(123 + (std::uint64_t(1) << 32)), c(static_cast<std::uint64_t>(-1)),
      d(0xffffffff);
  CHECK(a.random64() == b.random64());
  CHECK(c.random64() == d.random64());
}

TEST_CASE("a generator goes on from its saved state") {
  for (const std::size_t drawn : {0u, 1u, 623u, 624u, 625u, 5000u})
    for (const std::size_t normals : {0u, 3u}) {
      INFO(drawn << " words and " << normals << " normal numbers drawn");
      Generator original(1337), restored(1);
      randn(restored, 1);
      rand(original, drawn);
      randn(original, normals);
      const std::string state = original.state();
      restored.set_state(state);
      CHECK(restored.state() == state);
      CHECK(randn(restored, 700) == randn(original, 700));
      CHECK(randn(restored, 1) == randn(original, 1));
    }
}

TEST_CASE("a damaged state is refused and changes nothing") {
  Generator generator(1337);
  randn(generator, 1);
  const std::string state = generator.state();
  CHECK(state.starts_with("1337 4 "));
  for (const std::string& text : std::vector<std::string>{
           "", " ", "1337", "1337 ", "1337 4 ", state + "0", state + " ", state + " 1", ' ' + state,
           "4294967296 4", "-1 4", "x 4", "1337 x", "1337 -4", "1337 99999999999", "01337 4",
           "1337 4 nan", "1337 4 inf", "1337 4 1e400"}) {
    INFO(text);
    CHECK_THROWS_WITH(generator.set_state(text), Catch::StartsWith("generator state: "));
    CHECK(generator.state() == state);
  }
}

TEST_CASE("draws that make no sense are refused") {
  Generator generator(1);
  std::vector<real> out(4);
  std::vector<std::int64_t> whole(2);
  std::vector<Id> two(2);
  const real nan = std::numeric_limits<real>::quiet_NaN();
  CHECK_THROWS_AS(generator.uniform(out, 1, 0), engine::Error);
  CHECK_THROWS_AS(generator.uniform(out, 0, std::nan("")), engine::Error);
  CHECK_THROWS_AS(generator.normal(out, 0, -1), engine::Error);
  CHECK_THROWS_AS(generator.exponential(out, 0), engine::Error);
  CHECK_THROWS_AS(generator.randint(whole, 3, 3), engine::Error);
  CHECK_THROWS_AS(generator.randint(two, 3, 3), engine::Error);
  CHECK_THROWS_WITH(generator.randint(two, 0, (Index(1) << 31) + 1),
                    "randint: [0, 2147483649) does not fit an id, at most 2147483647");
  CHECK_THROWS_WITH(generator.randint(two, -(Index(1) << 31) - 1, 0),
                    "randint: [-2147483649, 0) does not fit an id, at most 2147483647");
  CHECK_THROWS_AS(generator.randperm(-1), engine::Error);
  CHECK_THROWS_WITH(generator.randperm(214'748'364),  // from 2^32 / 20 on, PyTorch draws otherwise
                    "randperm: n 214748364 is not in [0, 214748364)");
  CHECK_THROWS_AS(generator.multinomial({}), engine::Error);
  CHECK_THROWS_AS(generator.multinomial(std::vector<real>{0, 0}), engine::Error);
  CHECK_THROWS_AS(generator.multinomial(std::vector<real>{1, -1}), engine::Error);
  CHECK_THROWS_AS(generator.multinomial(std::vector<real>{1, nan}), engine::Error);
  CHECK(generator.state() == "1 0");
}

TEST_CASE("ids are the numbers that randint draws as 64-bit integers") {
  std::vector<std::int64_t> wide(1000);
  std::vector<Id> narrow(1000);
  const Index low = -(Index(1) << 31), most = (Index(1) << 31) - 1;
  for (const auto& [from, to] : {std::pair<Index, Index>{-5, 12}, {0, most + 1}, {low, most}}) {
    Generator a(7), b(7);
    a.randint(wide, from, to);
    b.randint(narrow, from, to);
    CHECK(std::ranges::equal(wide, narrow));
    CHECK(a.state() == b.state());
  }
}
