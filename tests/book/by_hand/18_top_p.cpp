// top-p on five tokens: the probabilities, what is kept, and what 10,000 draws give.
#include <span>
#include <vector>

#include "engine/ops.h"
#include "model/generate/sampler.h"
#include "tests/book/by_hand/by_hand.h"

using engine::Tensor;

namespace {

void print(std::ostream& out) {
  const std::vector<engine::real> logits = {1, 3, 0, 2, -1};
  constexpr int draws = 10'000;
  for (const double temperature : {1.0, 0.5, 2.0}) {
    const Tensor x = Tensor::of({5}, std::span<const engine::real>(logits));
    const Tensor p = engine::softmax(x / temperature);
    const model::Sampling sampling{.temperature = temperature, .top_k = 0, .top_p = 0.8};
    model::Sampler sampler(sampling, 1);
    std::vector<int> drawn(5);
    for (int i = 0; i < draws; ++i) ++drawn[engine::unsigned_size(sampler.choose(logits, {}))];
    by_hand::print(out, "  temperature %.1f, top_p 0.8\n", temperature);
    by_hand::print(out, "    token  logit       p  those before   drawn of 10,000\n");
    double before = 0;
    for (const int token : {1, 3, 0, 2, 4}) {
      const double probability = static_cast<double>(p.at({token}));
      by_hand::print(out, "    %5d  %5.0f  %6.4f  %12.4f  %16d%s\n", token,
                     static_cast<double>(logits[engine::unsigned_size(token)]), probability, before,
                     drawn[engine::unsigned_size(token)], before < 0.8 ? "" : "   dropped");
      before += probability;
    }
  }
}

const by_hand::Registered registered(print);

}  // namespace
