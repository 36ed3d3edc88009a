#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>

#include "model/gpt/attention_weights.h"
#include "train/report/data.h"
#include "train/report/text.h"
#include "train/system/words.h"

namespace train {
namespace {

std::string short_weight(double weight) {
  std::string text = fixed_text(weight, 4);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text.size() > 1 && text.front() == '0' ? text.substr(1) : text;
}

}  // namespace

std::string weights_text(std::span<const engine::real> weights, Index n, bool causal) {
  std::string text;
  for (Index row = 0; row < n; ++row)
    for (Index column = 0; column < (causal ? row + 1 : n); ++column) {
      if (row > 0 || column > 0) text += column == 0 ? ';' : ' ';
      text += short_weight(static_cast<double>(engine::at(weights, row * n + column)));
    }
  return text;
}

Index tokens_on_maps(Index heads, bool causal) {
  constexpr Index most_bytes = 150'000, most_tokens = 40, of_weight = 6;
  const auto bytes = [&](Index n) { return (causal ? n * (n + 1) / 2 : n * n) * of_weight; };
  Index n = most_tokens;
  while (n > 2 && heads * bytes(n) > most_bytes) --n;
  return n;
}

std::optional<JsonObject> attention_of(const ReportedRun& run,
                                       std::span<const std::int32_t> shown) {
  if (shown.size() < 2) return {};
  const model::Config& config = run.model.gpt.config;
  const Index n = std::ssize(shown);
  const auto heads = [&](const engine::Tensor& weights) {
    return json_array(config.n_head, [&](Index head) {
      const std::size_t size = engine::unsigned_size(n * n);
      return weights_text(weights.values().subspan(engine::unsigned_size(head) * size, size), n,
                          config.causal);
    });
  };
  const auto label = [&](std::int32_t token) {
    return json_text(label_of(run.tokenizer().token_bytes(token)));
  };
  return JsonObject().add("text", json_text(run.tokenizer().decode(shown)), "tokens",
                          json_array(shown, label), "layers",
                          json_array(model::attention_weights(run.model.gpt, shown), heads));
}

}  // namespace train
