// "What and why is self-attention?": weights that words give each other, where they come from
// (queries, keys, values), several heads, masks and dropout, the block around them, and why all
// that instead of one large matrix.

#include "model/gpt/gpt.h"
#include "tests/articles/walkthrough.h"

namespace articles {
namespace {

double norm(const Tensor& x) { return std::sqrt(sum(x * x).item()); }

TEST_CASE("What and why: weights", "[articles][self-attention]") {
  title("What and why is self-attention?");

  section("How much each word takes from each");
  // Row 10. Rows are queries, columns keys; with a causal mask nothing lies above the diagonal.
  const std::vector<std::string> words = words_of("Houston we have a problem");
  Generator generator(123);
  const Tensor x = Tensor::randn({5, 16}, generator) * 0.7;
  const Tensor weights = nn::attention(x, x, x).weights;
  show("weights", weights);
  say(labeled(weights, words, words));
  say('\n', heat_map(weights, words));
  const Tensor causal = nn::attention(x, x, x, {.causal = true}).weights;
  const std::string map = heat_map(causal, words);
  say("\ncausal\n", map);
  CHECK(map.substr(0, map.find('\n')) == "Houston |██        |");
  CHECK(difference(sum(weights, -1), Tensor::ones({5})) < 1e-6);

  section("A weight times a value");
  // Row 13. The article rounds to three digits: 1.67, 0.378, 2.13.
  prints("0.27 * value", 0.27 * Tensor::of({6.2, 1.4, 7.9}), Tensor::of({1.674, 0.378, 2.133}));

  // Row 8.
  section("Softmax");
  const Tensor scores = Tensor::of({2, -1, 0.5});
  CHECK(difference(softmax(scores), exp(scores) / sum(exp(scores))) < 1e-6);
  CHECK(difference(softmax(scores), softmax(scores + 1000)) < 1e-4);  // 1000.5 rounds
  show("softmax of -inf", softmax(Tensor::of({2, -INFINITY, 0.5})));
  CHECK(softmax(Tensor::of({2, -INFINITY, 0.5})).at({1}) == 0);
}

TEST_CASE("What and why: the scale of the scores", "[articles][self-attention]") {
  section("The scale of each head");
  // Rows 23, 24, what the scale is for: scale_experiment.cpp.
  // Row 25. 720 channels in 12 heads: 60 each, so scores are divided by 7.746.
  const Index channels = 720, heads = 12, head_size = channels / heads;
  prints("head size", Tensor(static_cast<double>(head_size)), Tensor(60));
  prints("its root", sqrt(Tensor(60)), Tensor(7.746), 3);
  Generator generator(123);
  const Tensor q = Tensor::randn({3, 60}, generator), k = Tensor::randn({3, 60}, generator);
  CHECK(difference(nn::attention(q, k, k).weights, softmax(matmul(q, transpose(k)) / 7.746)) <
        1e-4);
}

TEST_CASE("What and why: queries, keys, values", "[articles][self-attention]") {
  section("Projections with and without bias");
  // Row 26. b_q, b_k, b_v. tests/gradient checks their gradients.
  Generator generator(123);
  nn::Attention plain(16, 16, 8, 8), biased(16, 16, 8, 8, true);
  nn::initialize(plain, generator);
  const Tensor x = Tensor::randn({5, 16}, generator);
  for (const auto& [from, to] :
       {std::pair(&plain.W_query, &biased.W_query), std::pair(&plain.W_key, &biased.W_key),
        std::pair(&plain.W_value, &biased.W_value)})
    to->weight.assign(from->weight);
  CHECK(difference(plain(x).context, biased(x).context) == 0);
  biased.W_value.bias.assign(Tensor::ones({8}));  // weights sum to 1: it comes through as it is
  CHECK(difference(plain(x).context + 1, biased(x).context) < 1e-6);
  // A bias of the keys adds the same to all scores of a query, which softmax does not see.
  biased.W_key.bias.assign(Tensor::randn({8}, generator));
  CHECK(difference(plain(x).context + 1, biased(x).context) < 1e-5);

  section("A dictionary");
  // Row 45. A query that fits one key gets its value, exactly; one that fits two gets their mean.
  const Tensor keys = Tensor::of({{30, 0, 0}, {0, 30, 0}, {0, 0, 30}});
  const Tensor values = Tensor::of({{1, 2}, {3, 4}, {5, 6}});
  const Tensor queries = Tensor::of({{0, 30, 0}, {30, 0, 30}});
  const Tensor found = nn::attention(queries, keys, values).context;
  show("found", found);
  CHECK(difference(found, Tensor::of({{3, 4}, {3, 4}})) == 0);
}

// One head of CausalSelfAttention by itself: its rows of the three projections.
Tensor head_by_itself(const nn::CausalSelfAttention& attention, const Tensor& x, Index head) {
  const Index C = x.shape().cols(), D = C / attention.prepare.heads.queries;
  const auto project = [&](Index part) {
    const Index first = part * C + head * D;
    return linear(x, slice(attention.c_attn.weight, 0, first, first + D),
                  slice(attention.c_attn.bias, 0, first, first + D));
  };
  return nn::attention(project(0), project(1), project(2), {.causal = true}).context;
}

TEST_CASE("What and why: several heads", "[articles][self-attention]") {
  section("Multi-head attention");
  // Rows 33, 34. Heads side by side, then W_o and b_o: what the module does with one projection.
  const Index delta = 24, heads = 3;
  Generator generator(123);
  nn::CausalSelfAttention attention(delta, heads, true, 0);
  nn::initialize(attention, generator);
  const Tensor x = Tensor::randn({2, 5, delta}, generator);
  std::vector<Tensor> contexts;
  for (Index h = 0; h < heads; ++h) contexts.push_back(head_by_itself(attention, x, h));
  const Tensor side_by_side = concat(contexts, -1);
  show("heads side by side", side_by_side.shape());
  const Tensor by_hand = linear(side_by_side, attention.c_proj.weight, attention.c_proj.bias);
  CHECK(difference(by_hand, attention(x)) < 1e-5);
  // Row 35.
  CHECK_THROWS_WITH(nn::CausalSelfAttention(720, 7, true, 0),
                    Catch::Contains("720") && Catch::Contains("7 heads"));
}

TEST_CASE("What and why: masks and dropout", "[articles][self-attention]") {
  section("Masks and dropout");
  // Row 38. Rows still sum to 1, the future has weight 0 and gets no gradient: here the value at
  // position 2, which positions 0 and 1 must not see.
  Generator generator(123);
  Tensor x = Tensor::randn({6, 8}, generator).require_gradient();
  const Tensor scores_mask = causal_mask(6, 6);
  {
    Tape tape;
    const auto [z, weights] = nn::attention(x, x, x, {.causal = true});
    CHECK(difference(sum(weights, -1), Tensor::ones({6})) < 1e-6);
    CHECK(max(weights * scores_mask).item() == 0);
    tape.backward(sum(slice(z, 0, 0, 2)));
  }
  const Tensor dx = x.gradient().value();
  CHECK(norm(slice(dx, 0, 0, 2)) > 0);
  CHECK(norm(slice(dx, 0, 2, 6)) == 0);

  // Row 39. In training only, and the mean stays: of n values that are 0 or 2 it is known to within
  // 1 / sqrt(n); the limit is five times that.
  const Tensor weights = Tensor::ones({100, 100});
  const nn::Dropout dropout{0.5};
  CHECK(difference(dropout(weights, nullptr), weights) == 0);
  const Tensor dropped = dropout(weights, &generator);
  CHECK(max(dropped).item() == 2);
  CHECK(mean(dropped).item() == Approx(1).epsilon(0).margin(0.05));
  const nn::AttentionOptions options{.dropout = {0.5}};
  CHECK(difference(nn::attention(x, x, x, options).context, nn::attention(x, x, x).context) == 0);
  CHECK(difference(nn::attention(x, x, x, options, &generator).context,
                   nn::attention(x, x, x).context) > 0);
}

TEST_CASE("What and why: blocks", "[articles][self-attention]") {
  section("Blocks of attention and feed-forward");
  // Row 41. The gradient through two blocks along itself: by how much the loss changes when all
  // weights move that way is its squared norm. The central difference over h and 2h is off by
  // O(h^4); h is as small as rounding allows.
  model::GPT gpt({.vocab_size = 11, .block_size = 8, .n_layer = 2, .n_head = 2, .n_embd = 8});
  Generator generator(123);
  nn::initialize(gpt, generator);
  gpt.wte.weight.assign(gpt.wte.weight * 0.3);
  const std::vector<std::int32_t> ids = {3, 1, 4, 1, 5, 9, 2, 6},
                                  targets = {1, 4, 1, 5, 9, 2, 6, 5};
  {
    Tape tape;
    tape.backward(gpt.loss(ids, targets, 1, 8));
  }
  double squared = 0;
  for (const auto& [name, p] : nn::parameters(gpt)) {
    const double length = norm(p.gradient().value());
    squared += length * length;
  }
  const auto loss_at = [&](double distance) {
    std::vector<Tensor> old;
    for (const auto& [name, p] : nn::parameters(gpt)) {
      old.push_back(p.clone());
      p.assign(p + distance / std::sqrt(squared) * p.gradient().value());
    }
    const double loss = gpt.loss(ids, targets, 1, 8).item();
    std::size_t i = 0;
    for (const auto& [name, p] : nn::parameters(gpt)) p.assign(old[i++]);
    return loss;
  };
  const double h = 1.0 / 64;
  const double slope =
      (8 * (loss_at(h) - loss_at(-h)) - (loss_at(2 * h) - loss_at(-2 * h))) / (12 * h);
  say("slope ", slope, " against ", std::sqrt(squared), ", the norm of the gradient");
  CHECK(slope == Approx(std::sqrt(squared)).epsilon(1e-4));

  // Row 42. Weights do not depend on n; the table of positions is what limits it.
  for (Index n = 1; n <= 8; ++n)
    CHECK(gpt.logits(std::span(ids).first(static_cast<std::size_t>(n)), 1, n).shape() ==
          Shape{1, n, 11});
  const std::vector<std::int32_t> nine(9, 1);
  CHECK_THROWS_WITH(gpt.logits(nine, 1, 9), Catch::Contains("9 positions, expected 1..8"));

  section("Infinite compute");
  // Row 43. A matrix from all n words to all n words of its own has n n d delta weights; attention
  // has 3 d delta, for any n.
  const Index n = 5, d = 720, delta = 720;
  nn::Attention attention(d, d, delta, delta);
  nn::Linear everything_to_one_word(n * d, delta, false);  // n of them are needed
  say(n * nn::parameter_count(everything_to_one_word), " against ", nn::parameter_count(attention));
  CHECK(n * nn::parameter_count(everything_to_one_word) == 12'960'000);
  CHECK(nn::parameter_count(attention) == 1'555'200);
}

}  // namespace
}  // namespace articles
