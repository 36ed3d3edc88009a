// The weights of GPT-2 and of the model that `gradus train data/fables.txt` makes, part by part.
#include "engine/base/check.h"
#include "engine/base/text.h"
#include "model/gpt/config.h"
#include "tests/book/by_hand/by_hand.h"
#include "train/run/defaults.h"

using engine::Index;

namespace {

struct Parts {
  explicit Parts(const model::Config& config)
      : blocks(config.n_layer), hidden(config.hidden_size()), in_all(config.parameter_count()) {
    const Index C = config.n_embd, rows = config.bias ? 2 * C : C;  // of a norm
    tokens = config.vocab_size * C;
    if (config.position == nn::PositionKind::learned) positions = config.block_size * C;
    for (int i = 0; const engine::Shape& matrix : config.block_matrices()) {
      (i++ < 2 ? attention : feed_forward) += matrix.size();
      if (config.bias) biases += matrix[0];
    }
    norms = 2 * rows + (config.qk_norm ? 2 * config.head_size() : 0);
    matrices = tokens + blocks * (attention + feed_forward);
    last_norm = rows;
    engine::check(in_all == matrices + positions + blocks * (norms + biases) + last_norm, "sum");
  }
  Index blocks, hidden, in_all, tokens = 0, positions = 0, attention = 0, feed_forward = 0,
                                biases = 0, norms = 0, last_norm = 0, matrices = 0;
};

void print(std::ostream& out) {
  model::Config gpt2{.vocab_size = 50257,
                     .block_size = 1024,
                     .n_layer = 12,
                     .n_head = 12,
                     .n_embd = 768,
                     .bias = true};
  model::set_architecture(gpt2, model::Family::gpt2);
  const Parts a(gpt2), b(train::default_plan(195'874, 769, train::Recipe::best));
  const auto row = [&](const char* name, Index x, Index y) {
    by_hand::print(out, "  %-34s %12s %12s\n", name, engine::count_text(x).c_str(),
                   engine::count_text(y).c_str());
  };
  by_hand::print(out, "  %-34s %12s %12s\n", "", "GPT-2", "the fables'");
  row("table of tokens, also the head", a.tokens, b.tokens);
  row("table of positions", a.positions, b.positions);
  row("a block: attention's matrices", a.attention, b.attention);
  row("  feed-forward's matrices", a.feed_forward, b.feed_forward);
  row("  biases", a.biases, b.biases);
  row("  norms", a.norms, b.norms);
  row("blocks", a.blocks, b.blocks);
  row("the norm after them", a.last_norm, b.last_norm);
  row("in all", a.in_all, b.in_all);
  row("tokens and matrices of blocks alone", a.matrices, b.matrices);
  row("hidden features of feed-forward", a.hidden, b.hidden);
}

const by_hand::Registered registered(print);

}  // namespace
