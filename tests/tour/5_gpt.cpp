// Tour, 5 of 8: a GPT in a hundred lines, from a text to a sample, with nothing but engine and nn.
//
// The argument names the text; without one it is data/fables.txt.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "engine/ops.h"
#include "engine/tape.h"
#include "nn/adamw.h"
#include "nn/attention.h"

using namespace engine;

namespace {

constexpr Index T = 32, B = 12, C = 64, H = 4, layers = 2;  // context, batch, channels, heads
constexpr int steps = 1500;
using Ids = std::vector<std::int32_t>;

// Attention lets a position read from earlier positions. The feed-forward network works on each
// position alone. Both add to x, so that gradients reach every layer undiminished.
struct Block {
  nn::LayerNorm ln_1{C}, ln_2{C};
  nn::CausalSelfAttention attn{C, H, false, 0};  // false: no biases; 0: no dropout
  nn::FeedForward mlp{C, false, nn::Activation::gelu, 0};
  Tensor operator()(const Tensor& x) const {
    const Tensor y = x + attn(ln_1(x));
    return y + mlp(ln_2(y));
  }
  void reflect(nn::Reflector& r) {
    r("ln_1", ln_1);
    r("attn", attn);
    r("ln_2", ln_2);
    r("mlp", mlp);
  }
};

struct GPT {
  nn::Embedding token, position{T, C};
  std::vector<Block> blocks = std::vector<Block>(layers);
  nn::LayerNorm ln{C};
  explicit GPT(Index V) : token(V, C) {}
  // ids (B, t), row after row -> logits (B, t, V). The head shares its weights with `token`.
  Tensor operator()(const Ids& ids, Index t) const {
    Tensor x = token(ids, {std::ssize(ids) / t, t}) + slice(position.weight, 0, 0, t);
    for (const Block& block : blocks) x = block(x);
    return linear(ln(x), token.weight);
  }
  void reflect(nn::Reflector& r) {
    r("token", token);
    r("position", position);
    r("blocks", blocks);
    r("ln", ln);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const char* const path = argc > 1 ? argv[1] : "data/fables.txt";
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (std::ssize(text) <= T + 1) {
    std::fprintf(stderr, "%s: no text, or too short\n", path);
    return 1;
  }
  // Characters become numbers: their places in the sorted list of all characters of the text.
  const std::set<char> sorted(text.begin(), text.end());
  const std::string characters(sorted.begin(), sorted.end());
  Ids ids;
  for (const char c : text) ids.push_back(static_cast<std::int32_t>(characters.find(c)));

  Generator generator(1337);
  GPT gpt(std::ssize(characters));
  nn::initialize(gpt, generator);
  for (const auto& [name, weight] :
       nn::parameters(gpt))  // GPT-2's scale, so that logits begin small
    if (weight.shape().rank() == 2) generator.normal(weight.mutable_values(), 0, 0.02);
  // decay_matrices: matrices decay, norms do not.
  nn::AdamW optimizer(nn::decay_matrices(nn::tensors(gpt)), {.weight_decay = 0.1});
  std::printf("%s: %d characters, %d distinct; a GPT of %d parameters\n", path,
              static_cast<int>(ids.size()), static_cast<int>(characters.size()),
              static_cast<int>(nn::parameter_count(gpt)));
  std::vector<std::int64_t> starts(B);
  for (int step = 0; step <= steps; ++step) {
    // A batch: B pieces of T characters from random places; the targets are the next characters.
    generator.randint(starts, 0, std::ssize(ids) - T);
    Ids inputs, targets;
    for (const std::int64_t start : starts) {
      inputs.insert(inputs.end(), ids.begin() + start, ids.begin() + start + T);
      targets.insert(targets.end(), ids.begin() + start + 1, ids.begin() + start + T + 1);
    }
    Tape tape;
    const Tensor loss = cross_entropy(gpt(inputs, T), targets);
    tape.backward(loss);
    if (step % 250 == 0)
      std::printf("  step %d: loss %.2f\n", step, static_cast<double>(loss.item()));
    optimizer.step(3e-3 * (1 - 0.9 * step / steps));
  }

  // Sampling: the last position's logits give the next character's probabilities.
  Ids sample = {ids[0]};
  while (sample.size() < 300) {
    const Index t = std::min<Index>(T, std::ssize(sample));
    const Tensor logits = gpt(Ids(sample.end() - t, sample.end()), t)[0][t - 1];
    const Tensor p = softmax(logits / 0.8);
    sample.push_back(generator.multinomial(p.values()));
  }
  std::printf("a sample:\n\n");
  for (const std::int32_t id : sample) std::putchar(characters[static_cast<std::size_t>(id)]);
  std::printf("\n\nnext: make tour N=6 (tests/tour/6_gemm.cpp)\n");
}
