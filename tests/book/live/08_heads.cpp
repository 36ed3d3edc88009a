// Chapter 8: attention over the words of a sentence, step by step, in two heads. A word's row and the three matrices
// are drawn from a seed: nothing is learned.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/check.h"
#include "engine/ops.h"
#include "nn/attention.h"
#include "tests/book/live/live.h"

using namespace engine;
using live::JsonObject;

namespace {

constexpr Index channels = 16, D = 8;

JsonObject answer(const live::Choices& choices) {
  const auto words = live::words(choices.text("text", 200));
  check(words.size() <= 10, "text: ", words.size(),
        " words, but the picture has room for 10; leave some out");
  std::vector<Id> ids;  // the same word has the same row
  for (const std::string_view word : words)
    ids.push_back(static_cast<Id>(std::ranges::find(words, word) - words.begin()));
  const Index T = std::ssize(words);
  Generator generator(static_cast<std::uint64_t>(choices.number("seed", 1, 0, 1e6)));
  const Tensor table = Tensor::randn({10, channels}, generator);
  const Tensor matrices =
      Tensor::randn({3 * channels, channels}, generator) / std::sqrt(double(channels));
  const Tensor qkv = linear(embedding(table, ids, {T}), matrices);
  nn::AttentionOptions options{.causal = choices.number("mask", 1, 0, 1) == 1};
  if (choices.number("scale", 1, 0, 1) == 0) options.scale = 1;
  std::vector<JsonObject> heads;
  std::string said;
  for (Index head = 0; head < channels / D; ++head) {
    const auto part = [&](Index n) {
      return slice(qkv, 1, n * channels + head * D, n * channels + (head + 1) * D);
    };
    const Tensor scores =
        matmul(part(0), transpose(part(1))) * options.scale.value_or(1 / std::sqrt(double(D)));
    const Tensor hidden = options.causal ? causal_mask(T, T) : Tensor::zeros({T, T});
    const nn::AttentionResult result = nn::attention(part(0), part(1), part(2), options);
    heads.push_back(JsonObject().add(
        "scores", live::rows(scores), "masked",
        live::rows(masked_fill(scores, hidden, -std::numeric_limits<real>::infinity())), "weights",
        live::rows(result.weights), "result", live::rows(result.context)));
    live::print(said, "  the weights of head %d\n", static_cast<int>(head + 1));
    for (Index i = 0; i < T; ++i) {
      said += "  " + live::column(at(words, i), 10);
      for (Index j = 0; j < T; ++j) live::print(said, " %5.2f", double(result.weights.at({i, j})));
      said += "\n";
    }
  }
  return JsonObject().add("words", live::json_array(words), "heads", live::json_array(heads),
                          "said", said);
}

const live::Figure figure(answer, "seed=1\nscale=1\nmask=1\ntext=the cat sees the small dog");

}  // namespace
