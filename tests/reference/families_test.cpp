// Models of the Llama and Qwen3 families against PyTorch: logits, loss and every gradient.
// make_families.py says how the numbers were made, from the papers and transformers' names.
//
// Tolerances: relative to the norm of the whole tensor, 1e-12 in double (sums of up to 200 terms in
// another order, through 15 products: some 1e-14; and 15 digits are stored), 1e-5 in float (the same
// with a unit of 6e-8 for 1e-16 gives 5e-6).
#include "tests/reference/families.h"

#include "engine/ops.h"
#include "engine/tape.h"

using engine::Index;
using engine::Tensor;

namespace {

const reference::Numbers& numbers() {
  static const reference::Numbers all("tests/reference/families.txt");
  return all;
}

struct Model {
  std::string name;
  reference::Keys keys;
  Index B, T;
};

const Model models[] = {{"llama_grouped", {11, 7, 2, 4, 16, 2, 0, 24, false, 1e-5, 10'000}, 2, 7},
                        {"llama_wide", {9, 12, 3, 3, 12, 0, 6, 20, true, 1e-6, 1'000'000}, 2, 9},
                        {"qwen3_grouped", {10, 8, 2, 4, 12, 1, 8, 16, true, 1e-6, 1'000'000}, 2, 8},
                        {"qwen3_long", {7, 133, 2, 2, 8, 1, 6, 12, false, 1e-5, 10'000}, 1, 133}};

}  // namespace

TEST_CASE("reference: Llama's and Qwen3's logits, loss and gradients as PyTorch has them") {
  for (const Model& m : models) {
    INFO(m.name);
    const std::string family = m.name.substr(0, m.name.find('_'));
    const model::Config config =
        reference::config_of(*engine::value_named<model::Family>(family), m.keys);
    model::GPT gpt(config);
    REQUIRE(reference::fill(gpt) == config.parameter_count());

    const std::vector<std::int32_t> ids = reference::ids_of(m.B * m.T, config.vocab_size);
    std::vector<std::int32_t> targets;
    for (Index i = 0; i < m.B * m.T; ++i)
      targets.push_back(i == 3 ? -1
                               : static_cast<std::int32_t>((2 * i * i + i) % config.vocab_size));
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
