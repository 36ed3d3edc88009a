#include <cmath>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/ops.h"
#include "model/gpt/attention_weights.h"
#include "train/report/attention_map.h"
#include "train/report/html.h"
#include "train/report/measures.h"
#include "train/report/sections.h"

namespace train {

using engine::fixed_text;
using engine::joined;
using engine::Tensor;

namespace {

// The weights of one head, (n, n).
std::span<const engine::real> head_of(const Tensor& weights, Index head) {
  const Index size = weights.shape()[1] * weights.shape()[2];
  return weights.values().subspan(engine::unsigned_size(head * size), engine::unsigned_size(size));
}

// The entropies of all heads: a row for each layer.
std::string entropy_table(const std::vector<Tensor>& weights, bool causal) {
  const Index H = weights[0].shape()[0], n = weights[0].shape()[1];
  double even = 0;  // of weights that are all the same
  for (Index row = 0; row < n; ++row)
    even += std::log(static_cast<double>(causal ? row + 1 : n)) / static_cast<double>(n);
  std::vector<std::string> columns{"layer"};
  for (Index h = 0; h < H; ++h) columns.push_back(joined("head ", h + 1));
  std::string rows;
  for (Index layer = 0; layer < std::ssize(weights); ++layer) {
    std::string cells;
    for (Index h = 0; h < H; ++h) {
      const double entropy = mean_entropy(head_of(engine::at(weights, layer), h), n);
      cells += element("td", {{"style", tint("shade", static_cast<int>(45 * entropy / even))}},
                       fixed_text(entropy, 2));
    }
    rows += table_row(joined(layer + 1), cells);
  }
  return scrolling_table("Entropy of each head", columns, rows,
                         {{"class", "heat"}, {"id", "entropy"}}) +
         note(joined(
             "Entropy of a head's weights in nats, the mean over the tokens: 0 if each looks "
             "at one token only, ",
             fixed_text(even, 2), " if each looks at all alike."));
}

}  // namespace

std::string attention_section(const Subject& run, std::span<const std::int32_t> prompt) {
  if (prompt.size() < 2) return {};
  const model::Config& config = run.model.gpt.config;
  const std::vector<Tensor> weights = model::attention_weights(run.model.gpt, prompt);
  std::vector<std::string> tokens;
  for (const std::int32_t id : prompt) tokens.push_back(label_of(run.tokenizer().token_bytes(id)));
  std::string html =
      element(
          "p", {},
          "Each row is a token that looks, each column a token that is looked at; the stronger\n"
          "the colour, the larger the weight with which it takes that token&#39;s value. A click "
          "or\nthe enter key enlarges a map. The prompt:") +
      "\n" + quote(run.tokenizer().decode(prompt)) + "\n" + entropy_table(weights, config.causal) +
      map_scale(std::ssize(prompt));
  for (Index layer = 0; layer < std::ssize(weights); ++layer) {
    const Tensor &heads = engine::at(weights, layer), mean = engine::mean(heads, 0);
    const auto map = [&](const std::string& title, const std::string& head, auto values) {
      return train::html(AttentionMap{joined("layer ", layer + 1, ", ", title), joined(layer + 1),
                                      head, values, tokens, config.causal});
    };
    std::string maps;
    if (config.n_head > 1) maps += map("mean of the heads", "mean", mean.values());
    for (Index h = 0; h < config.n_head; ++h)
      maps += map(joined("head ", h + 1), joined(h + 1), head_of(heads, h));
    html +=
        element("h3", {}, joined("Layer ", layer + 1)) + element("div", {{"class", "maps"}}, maps);
  }
  return html;
}

}  // namespace train
