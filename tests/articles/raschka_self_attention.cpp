// Sebastian Raschka, "Understanding and coding the self-attention mechanism of large language
// models from scratch" (2023): one sentence of six words, from its embedding through self-attention
// and several heads to cross-attention. The seed is 123 throughout.

#include <map>

#include "engine/attention.h"
#include "tests/articles/walkthrough.h"

namespace articles {
namespace {

TEST_CASE("Raschka: self-attention from scratch", "[articles][raschka]") {
  title("Understanding and coding self-attention (Raschka)");

  section("Embedding an input sentence");
  // Row 1. A std::map is sorted, so its words are numbered in order.
  const std::vector<std::string> sentence = words_of("Life is short, eat dessert first");
  std::map<std::string, std::int32_t> dc;
  for (const std::string& word : sentence) dc[word] = 0;
  std::int32_t next = 0;
  for (auto& [word, id] : dc) id = next++;
  for (const auto& [word, id] : dc) say(word, ": ", id);
  CHECK(dc == std::map<std::string, std::int32_t>{
                  {"Life", 0}, {"dessert", 1}, {"eat", 2}, {"first", 3}, {"is", 4}, {"short", 5}});

  std::vector<std::int32_t> sentence_int;
  for (const std::string& word : sentence) sentence_int.push_back(dc[word]);
  CHECK(sentence_int == std::vector<std::int32_t>{0, 4, 5, 2, 1, 3});

  // Row 4. detach: the article does not train, here.
  Generator seed_for_embedding(123);
  nn::Embedding embed(6, 16);
  nn::initialize(embed, seed_for_embedding);
  const Tensor embedded_sentence = embed(sentence_int).detach();
  prints("embedded_sentence", embedded_sentence,
         {{0.3374, -0.1778, -0.3035, -0.5880, 0.3486, 0.6603, -0.2196, -0.3792,  //
           0.7671, -1.1925, 0.6984, -1.4097, 0.1794, 1.8951, 0.4954, 0.2692},
          {0.5146, 0.9938, -0.2587, -1.0826, -0.0444, 1.6236, -2.3229, 1.0878,  //
           0.6716, 0.6933, -0.9487, -0.0765, -0.1526, 0.1167, 0.4403, -1.4465},
          {0.2553, -0.5496, 1.0042, 0.8272, -0.3948, 0.4892, -0.2168, -1.7472,  //
           -1.6025, -1.0764, 0.9031, -0.7218, -0.5951, -0.7112, 0.6230, -1.3729},
          {-1.3250, 0.1784, -2.1338, 1.0524, -0.3885, -0.9343, -0.4991, -1.0867,  //
           0.8805, 1.5542, 0.6266, -0.1755, 0.0983, -0.0935, 0.2662, -0.5850},
          {-0.0770, -1.0205, -0.1690, 0.9178, 1.5810, 1.3010, 1.2753, -0.2010,  //
           0.4965, -1.5723, 0.9666, -1.1481, -1.1589, 0.3255, -0.6315, -2.8400},
          {0.8768, 1.6221, -1.4779, 1.1331, -1.2203, 1.3139, 1.0533, 0.1388,  //
           2.2473, -0.8036, -0.2808, 0.7697, -0.6596, -0.7979, 0.1838, 0.2293}});
  prints("embedded_sentence.shape", embedded_sentence.shape(), {6, 16});

  section("Defining the weight matrices");
  // Row 28. The weights are (d_q, d) here and stand on the left: W x.
  Generator generator(123);
  const Index d = embedded_sentence.shape()[1];
  const Index d_q = 24, d_k = 24, d_v = 28;
  const Tensor W_query = Tensor::rand({d_q, d}, generator);
  const Tensor W_key = Tensor::rand({d_k, d}, generator);
  const Tensor W_value = Tensor::rand({d_v, d}, generator);

  section("Computing the unnormalized attention weights");
  const Tensor x_2 = embedded_sentence[1];
  const Tensor query_2 = matmul(W_query, x_2);
  const Tensor key_2 = matmul(W_key, x_2);
  const Tensor value_2 = matmul(W_value, x_2);
  prints("query_2.shape", query_2.shape(), {24});
  prints("key_2.shape", key_2.shape(), {24});
  prints("value_2.shape", value_2.shape(), {28});

  const Tensor keys = transpose(matmul(W_key, transpose(embedded_sentence)));
  const Tensor values = transpose(matmul(W_value, transpose(embedded_sentence)));
  prints("keys.shape", keys.shape(), {6, 24});
  prints("values.shape", values.shape(), {6, 28});

  // Row 27. nn::Linear keeps its weight the same way round, (out, in), and computes x W^T.
  CHECK(difference(linear(embedded_sentence, W_key), keys) < 1e-5);
  CHECK(difference(matmul(embedded_sentence, transpose(W_key)), keys) < 1e-5);

  // Row 29.
  const Tensor omega_24 = matmul(query_2, keys[4]);
  prints("omega_24", omega_24, Tensor(11.1466));
  const Tensor omega_2 = matmul(query_2, transpose(keys));
  prints("omega_2", omega_2, {8.5808, -7.6597, 3.2558, 1.0395, 11.1466, -0.4800});

  section("Computing the attention weights");
  // Row 30.
  const Tensor attention_weights_2 = softmax(omega_2 / std::sqrt(d_k));
  prints("attention_weights_2", attention_weights_2,
         {0.2912, 0.0106, 0.0982, 0.0625, 0.4917, 0.0458});
  const Tensor context_vector_2 = matmul(attention_weights_2, values);
  prints("context_vector_2.shape", context_vector_2.shape(), {28});
  prints("context_vector_2", context_vector_2,
         {-1.5993, 0.0156,  1.2670,  0.0032,  -0.6460, -1.1407, -0.4908, -1.4632, 0.4747,  1.1926,
          0.4506,  -0.7110, 0.0602,  0.7125,  -0.1628, -2.0184, 0.3838,  -2.1188, -0.8136, -1.5694,
          0.7934,  -0.2911, -1.3640, -0.2366, -0.9564, -0.5265, 0.0624,  1.7084});

  // The same for all words at once is one call.
  const Tensor queries = linear(embedded_sentence, W_query);
  const auto [context, weights] = nn::attention(queries, keys, values);
  CHECK(difference(weights[1], attention_weights_2) < 1e-6);
  CHECK(difference(context[1], context_vector_2) < 1e-5);
  // Row 28. Scores need queries and keys of one size.
  CHECK_THROWS_WITH(nn::attention(slice(queries, 1, 0, 20), keys, values),
                    "attention: query (6, 20) and key (6, 24) need the same number of features: "
                    "20 against 24");

  section("Multi-head attention");
  // Row 31. The generator goes on where it was.
  const Index h = 3;
  const Tensor multihead_W_query = Tensor::rand({h, d_q, d}, generator);
  const Tensor multihead_W_key = Tensor::rand({h, d_k, d}, generator);
  const Tensor multihead_W_value = Tensor::rand({h, d_v, d}, generator);
  const Tensor multihead_query_2 = matmul(multihead_W_query, x_2);
  prints("multihead_query_2.shape", multihead_query_2.shape(), {3, 24});

  const Tensor stacked_inputs = repeat(transpose(embedded_sentence), {h, 1, 1});
  prints("stacked_inputs.shape", stacked_inputs.shape(), {3, 16, 6});
  Tensor multihead_keys = matmul(multihead_W_key, stacked_inputs);
  Tensor multihead_values = matmul(multihead_W_value, stacked_inputs);
  prints("multihead_keys.shape", multihead_keys.shape(), {3, 24, 6});
  prints("multihead_values.shape", multihead_values.shape(), {3, 28, 6});
  multihead_keys = permute(multihead_keys, {0, 2, 1});
  multihead_values = permute(multihead_values, {0, 2, 1});
  prints("multihead_keys.shape", multihead_keys.shape(), {3, 6, 24});
  prints("multihead_values.shape", multihead_values.shape(), {3, 6, 28});

  // Row 32. The steps above in each head, the contexts side by side.
  std::vector<Tensor> head_contexts;
  for (Index i = 0; i < h; ++i) {
    const Tensor q = linear(embedded_sentence, multihead_W_query[i]);
    CHECK(difference(q[1], multihead_query_2[i]) < 1e-5);
    head_contexts.push_back(nn::attention(q, multihead_keys[i], multihead_values[i]).context);
  }
  const Tensor multihead_context = concat(head_contexts, -1);
  prints("multihead_context.shape", multihead_context.shape(), {6, 3 * 28});

  // Row 33. The same, with the heads as an axis of the batch; and with one projection: its
  // weight holds those of the heads one below the other.
  const Tensor multihead_queries =
      linear(embedded_sentence, multihead_W_query.reshape({h * d_q, d}));
  const auto split = [&](const Tensor& x, Index size) {
    return permute(x.reshape({6, h, size}), {1, 0, 2});
  };
  const Tensor batched =
      nn::attention(split(multihead_queries, d_q), multihead_keys, multihead_values).context;
  CHECK(difference(permute(batched, {1, 0, 2}).reshape({6, h * d_v}), multihead_context) < 1e-5);

  section("Cross-attention");
  prints("embedded_sentence.shape", embedded_sentence.shape(), {6, 16});
  prints("query_2.shape", query_2.shape(), {24});
  prints("keys.shape", keys.shape(), {6, 24});
  prints("values.shape", values.shape(), {6, 28});

  // Row 36. Keys and values come from a second sentence, drawn right after W_value.
  Generator seed_for_cross_attention(123);
  seed_for_cross_attention.discard_uniform((d_q + d_k + d_v) * d);
  const Tensor embedded_sentence_2 = Tensor::rand({8, 16}, seed_for_cross_attention);
  const Tensor cross_keys = linear(embedded_sentence_2, W_key);
  const Tensor cross_values = linear(embedded_sentence_2, W_value);
  prints("cross keys.shape", cross_keys.shape(), {8, 24});
  prints("cross values.shape", cross_values.shape(), {8, 28});
  const auto cross = nn::attention(queries, cross_keys, cross_values);
  prints("cross weights.shape", cross.weights.shape(), {6, 8});
  prints("cross context.shape", cross.context.shape(), {6, 28});

  const auto attend = [&](const Tensor& from, const Tensor& to) {
    const Tensor k = linear(to, W_key);
    return nn::attention(linear(from, W_query), k, linear(to, W_value)).context;
  };
  CHECK(difference(attend(embedded_sentence, embedded_sentence_2), cross.context) == 0);
  CHECK(difference(attend(embedded_sentence, embedded_sentence), context) < 1e-5);
  CHECK_THROWS_WITH(attend(embedded_sentence, Tensor::zeros({8, 12})),
                    "linear: x (8, 12) has 12 features but weight (24, 16) expects 16");
}

// Row 31. The gradients of repeat, of the batched product and of permute: the same as those of one
// product for each head.
TEST_CASE("Raschka: gradients of the stacked heads", "[articles][raschka]") {
  Generator generator(123);
  Tensor x = Tensor::randn({6, 16}, generator).require_gradient();
  Tensor W = Tensor::rand({3, 24, 16}, generator).require_gradient();
  const Tensor dy = Tensor::randn({3, 6, 24}, generator);
  {
    Tape tape;
    const Tensor stacked = repeat(transpose(x), {3, 1, 1});
    tape.backward(permute(matmul(W, stacked), {0, 2, 1}), dy);
  }
  const Tensor dx = x.gradient().value().clone(), dW = W.gradient().value().clone();
  x.gradient().clear();
  W.gradient().clear();
  {
    Tape tape;
    tape.backward(stack({linear(x, W[0]), linear(x, W[1]), linear(x, W[2])}), dy);
  }
  CHECK(difference(dx, x.gradient().value()) < 1e-4);
  CHECK(difference(dW, W.gradient().value()) < 1e-4);
}

// Row 46. GPT's fused attention, which never keeps the weights of all positions at once, gives
// what the plain one gives for every head.
TEST_CASE("Raschka: fused attention equals the plain one", "[articles][raschka]") {
  Generator generator(123);
  const Index B = 2, T = 40, heads = 3, D = 8, C = heads * D;
  const Tensor qkv = Tensor::randn({B, T, 3 * C}, generator);
  const auto split = [&](Index part) {
    const Tensor x = slice(qkv, 2, part * C, (part + 1) * C);
    return transpose(x.reshape({B, T, heads, D}), 1, 2);
  };
  const Tensor plain = nn::attention(split(0), split(1), split(2), {.causal = true}).context;
  CHECK(difference(self_attention(qkv, heads), transpose(plain, 1, 2).reshape({B, T, C})) < 1e-5);
}

}  // namespace
}  // namespace articles
