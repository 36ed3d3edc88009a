// Chapter 8: attention over the words of a sentence, step by step, in two heads. A vector for each letter and the three
// matrices are drawn from a seed: nothing is learned. A word's row is the sum of its letters' vectors, so words that share
// letters have similar rows. Or of the last layer of the model that the reader has trained.
#include <cmath>
#include <limits>

#include "engine/base/check.h"
#include "engine/ops.h"
#include "nn/attention.h"
#include "tests/book/live/live.h"
#include "train/page/page.h"

using namespace engine;
using live::JsonObject;

namespace {

constexpr Index channels = 16, D = 8;

JsonObject trained(std::string_view text) {
  live::take_model(true);
  const model::JsonText maps = live::of_page(attention(text.data(), static_cast<int>(text.size())));
  const model::Json json(maps.json);
  return JsonObject().add("trained", maps, "said",
                          live::heads_text(json.root().at("tokens"), json.root().at("heads")));
}

JsonObject answer(const live::Choices& choices) {
  if (choices.text("model") == "yours") return trained(choices.text("text", 200));
  const auto words = live::words(choices.text("text", 200));
  check(words.size() <= 10, "text: ", words.size(), " words; the picture has room for 10");
  const Index T = std::ssize(words);
  Generator generator(static_cast<std::uint64_t>(choices.number("seed", 1, 0, 1e6)));
  const Tensor table = Tensor::randn({256, channels}, generator);
  std::vector<Tensor> x;
  for (const std::string_view word : words) {
    std::vector<Id> letters;
    for (const char letter : word) letters.push_back(letter & 255);  // a byte
    x.push_back(sum(embedding(table, letters, {std::ssize(word)}), 0) /
                std::sqrt(double(word.size())));
  }
  const Tensor matrices = Tensor::randn({3 * channels, channels}, generator),
               qkv = linear(stack(x), matrices / std::sqrt(double(channels)));
  nn::AttentionOptions options{.causal = choices.number("mask", 1, 0, 1) == 1};
  if (choices.number("scale", 1, 0, 1) == 0) options.scale = 1;
  std::vector<JsonObject> heads;
  std::vector<model::JsonText> weights;
  for (Index head = 0; head < channels / D; ++head) {
    const auto part = [&](Index n) {
      return slice(qkv, 1, n * channels + head * D, n * channels + (head + 1) * D);
    };
    const Tensor scores =
        matmul(part(0), transpose(part(1))) * options.scale.value_or(1 / std::sqrt(double(D)));
    const Tensor hidden = options.causal ? causal_mask(T, T) : Tensor::zeros({T, T});
    const nn::AttentionResult result = nn::attention(part(0), part(1), part(2), options);
    weights.push_back(live::rows(result.weights));
    heads.push_back(JsonObject().add(
        "scores", live::rows(scores), "masked",
        live::rows(masked_fill(scores, hidden, -std::numeric_limits<real>::infinity())), "weights",
        weights.back(), "result", live::rows(result.context)));
  }
  const model::JsonText names = live::json_array(words);
  return JsonObject().add("words", names, "heads", live::json_array(heads), "said",
                          live::heads_text(model::Json(names.json).root(),
                                           model::Json(live::json_array(weights).json).root()));
}

const live::Figure figure(
    answer, "model=printed\nseed=1\nscale=1\nmask=1\ntext=the cat sees the small dog");

}  // namespace
