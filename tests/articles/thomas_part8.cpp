// Giles Thomas, "Writing an LLM from scratch, part 8: trainable self-attention" (2025): what goes
// into an attention layer, the matrices as projections between spaces, and how n^2 dot products
// become five matrix products and a transpose.

#include <array>

#include "model/gpt/gpt.h"
#include "model/tokenizer/factory.h"
#include "tests/articles/walkthrough.h"

namespace articles {
namespace {

constexpr const char* mat = "the fat cat sat on the mat";

TEST_CASE("Thomas, part 8: what came before", "[articles][thomas]") {
  title("Writing an LLM from scratch, part 8 (Giles Thomas)");

  section("Text, tokens, embeddings");
  // Row 2. With any tokens, joining them gives the text back. The vocabulary for chunks of bytes has
  // the size that was given.
  const std::string text = std::string(mat) + ", the semi-fat semicircle of the semi-cat";
  using enum model::TokenizerKind;
  for (const model::TokenizerKind kind : {word, character, byte, bpe}) {
    const auto tokenizer = model::train_tokenizer(kind, text, 256 + 8);
    const model::TokenIds encoded = tokenizer->encode(text);
    std::vector<std::int32_t> ids(static_cast<std::size_t>(encoded.size()));
    encoded.copy(0, ids);
    std::string tokens;
    for (const std::int32_t id : ids)
      tokens.append(tokens.empty() ? "" : "|").append(tokenizer->token_bytes(id));
    say(engine::name_of(kind), ", ", tokenizer->vocabulary_size(), " tokens: ", tokens);
    CHECK(tokenizer->decode(ids) == text);
  }
  CHECK(model::train_tokenizer(model::TokenizerKind::bpe, text, 256 + 8)->vocabulary_size() == 264);

  // Rows 4, 5. A token's vector plus its position's.
  Generator generator(123);
  nn::Embedding wte(6, 4), wpe(7, 4);
  nn::initialize(wte, generator);
  nn::initialize(wpe, generator);
  const std::vector<std::int32_t> ids = {5, 1, 0, 4, 3, 5, 2};  // of the words, sorted
  const std::vector<std::int32_t> positions = {0, 1, 2, 3, 4, 5, 6};
  {
    Tape tape;
    const Tensor X = wte(ids) + wpe(positions);
    show("X", X);
    // "the" stands at two places: the same token, but not the same vector.
    CHECK(difference(wte(ids)[0], wte(ids)[5]) == 0);
    CHECK(difference(X[0], X[5]) > 0.1);
    // The gradient of a row of a table is the sum over the places where it was used.
    const Tensor dX = Tensor::randn({7, 4}, generator);
    tape.backward(X, dX);
    const Tensor dwte = wte.weight.gradient().value(), dwpe = wpe.weight.gradient().value();
    CHECK(difference(dwte[5], dX[0] + dX[5]) < 1e-6);
    CHECK(difference(dwte[1], dX[1]) == 0);
    CHECK(difference(dwpe, dX) == 0);
  }

  section("The next token");
  // Row 3. Position t predicts the token at t + 1. The loss is minus the mean logarithm of its
  // probability.
  model::GPT gpt({.vocab_size = 6, .block_size = 7, .n_layer = 1, .n_head = 2, .n_embd = 8});
  model::initialize(gpt, generator);
  const std::span<const std::int32_t> all = ids;
  const Tensor logits = gpt.logits(all.first(6), 1, 6);
  const Tensor log_p = log_softmax(logits)[0];
  double surprise = 0;
  for (Index t = 0; t < 6; ++t) surprise -= log_p.at({t, ids[static_cast<std::size_t>(t) + 1]});
  const Tensor loss = gpt.loss(all.first(6), all.last(6), 1, 6);
  show("loss", loss);
  CHECK(loss.item() == Approx(surprise / 6).epsilon(1e-5));
  CHECK(loss.item() == Approx(std::log(6)).epsilon(0.05));  // it knows nothing yet
}

TEST_CASE("Thomas, part 8: attention that is not trained", "[articles][thomas]") {
  section("A toy");
  // Row 7. Three lines.
  Generator generator(123);
  const std::vector<std::string> words = words_of(mat);
  const Tensor X = Tensor::randn({7, 3}, generator);
  const Tensor omega = matmul(X, transpose(X));
  const Tensor A = softmax(omega);
  const Tensor contexts = matmul(A, X);
  show("contexts", contexts);
  CHECK(contexts.shape() == X.shape());

  // Row 8. What softmax promises for any scores.
  CHECK(difference(sum(A, -1), Tensor::ones({7})) < 1e-6);
  const Tensor large = softmax(Tensor::of({1e4, -1e4, 1e4, 0}));
  CHECK(difference(large, Tensor::of({0.5, 0, 0.5, 0})) == 0);
  CHECK(difference(softmax(Tensor::of({1, 1, -INFINITY})), Tensor::of({0.5, 0.5, 0})) == 0);

  // Row 9. How much "cat" takes from each word.
  const std::string row = labeled(A[2].reshape({1, 7}), {words[2]}, words);
  say(row);
  CHECK(row.find("   fat   cat   sat    on   the   mat\ncat") != std::string::npos);
}

TEST_CASE("Thomas, part 8: matrices as projections", "[articles][thomas]") {
  section("From one space to another");
  // Row 16. With the vector on the right the matrix turns it counter-clockwise; with the vector on
  // the left, as a row, the same matrix turns it clockwise.
  const double angle = 0.5, c = std::cos(angle), s = std::sin(angle);
  const Tensor rotation = Tensor::of({{c, -s}, {s, c}});
  const Tensor right = Tensor::of({1, 0});
  show("rotation", rotation);
  CHECK(difference(matmul(rotation, right), Tensor::of({c, s})) < 1e-7);
  CHECK(difference(matmul(right, rotation), Tensor::of({c, -s})) < 1e-7);
  CHECK(difference(matmul(right, transpose(rotation)), matmul(rotation, right)) < 1e-7);
  // A 3 x 2 matrix takes points of space to the plane, as a photograph does.
  const Tensor photograph = Tensor::of({{1, 0}, {0, 1}, {0, 0}});
  const Tensor points = Tensor::of({{1, 2, 3}, {4, 5, 6}});
  const Tensor shadows = matmul(points, photograph);
  show("shadows", shadows);
  CHECK(difference(shadows, Tensor::of({{1, 2}, {4, 5}})) == 0);
}

// Writes down what happens on a tape.
struct Log : Tape::Observer {
  std::vector<std::string_view> ops;
  void recorded(const char* op, const Gradient&, std::span<const Gradient>) override {
    ops.push_back(op);
  }
  void ran_backward(const char*, const Gradient&, const Tensor&) override {}
};

TEST_CASE("Thomas, part 8: queries, keys and values", "[articles][thomas]") {
  section("Five matrix products and a transpose");
  // Row 15. From d = 3 numbers for each of n = 6 words to c = 2.
  const Index n = 6, d = 3, c = 2;
  Generator generator(123);
  const Tensor X = Tensor::rand({n, d}, generator);
  const Tensor W_q = Tensor::rand({d, c}, generator).require_gradient();
  const Tensor W_k = Tensor::rand({d, c}, generator).require_gradient();
  const Tensor W_v = Tensor::rand({d, c}, generator).require_gradient();

  // Row 11. All of it, as the tape saw it.
  Log log;
  Tape tape;
  tape.observe(&log);
  const Tensor Q = matmul(X, W_q);
  const Tensor K = matmul(X, W_k);
  const Tensor V = matmul(X, W_v);
  const Tensor omega = matmul(Q, transpose(K));
  const Tensor A = softmax(omega / std::sqrt(c));
  const Tensor Z = matmul(A, V);
  for (const std::string_view op : log.ops) page() << op << ' ';
  page() << '\n';
  CHECK(log.ops == std::vector<std::string_view>{"matmul", "matmul", "matmul", "permute", "matmul",
                                                 "div", "softmax", "matmul"});
  show("A", A);
  show("Z", Z);

  // Row 14. A query times K is not defined: K has a row for each word. Times its transpose it has.
  const Tensor q_m = slice(Q, 0, 1, 2);
  CHECK_THROWS_WITH(matmul(q_m, K), Catch::Contains("(1, 2)") && Catch::Contains("(6, 2)"));
  CHECK(matmul(q_m, transpose(K)).shape() == Shape{1, n});
  CHECK(difference(matmul(q_m, transpose(K))[0], omega[1]) < 1e-6);
}

// Row 12. One dot product after another, as the formulas are written:
//     omega_mp = q_m . k_p / sqrt c,  a_m = softmax(omega_m),  z_m = sum_p a_mp v_p
Tensor attention_by_loops(const Tensor& Q, const Tensor& K, const Tensor& V) {
  const Index n = Q.shape()[0], c = Q.shape()[1];
  std::vector<Tensor> Z;
  for (Index m = 0; m < n; ++m) {
    std::vector<Tensor> omega;
    for (Index p = 0; p < n; ++p) omega.push_back(matmul(Q[m], K[p]) / std::sqrt(c));
    const Tensor a = softmax(stack(omega));
    Tensor z = a[0] * V[0];
    for (Index p = 1; p < n; ++p) z = z + a[p] * V[p];
    Z.push_back(z);
  }
  return stack(Z);
}

TEST_CASE("Thomas, part 8: loops and matrices, one and many", "[articles][thomas]") {
  section("Loops and matrices");
  double largest = 0;
  for (const auto& [n, d, c] :
       {std::array<Index, 3>{1, 1, 1}, {2, 3, 2}, {6, 3, 2}, {7, 5, 9}, {13, 16, 8}, {20, 4, 24}}) {
    Generator generator(123);
    nn::Attention attention(d, d, c, c);
    nn::initialize(attention, generator);
    const Tensor X = Tensor::randn({n, d}, generator);
    const Tensor by_loops =
        attention_by_loops(attention.W_query(X), attention.W_key(X), attention.W_value(X));
    INFO("n " << n << ", d " << d << ", c " << c);
    largest = std::max(largest, difference(by_loops, attention(X).context));
    CHECK(difference(by_loops, attention(X).context) < 1e-6);

    // Row 40. A batch is a tensor of order three; each of its sequences is on its own.
    const Tensor batch = attention(stack({X, X})).context;
    CHECK(batch.shape() == Shape{2, n, c});
    CHECK(difference(batch[0], batch[1]) == 0);
    CHECK(difference(batch[0], attention(X).context) < 1e-6);
  }
  say("largest difference: ", largest);
}

}  // namespace
}  // namespace articles
