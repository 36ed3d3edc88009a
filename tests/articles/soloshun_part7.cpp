// soloshun, "Building LLMs from scratch, part 7": self-attention for the six words "Your journey
// starts with one step", first with nothing trainable, then step by step with trainable weights,
// then as a class written in two ways. Numbers that the article does not print are compared with
// PyTorch's.

#include "tests/articles/book_numbers.h"

namespace articles {
namespace {

// One row of three numbers for each word.
Tensor sentence() {
  return Tensor::of({{0.43, 0.15, 0.89},    // Your
                     {0.55, 0.87, 0.66},    // journey
                     {0.57, 0.85, 0.64},    // starts
                     {0.22, 0.58, 0.33},    // with
                     {0.77, 0.25, 0.10},    // one
                     {0.05, 0.80, 0.55}});  // step
}

// Rows 17, 18. The article's classes: parameters from rand, on the right of x ...
struct SelfAttention_v1 {
  Tensor W_query, W_key, W_value;
  SelfAttention_v1(Index d_in, Index d_out, Generator& generator)
      : W_query(Tensor::rand({d_in, d_out}, generator).require_gradient()),
        W_key(Tensor::rand({d_in, d_out}, generator).require_gradient()),
        W_value(Tensor::rand({d_in, d_out}, generator).require_gradient()) {}
  Tensor operator()(const Tensor& x) const {
    const Tensor keys = matmul(x, W_key);
    const Tensor queries = matmul(x, W_query);
    const Tensor values = matmul(x, W_value);
    const Tensor attn_scores = matmul(queries, transpose(keys));
    const Tensor attn_weights = softmax(attn_scores / std::sqrt(keys.shape().cols()));
    return matmul(attn_weights, values);
  }
  void reflect(nn::Reflector& r) {
    r("W_query", W_query), r("W_key", W_key), r("W_value", W_value);
  }
};

// ... and Linear layers, with the weights on the left.
struct SelfAttention_v2 {
  nn::Linear W_query, W_key, W_value;
  SelfAttention_v2(Index d_in, Index d_out, bool qkv_bias = false)
      : W_query(d_in, d_out, qkv_bias),
        W_key(d_in, d_out, qkv_bias),
        W_value(d_in, d_out, qkv_bias) {}
  Tensor operator()(const Tensor& x) const {
    const Tensor keys = W_key(x);
    const Tensor queries = W_query(x);
    const Tensor values = W_value(x);
    const Tensor attn_scores = matmul(queries, transpose(keys));
    const Tensor attn_weights = softmax(attn_scores / std::sqrt(keys.shape().cols()));
    return matmul(attn_weights, values);
  }
  void reflect(nn::Reflector& r) {
    r("W_query", W_query), r("W_key", W_key), r("W_value", W_value);
  }
};

TEST_CASE("soloshun, part 7: trainable self-attention", "[articles][soloshun]") {
  title("Building LLMs from scratch, part 7 (soloshun)");
  const Tensor inputs = sentence();
  show("inputs", inputs);

  section("Attention with nothing to train");
  // Row 7. The dot product of two words measures how related they are.
  const Tensor toy_scores = matmul(inputs, transpose(inputs));
  prints("scores", toy_scores, book::toy_scores);
  const Tensor toy_weights = softmax(toy_scores);
  prints("weights", toy_weights, book::toy_weights);
  prints("contexts", matmul(toy_weights, inputs), book::toy_contexts);
  // Row 8. The definition of softmax says the same, as long as no exponential overflows.
  const Tensor naive = exp(toy_scores) / sum(exp(toy_scores), -1, true);
  CHECK(difference(naive, toy_weights) < 1e-6);

  section("Trainable weights, one word");
  // Row 15. Two numbers for each word from here on, where there were three.
  const Tensor x_2 = inputs[1];
  const Index d_in = inputs.shape()[1], d_out = 2;
  Generator generator(123);
  Tensor W_query = Tensor::rand({d_in, d_out}, generator);
  const Tensor W_key = Tensor::rand({d_in, d_out}, generator);
  const Tensor W_value = Tensor::rand({d_in, d_out}, generator);
  const Tensor query_2 = matmul(x_2, W_query);
  prints("query_2", query_2, book::query_2);
  // Row 20.
  const Tensor keys = matmul(inputs, W_key);
  const Tensor values = matmul(inputs, W_value);
  prints("keys.shape", keys.shape(), {6, 2});
  prints("values.shape", values.shape(), {6, 2});
  prints("attn_score_22", matmul(query_2, keys[1]), book::attn_score_22);
  const Tensor attn_scores_2 = matmul(query_2, transpose(keys));
  prints("attn_scores_2", attn_scores_2, book::attn_scores_2);
  const double d_k = static_cast<double>(keys.shape()[1]);
  const Tensor attn_weights_2 = softmax(attn_scores_2 / std::sqrt(d_k));
  prints("attn_weights_2", attn_weights_2, book::attn_weights_2);
  prints("context_vec_2", matmul(attn_weights_2, values), book::context_vec_2);

  section("Trainable weights, all words");
  const Tensor queries = matmul(inputs, W_query);
  prints("queries.shape", queries.shape(), {6, 2});
  const Tensor attn_scores = matmul(queries, transpose(keys));
  prints("attn_scores.shape", attn_scores.shape(), {6, 6});
  const Tensor attn_weights = softmax(attn_scores / std::sqrt(d_k));
  prints("attn_weights.shape", attn_weights.shape(), {6, 6});
  prints("attn_weights[0].sum()", sum(attn_weights[0]), Tensor(1.0000));
  const Tensor context = matmul(attn_weights, values);
  prints("context.shape", context.shape(), {6, 2});
  CHECK(difference(context[1], matmul(attn_weights_2, values)) < 1e-6);

  // Row 21. requires_grad is false by default: nothing is recorded.
  {
    Tape tape;
    CHECK_FALSE(matmul(inputs, W_query).gradient());
    CHECK(tape.size() == 0);
    W_query.require_gradient();
    CHECK(matmul(inputs, W_query).gradient());
    CHECK(tape.size() == 1);
  }

  section("A compact class");
  // Row 17.
  Generator seed_123(123);
  SelfAttention_v1 sa_v1(d_in, d_out, seed_123);
  prints("sa_v1(inputs)", sa_v1(inputs), book::sa_v1);
  CHECK(difference(sa_v1(inputs), context) < 1e-6);

  // Row 18.
  Generator seed_789(789);
  SelfAttention_v2 sa_v2(d_in, d_out);
  nn::initialize(sa_v2, seed_789);
  prints("sa_v2(inputs)", sa_v2(inputs), book::sa_v2);
  Generator again_789(789);
  SelfAttention_v2 with_bias(d_in, d_out, true);
  nn::initialize(with_bias, again_789);
  prints("sa_v2(inputs) with qkv_bias", with_bias(inputs), book::sa_v2_bias);
  CHECK(nn::parameter_count(with_bias) == nn::parameter_count(sa_v2) + 3 * d_out);

  // Row 19. The weights of one, transposed, in the other.
  sa_v1.W_query = transpose(sa_v2.W_query.weight);
  sa_v1.W_key = transpose(sa_v2.W_key.weight);
  sa_v1.W_value = transpose(sa_v2.W_value.weight);
  prints("sa_v1(inputs) with the weights of sa_v2", sa_v1(inputs), book::sa_v2);
  CHECK(difference(sa_v1(inputs), sa_v2(inputs)) < 1e-6);

  // nn::Attention is that class.
  nn::Attention attention(d_in, d_in, d_out, d_out);
  attention.W_query = sa_v2.W_query;
  attention.W_key = sa_v2.W_key;
  attention.W_value = sa_v2.W_value;
  CHECK(difference(attention(inputs).context, sa_v2(inputs)) < 1e-6);
}

// Row 22. A step of gradient descent changes all three weights, and the loss falls.
TEST_CASE("soloshun, part 7: training updates the weights", "[articles][soloshun]") {
  section("Training");
  const Tensor inputs = sentence(), wanted = slice(inputs, 1, 0, 2);
  Generator generator(789);
  SelfAttention_v2 attention(3, 2);
  nn::initialize(attention, generator);
  const auto loss = [&] {
    const Tensor distance = attention(inputs) - wanted;
    return mean(distance * distance);
  };
  double before = loss().item();
  for (int step = 0; step < 5; ++step) {
    {
      Tape tape;
      tape.backward(loss());
    }
    for (auto& [name, W] : nn::parameters(attention)) {
      const Tensor old = W.clone();
      W.assign(W - 0.5 * W.gradient().value());
      INFO("step " << step << ", " << name);
      CHECK(difference(old, W) > 0);
    }
    nn::clear_gradients(attention);
    const double after = loss().item();
    say("step ", step, ": loss ", before, " -> ", after);
    CHECK(after < before);
    before = after;
  }
}

// Row 38. A word may not look at those that follow it.
TEST_CASE("soloshun, part 7: causal attention", "[articles][soloshun]") {
  section("Not looking ahead");
  const Tensor inputs = sentence();
  Generator generator(789);
  SelfAttention_v2 sa_v2(3, 2);
  nn::initialize(sa_v2, generator);
  const Tensor queries = sa_v2.W_query(inputs), keys = sa_v2.W_key(inputs);

  // Zeros after softmax, and rows divided by their sums ...
  const Tensor weights = nn::attention(queries, keys, sa_v2.W_value(inputs)).weights;
  const Tensor lower = weights * (1 - causal_mask(6, 6));
  const Tensor normalized = lower / sum(lower, -1, true);
  prints("masked weights", normalized, book::masked_simple_norm);
  // ... or by -inf before it, which is the same.
  const Tensor scores = matmul(queries, transpose(keys));
  const Tensor masked = masked_fill(scores, causal_mask(6, 6), -INFINITY);
  show("masked scores", masked);
  const Tensor by_infinity = softmax(masked / std::sqrt(2.0));
  CHECK(difference(by_infinity, normalized) < 1e-6);
  CHECK(difference(sum(by_infinity, -1), Tensor::ones({6})) < 1e-6);
  for (Index i = 0; i < 6; ++i)
    for (Index j = i + 1; j < 6; ++j) CHECK(by_infinity.at({i, j}) == 0);
}

// Row 45. Attention as looking up in a table: with keys that no other query fits, the answer is
// exactly the value that belongs to the key.
TEST_CASE("soloshun, part 7: queries, keys and values as a search", "[articles][soloshun]") {
  section("A search engine");
  const Tensor keys = Tensor::of({{40, 0, 0, 0}, {0, 40, 0, 0}, {0, 0, 40, 0}, {0, 0, 0, 40}});
  const Tensor values = Tensor::of({{10, 1}, {20, 2}, {30, 3}, {40, 4}});
  const Tensor queries = stack({keys[2], keys[0]});
  const auto [context, weights] = nn::attention(queries, keys, values);
  show("weights", weights);
  show("found", context);
  CHECK(difference(context, stack({values[2], values[0]})) == 0);
}

}  // namespace
}  // namespace articles
