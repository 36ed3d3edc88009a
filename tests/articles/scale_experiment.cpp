// Why attention divides its scores by sqrt(d_k):
//
//     attention(q, k, v) = softmax(q k^T / sqrt(d_k)) v          q (n, d_k), k (m, d_k), v (m, d_v)
//
// If the numbers in q and k have mean 0 and variance 1, a score q . k is a sum of d_k products of
// variance 1, so its variance is d_k. Softmax of scores that large puts almost all weight on one
// key, where its derivative, dw_i / ds_j = w_i ([i = j] - w_j), is nearly 0. Three experiments: the
// variance; the weights and their gradients; training.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

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

double root(Index d_k) { return std::sqrt(static_cast<double>(d_k)); }

TEST_CASE("scale: the variance of a score is d_k", "[articles][scale]") {
  title("Why scores are divided by the square root of d_k");
  section("The variance of q . k");
  say_row("d_k", {"of q . k", "/ sqrt d_k"});
  // Row 24. A product of two standard normal numbers has kurtosis 9, a sum of d_k of them
  // 3 + 6 / d_k; so the variance of n samples is known to within sqrt((2 + 6 / d_k) / n) of its
  // value. The limit is five times that.
  const Index n = 20000;
  for (const Index d_k : {1, 4, 16, 64, 256}) {
    Generator generator(experiment_seed());
    const Tensor q = Tensor::randn({n, d_k}, generator), k = Tensor::randn({n, d_k}, generator);
    const double size = static_cast<double>(d_k);
    const double plain = variance(sum(q * k, -1), 0).item();
    const double scaled = variance(sum(q * k, -1) / root(d_k), 0).item();
    say_row(joined(d_k), {model::fixed_text(plain, 2), model::fixed_text(scaled, 3)});
    const double margin = 5 * std::sqrt((2 + 6 / size) / static_cast<double>(n));
    CHECK(plain / size == Approx(1).epsilon(0).margin(margin));
    CHECK(scaled == Approx(1).epsilon(0).margin(margin));
  }
}

// The mean over queries of -sum_i w_i log w_i, in nats: log m if all m weights are equal, 0 if one
// is 1.
double entropy(const Tensor& weights) {
  const Tensor logs = log(clamp(weights, 1e-30, 1));  // finite where w is 0
  return -mean(sum(weights * logs, -1)).item();
}

// Attention of random queries and keys, and their gradients for a random gradient of its result.
struct Softness {
  double entropy, largest;  // of the weights: means over queries
  double dq, dk;            // lengths of the gradients of q and of k
  double median_dq;         // length of the gradient of one query, the median over queries
};
Softness softness(Index d_k, double scale) {
  const Index n = 256, m = 32, d_v = 8;
  Generator generator(experiment_seed());
  const Tensor q = Tensor::randn({n, d_k}, generator).require_gradient();
  const Tensor k = Tensor::randn({m, d_k}, generator).require_gradient();
  const Tensor v = Tensor::randn({m, d_v}, generator), dz = Tensor::randn({n, d_v}, generator);
  Tape tape;
  const nn::AttentionResult z = nn::attention(q, k, v, {.scale = scale});
  tape.backward(z.context, dz);
  const Tensor dq = q.gradient().value(), dk = k.gradient().value();
  std::vector<double> lengths;
  for (Index i = 0; i < n; ++i) lengths.push_back(norm(dq[i]));
  std::ranges::nth_element(lengths, lengths.begin() + n / 2);
  return {entropy(z.weights), mean(max(z.weights, -1)).item(), norm(dq), norm(dk), lengths[n / 2]};
}

TEST_CASE("scale: weights and gradients for growing d_k", "[articles][scale]") {
  section("The weights of 32 keys, and the gradients of q and k");
  // Row 23. For normal scores of variance s^2 and many keys, the entropy is log m - s^2 / 2.
  say("An even softmax has entropy log 32 = ", model::fixed_text(std::log(32), 2),
      "; one of normal scores of variance 1 about 1/2 less.");
  const auto table = [](bool scaled) {
    say(scaled ? "\nwith the scale" : "\nwithout the scale");
    say_row("d_k", {"entropy", "largest", "|dq|", "|dk|", "median |dq_i|"});
    Softness s{};
    for (const Index d_k : {1, 4, 16, 64, 256, 1024}) {
      s = softness(d_k, scaled ? 1 / root(d_k) : 1);
      say_row(joined(d_k), {model::fixed_text(s.entropy, 2), model::fixed_text(s.largest, 2),
                            model::fixed_text(s.dq, 1), model::fixed_text(s.dk, 1),
                            model::fixed_text(s.median_dq, 4)});
    }
    return s;  // of d_k = 1024
  };
  const Softness with = table(true), without = table(false);
  CHECK(with.entropy == Approx(std::log(32) - 0.5).epsilon(0).margin(0.15));
  CHECK(without.entropy < 0.25);
  CHECK(without.largest > 0.9);
  // Without the scale, the gradient of most queries vanishes. The gradient of all queries together
  // does not: a few queries are undecided between two keys, and their gradients are sqrt(d_k) times
  // as large.
  CHECK(without.median_dq < with.median_dq / 10);
  CHECK(without.dq > with.dq);
}

