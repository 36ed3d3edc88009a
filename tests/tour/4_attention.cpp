// Tour, 4 of 8: attention, one step at a time, for the tutorials' six words.
//
//     scores = Q K^T / sqrt(C)        how well each word's query fits each word's key
//     weights = softmax(scores)       each row sums to 1; causal: no word sees a later one
//     context = weights V             for each word, a mean of the values
#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "engine/attention.h"
#include "engine/ops.h"
#include "nn/layers.h"

using namespace engine;

namespace {

const std::vector<std::string> words = {"Life", "is", "short", "eat", "dessert", "first"};
constexpr Index T = 6, C = 4, H = 1;

// A row for each query, a column for each key.
void table(const char* title, const Tensor& x) {
  std::printf("%s\n%10s", title, "");
  for (const std::string& word : words) std::printf("%8s", word.c_str());
  std::printf("\n");
  for (Index i = 0; i < T; ++i) {
    std::printf("%10s", words[static_cast<std::size_t>(i)].c_str());
    for (Index j = 0; j < T; ++j) std::printf("%8.2f", static_cast<double>(x.at({i, j})));
    std::printf("\n");
  }
  std::printf("\n");
}

double largest_difference(const Tensor& a, const Tensor& b) {
  const Tensor difference = (a - b).reshape({a.size()});
  return std::fmax(static_cast<double>(max(difference).item()),
                   static_cast<double>(max(-difference).item()));
}

}  // namespace

int main() {
  // Each word is a vector of C numbers, drawn at random: nothing has been learned yet.
  Generator generator(123);
  nn::Embedding embedding(T, C);
  nn::Linear qkv(C, 3 * C, false);  // queries, keys and values, one after another
  nn::initialize(embedding, generator);
  nn::initialize(qkv, generator);
  const std::vector<std::int32_t> ids = {0, 4, 5, 2, 1, 3};  // places in the sorted list of words
  const Tensor x = embedding(ids), projected = qkv(x) * 2;   // 2: so that the weights differ more
  std::cout << "six words as vectors, x " << x.shape() << ":\n" << x << "\n\n";

  const Tensor query = slice(projected, 1, 0, C), key = slice(projected, 1, C, 2 * C),
               value = slice(projected, 1, 2 * C, 3 * C);
  const Tensor scores = matmul(query, transpose(key)) / std::sqrt(double{C});
  table("scores = Q K^T / sqrt(C): rows are queries, columns keys", scores);

  table("softmax of each row, every word sees all six (as in BERT)", softmax(scores));

  const Tensor causal = masked_fill(scores, causal_mask(T, T), -INFINITY),
               weights = softmax(causal);
  table("with the causal mask: a word sees itself and the words before it (as in GPT)", weights);

  const Tensor context = matmul(weights, value);
  std::cout << "context = weights V, for each word a mean of the values it sees:\n"
            << context << "\n\n";

  // The op that GPT uses does all of this for all heads (here H = 1), without keeping (T, T) scores.
  const Tensor fused = self_attention(projected.reshape({1, T, 3 * C}), H).reshape({T, C});
  std::printf("self_attention, fused into one op, differs by less than 1e-6: %s\n",
              largest_difference(fused, context) < 1e-6 ? "yes" : "NO");
  std::printf("\nnext: make tour N=5 (tests/tour/5_gpt.cpp)\n");
}
