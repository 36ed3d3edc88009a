// What the parts of a GPT are worth: residual connections, norms and positions, each left out of
// the same model in turn.
//
//     a block      y = x + attention(norm(x)),  z = y + feed_forward(norm(y))
//     without residual connections     y = attention(norm(x)),  z = feed_forward(norm(y))
//     without norms                    y = x + attention(x),    z = y + feed_forward(y)
//
// Each model reads the same batches of a text for the same number of steps.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "engine/base/check.h"
#include "engine/ops.h"
#include "engine/random/generator.h"
#include "engine/tape.h"
#include "model/base/text.h"
#include "nn/adamw.h"
#include "nn/attention.h"
#include "nn/layers.h"
#include "tests/articles/experiment.h"
#include "tests/articles/walkthrough.h"
#include "tests/catch.h"

namespace articles {
namespace {

constexpr Index T = 32, B = 8, C = 32, H = 4;  // context, batch, channels, heads
using Ids = std::vector<std::int32_t>;

struct Parts {
  bool residuals = true, norms = true, positions = true;
};

struct Block {
  Parts parts;
  nn::LayerNorm ln_1{C}, ln_2{C};
  nn::CausalSelfAttention attn{C, H, true, 0};
  nn::FeedForward mlp{C, true, nn::Activation::gelu, 0};

  Tensor operator()(const Tensor& x) const {
    const Tensor attended = attn(parts.norms ? ln_1(x) : x);
    const Tensor y = parts.residuals ? x + attended : attended;
    const Tensor fed = mlp(parts.norms ? ln_2(y) : y);
    return parts.residuals ? y + fed : fed;
  }
  void reflect(nn::Reflector& r) {
    if (parts.norms) r("ln_1", ln_1), r("ln_2", ln_2);
    r("attn", attn), r("mlp", mlp);
  }
};

struct GPT {
  Parts parts;
  nn::Embedding token, position{T, C};
  std::vector<Block> blocks;
  nn::LayerNorm ln{C};
  nn::Linear head;

  GPT(Index vocabulary, Index layers, const Parts& parts_)
      : parts(parts_), token(vocabulary, C), head(C, vocabulary) {
    for (Index i = 0; i < layers; ++i) blocks.push_back({.parts = parts});
  }
  // ids (B, T) -> (B, T, C)
  Tensor features(const Ids& ids) const {
    Tensor x = token(ids, {std::ssize(ids) / T, T});
    if (parts.positions) x = x + position.weight;
    for (const Block& block : blocks) x = block(x);
    return x;
  }
  Tensor logits(const Tensor& x) const { return head(parts.norms ? ln(x) : x); }
  void reflect(nn::Reflector& r) {
    r("token", token);
    if (parts.positions) r("position", position);
    r("blocks", blocks);
    if (parts.norms) r("ln", ln);
    r("head", head);
  }
};

// --- two texts -------------------------------------------------------------------------------

struct Batch {
  Ids inputs, targets;  // (B, T); a target of -1 is ignored
};

// data/fables.txt, one token for each character.
struct Fables {
  Ids ids;
  Index vocabulary;
  double entropy = 0;  // -sum_c p_c log p_c of the characters' frequencies