// A task for one head: look up a word in a list of words with their answers.
//
//     list     x_i = word_i + answer_i          (B, m, d), m different words in random order
//     query    x = word_j of the list           (B, 1, d)
//     right    answer_j
//
// Queries begin with variance 1, keys, of a sum, with variance 2: a score with variance 2 d_k.
struct LookUp {
  static constexpr Index words = 64, answers = 8, m = 16, d = 32, d_k = 256;
  nn::Embedding word{words, d}, answer{answers, d};
  nn::Attention attention{d, d, d_k, d};
  nn::Linear head{d, answers};

  LookUp(double scale, Generator& generator) {
    attention.options.scale = scale;
    nn::initialize(*this, generator);
    for (const Tensor& W : {attention.W_query.weight, attention.W_key.weight})
      generator.normal(W.mutable_values(), 0, 1 / root(d));
  }
  void reflect(nn::Reflector& r) {
    r("word", word), r("answer", answer), r("attention", attention), r("head", head);
  }

  struct Result {
    Tensor loss, weights;
  };
  // The loss of B random lists.
  Result operator()(Index B, Generator& generator) const {
    std::vector<std::int32_t> listed, meaning(static_cast<std::size_t>(B * m)), queried, right;
    generator.randint(meaning, 0, answers);
    for (Index b = 0; b < B; ++b) {
      const std::vector<std::int64_t> order = generator.randperm(words);
      for (const std::int64_t id : std::span(order).first(m))
        listed.push_back(static_cast<std::int32_t>(id));
      const auto j = static_cast<std::size_t>(b * m + b % m);
      queried.push_back(listed[j]);
      right.push_back(meaning[j]);
    }
    const Tensor list = word(listed, {B, m}) + answer(meaning, {B, m});
    const nn::AttentionResult found = attention(word(queried, {B, 1}), list);
    return {cross_entropy(head(found.context), right), found.weights};
  }
};

struct Trained {
  double entropy;  // of the weights before the first step
  double loss;     // mean of the last 20 steps
};
Trained train(bool scaled, double learning_rate, int steps) {
  Generator generator(experiment_seed());
  LookUp look_up(scaled ? 1 / root(LookUp::d_k) : 1, generator);
  nn::AdamW adamw(nn::tensors(look_up), {.weight_decay = 0});
  const double before = entropy(look_up(256, generator).weights);
  double last_losses = 0;
  for (int step = 1; step <= steps; ++step) {
    Tape tape;
    const Tensor loss = look_up(32, generator).loss;
    tape.backward(loss);
    adamw.step(learning_rate);
    if (step > steps - 20) last_losses += loss.item() / 20;
  }
  return {before, last_losses};
}

TEST_CASE("scale: training with and without it", "[articles][scale]") {
  section("Learning to look up a word: one head, d_k = 256, 16 words in a list");
  say("A guess among 8 answers has loss log 8 = ", model::fixed_text(std::log(8), 2),
      "; even weights have entropy log 16 = ", model::fixed_text(std::log(16), 2),
      ".\nThe entropy below is that of the weights before the first step.\n");
  const std::array rates = {1e-3, 3e-3, 1e-2};
  say_row("200 steps at rate", {"0.001", "0.003", "0.01", "entropy"});
  const auto losses = [&](bool scaled) {
    std::array<double, 3> found{};
    double before = 0;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const Trained trained = train(scaled, rates[i], 200);
      found[i] = trained.loss;
      before = trained.entropy;
    }
    say_row(scaled ? "loss with the scale" : "loss without",
            {model::fixed_text(found[0], 3), model::fixed_text(found[1], 3),
             model::fixed_text(found[2], 3), model::fixed_text(before, 2)});
    return found;
  };
  const std::array with = losses(true), without = losses(false);
  for (std::size_t i = 0; i < rates.size(); ++i) CHECK(with[i] < without[i] / 2);
  CHECK(std::ranges::min(with) < 0.1);
  CHECK(std::ranges::min(without) > 0.4);

  // The gradients of the few undecided queries are enough in the end.
  const double later = train(false, 3e-3, 600).loss;
  say("Without the scale, after 600 steps at rate 0.003: loss ", model::fixed_text(later, 3));
  CHECK(later < 1);
}

}  // namespace
}  // namespace articles
