// Models of the Llama and Qwen3 families against PyTorch: logits, loss and every gradient.
// make_families.py says how the numbers were made, from the papers and transformers' names.
//
// Tolerances: relative to the norm of the whole tensor, 1e-12 in double (sums of up to 200 terms in
// another order, through 15 products: some 1e-14; and 15 digits are stored), 1e-5 in float (the same
// with a unit of 6e-8 for 1e-16 gives 5e-6).
#include <algorithm>

#include "engine/ops.h"
#include "engine/tape.h"
#include "tests/reference/families.h"

using engine::Index;
using engine::Tensor;

namespace {

const reference::Numbers& numbers() {
  static const reference::Numbers all("tests/reference/families.txt");
  return all;
}

// The keys of config.json that decide, as make_families.py has them.
struct Model {
  std::string name;
  model::Config config;
  Index B, T;
};

const Model models[] = {
    {"llama_grouped",
     {.vocab_size = 11,
      .block_size = 7,
      .n_layer = 2,
      .n_head = 4,
      .n_embd = 16,
      .n_kv_head = 2,
      .tie_weights = false,
      .n_inner = 24,
      .norm_eps = 1e-5,
      .rope_theta = 10'000},
     2,
     7},
    {"llama_wide",
     {.vocab_size = 9,
      .block_size = 12,
      .n_layer = 3,
      .n_head = 3,
      .n_embd = 12,
      .head_dim = 6,
      .n_inner = 20,
      .norm_eps = 1e-6,
      .rope_theta = 1'000'000},
     2,
     9},
    {"qwen3_grouped",
     {.vocab_size = 10,
      .block_size = 8,
      .n_layer = 2,
      .n_head = 4,
      .n_embd = 12,
      .n_kv_head = 1,
      .head_dim = 8,
      .n_inner = 16,
      .norm_eps = 1e-6,
      .rope_theta = 1'000'000},
     2,
     8},
    {"qwen3_long",
     {.vocab_size = 7,
      .block_size = 133,
      .n_layer = 2,
      .n_head = 2,
      .n_embd = 8,
      .n_kv_head = 1,
      .tie_weights = false,
      .head_dim = 6,
      .n_inner = 12,
      .norm_eps = 1e-5,
      .rope_theta = 10'000},
     1,
     133},
};

}  // namespace

TEST_CASE("reference: Llama's and Qwen3's logits, loss and gradients as PyTorch has them") {
  for (const Model& m : models) {
    INFO(m.name);
    model::Config config = m.config;
    const std::string family = m.name.substr(0, m.name.find('_'));
    model::set_architecture(config, *engine::value_named<model::Family>(family));
    model::GPT gpt(config);
    REQUIRE(reference::fill(gpt) == config.parameter_count());

    std::vector<std::int32_t> ids, targets;
    for (Index i = 0; i < m.B * m.T; ++i) {
      ids.push_back(static_cast<std::int32_t>((3 * i * i + 5 * i + 1) % config.vocab_size));
      targets.push_back(i == 3 ? -1
                               : static_cast<std::int32_t>((2 * i * i + i) % config.vocab_size));
    }
    constexpr double tolerance = golden::in_double ? 1e-12 : 1e-5;
    const auto check = [&](const std::string& name, const golden::Values& got) {
      numbers().check(m.name + "." + name, got, tolerance);
    };
    check("logits", reference::values(gpt.logits(ids, m.B, m.T)));
    engine::Tape tape;
    const Tensor loss = gpt.loss(ids, targets, m.B, m.T);
    check("loss", reference::values(loss));
    tape.backward(loss);
    for (const reference::Part& part : reference::parts_of(gpt))
      check("gradient." + part.name, part.rows_of(part.tensor.gradient().value()));
  }
}