  Fables() {
    std::ifstream file("data/fables.txt", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    check(std::ssize(text) > T, "data/fables.txt: not found; run this in the clone of gradus");
    std::string characters = text;
    std::ranges::sort(characters);
    characters.erase(std::unique(characters.begin(), characters.end()), characters.end());
    vocabulary = std::ssize(characters);
    for (const char c : text) ids.push_back(static_cast<std::int32_t>(characters.find(c)));
    for (const char c : characters) {
      const double p =
          static_cast<double>(std::ranges::count(text, c)) / static_cast<double>(text.size());
      entropy -= p * std::log(p);
    }
  }
  Batch operator()(Generator& generator) const {
    Batch batch;
    std::vector<std::int64_t> starts(B);
    generator.randint(starts, 0, std::ssize(ids) - T);
    for (const std::int64_t start : starts) {
      const auto from = ids.begin() + start;
      batch.inputs.insert(batch.inputs.end(), from, from + T);
      batch.targets.insert(batch.targets.end(), from + 1, from + T + 1);
    }
    return batch;
  }
};

// Random words of 8 letters, each repeated until T letters are full. From the second time on, every
// letter is the one 8 positions before.
struct Repeats {
  static constexpr Index vocabulary = 16, period = 8;
  Batch operator()(Generator& generator) const {
    Batch batch;
    for (Index b = 0; b < B; ++b) {
      Ids word(period);
      generator.randint(word, 0, vocabulary);
      for (Index t = 0; t < T; ++t) {
        const auto letter = [&](Index at) { return word[static_cast<std::size_t>(at % period)]; };
        batch.inputs.push_back(letter(t));
        batch.targets.push_back(t + 1 < period ? -1 : letter(t + 1));
      }
    }
    return batch;
  }
};

// --- the experiment --------------------------------------------------------------------------

// The mean cosine of the features of two positions of x (B, T, C): 1 if all point the same way.
// With u_t = x_t / |x_t|, the mean of u_s . u_t over all s, t is the squared length of mean_t u_t.
double alike(const Tensor& x) {
  const Tensor u = mean(x / sqrt(sum(x * x, -1, true)), 1);
  return mean(sum(u * u, -1)).item();
}

struct Outcome {
  double first, last;  // lengths of the gradients of the first and the last block, before training
  double alike;        // of the features after the last block, before training
  double loss;         // the mean of the last 20 steps
};

template <class Text>
Outcome train(const Text& text, Index layers, const Parts& parts, double rate) {
  Generator generator(experiment_seed());
  GPT gpt(text.vocabulary, layers, parts);
  nn::initialize(gpt, generator);
  nn::AdamW adamw(nn::decay_matrices(nn::tensors(gpt)));
  Outcome outcome{};
  const int steps = 80;
  for (int step = 1; step <= steps; ++step) {
    const Batch batch = text(generator);
    Tape tape;
    const Tensor x = gpt.features(batch.inputs);
    const Tensor loss = cross_entropy(gpt.logits(x), batch.targets);
    tape.backward(loss);
    if (step == 1) {
      outcome.alike = alike(x);
      outcome.first = nn::gradient_norm(nn::tensors(gpt.blocks.front()));
      outcome.last = nn::gradient_norm(nn::tensors(gpt.blocks.back()));
    }
    if (step > steps - 20) outcome.loss += loss.item() / 20;
    adamw.step(rate);
  }
  return outcome;
}

// Row 41.
TEST_CASE("without: residual connections, norms, positions", "[articles][without]") {
  title("A GPT without one of its parts");
  section("data/fables.txt, 80 steps at rate 0.003");
  const Fables fables;
  say("A model that knows how frequent each character is, and nothing more, has loss ",
      model::fixed_text(fables.entropy, 3),
      ".\nBefore training, of 8 layers: the lengths of the gradients of the first and of the last "
      "layer,\nand the mean cosine of the features of two positions after the last.\n");
  say_row("", {"loss, 2 layers", "8 layers", "first", "last", "cosine"});
  const auto leave_out = [&](const std::string& name, const Parts& parts) {
    const Outcome shallow = train(fables, 2, parts, 3e-3), deep = train(fables, 8, parts, 3e-3);
    say_row(name, {model::fixed_text(shallow.loss, 3), model::fixed_text(deep.loss, 3),
                   model::short_text(deep.first), model::short_text(deep.last),
                   model::fixed_text(deep.alike, 4)});
    return deep;
  };
  const Outcome whole = leave_out("all parts", {});
  const Outcome no_positions = leave_out("without positions", {.positions = false});
  const Outcome no_norms = leave_out("without norms", {.norms = false});
  const Outcome no_residuals = leave_out("without residuals", {.residuals = false});
  const Outcome neither =
      leave_out("without norms, residuals", {.residuals = false, .norms = false});

  // Without residual connections, a deep model learns the frequencies at best: attention averages
  // the positions in every layer until all are the same (Dong et al., 2021). Without norms as well,
  // the gradient shrinks from layer to layer.
  CHECK(whole.loss < fables.entropy - 0.3);
  CHECK(whole.alike < 0.5);
  CHECK(no_residuals.loss > fables.entropy - 0.15);
  CHECK(no_residuals.alike > 0.99);
  CHECK(neither.loss > fables.entropy - 0.15);
  CHECK(neither.first < 1e-6 * neither.last);
  CHECK(whole.first > 0.3 * whole.last);
  // In so few steps a model learns which characters follow which, for which norms and positions are
  // not needed.
  CHECK(no_norms.loss < fables.entropy - 0.3);
  CHECK(no_positions.loss < fables.entropy - 0.3);

  section("Norms: 8 layers, 80 steps at rate 0.04");
  const double with_norms = train(fables, 8, {}, 4e-2).loss;
  const double without_norms = train(fables, 8, {.norms = false}, 4e-2).loss;
  say("loss ", model::fixed_text(with_norms, 3), ", without norms ",
      model::short_text(without_norms));
  CHECK(with_norms < fables.entropy);
  CHECK_FALSE(without_norms < 1000);  // or not a number

  section("Positions: words of 8 random letters, repeated; 2 layers, 80 steps at rate 0.01");
  const double with_positions = train(Repeats(), 2, {}, 1e-2).loss;
  const double without_positions = train(Repeats(), 2, {.positions = false}, 1e-2).loss;
  say("A guess among 16 letters has loss log 16 = ", model::fixed_text(std::log(16), 3), ".");
  say("loss ", model::fixed_text(with_positions, 3), ", without positions ",
      model::fixed_text(without_positions, 3));
  CHECK(with_positions < 1);
  CHECK(without_positions > 2);
}

}  // namespace
}  // namespace articles
