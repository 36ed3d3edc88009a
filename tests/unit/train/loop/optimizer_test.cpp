// Which parameters each optimizer of a run updates, and that both together update as each does
// alone.
#include "train/loop/optimizer.h"

#include <cmath>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/unit/model/models.h"
#include "tests/unit/train/loop/settings.h"
#include "train/loop/shares.h"
#include "train/loop/training.h"

using namespace train;
using engine::real;
using engine::Tensor;

namespace {

Plan small_plan(model::Family family, OptimizerKind optimizer) {
  Plan plan = sized(
      {.vocab_size = 7, .block_size = 6, .n_layer = 2, .n_head = 4, .n_embd = 16, .bias = true});
  model::set_architecture(plan, family);
  if (family != model::Family::gpt2) plan.n_kv_head = 2;
  plan.tie_weights = family == model::Family::gpt2;
  plan.optimizer = optimizer;
  plan.weight_decay = 0.3;
  plan.beta1 = 0.8;
  plan.beta2 = 0.9;
  plan.grad_clip = 0.5;
  return plan;
}

struct Model {
  explicit Model(const Plan& plan) : gpt(models::initialized(plan, 1)), parameters(gpt) {}
  void give_gradients(int t) {
    std::uint64_t seed = 1000 * static_cast<std::uint64_t>(t);
    for (const auto& entry : parameters.entries()) {
      engine::Generator generator(++seed);
      entry.tensor.gradient().accumulate(Tensor::randn(entry.tensor.shape(), generator));
    }
  }
  std::vector<real> values() const {
    const real* const begin = parameters.values();
    return std::vector<real>(begin, begin + parameters.size());
  }
  model::GPT gpt;
  nn::FlatParameters parameters;
};

}  // namespace

// With Muon, a head's queries and keys, all values, gate and value are matrices. AdamW has all else.
TEST_CASE("optimizer: nn::Muon of the blocks' matrices and nn::AdamW of all else, by hand") {
  for (const model::Family family : {model::Family::gpt2, model::Family::llama})
    for (const OptimizerKind kind : {OptimizerKind::adamw, OptimizerKind::muon}) {
      const Plan plan = small_plan(family, kind);
      const bool llama = family == model::Family::llama;
      Model model(plan), by_hand(plan);
      Optimizers optimizer(plan, model.parameters);
      std::vector<Tensor> all, others;
      std::vector<nn::ParameterGroup> matrices;
      for (const auto& entry : by_hand.parameters.entries()) {
        all.push_back(entry.tensor);
        const auto is = [&](const char* part) { return entry.name.ends_with(part); };
        if (kind == OptimizerKind::adamw)
          others.push_back(entry.tensor);
        else if (
            is("attn.c_attn.weight"))  // heads of 4; llama: two heads of keys for four of queries
          matrices.push_back({.parameters = {entry.tensor},
                              .parts = llama ? std::vector<Index>{4, 4, 4, 4, 4, 4, 8}
                                             : std::vector<Index>{4, 4, 4, 4, 4, 4, 4, 4, 16}});
        else if (is("mlp.c_fc.weight") && llama)  // 8/3 of 16, up to a multiple of 32
          matrices.push_back({.parameters = {entry.tensor}, .parts = {64, 64}});
        else if (is("mlp.c_fc.weight") || is("c_proj.weight"))
          matrices.push_back({.parameters = {entry.tensor}});
        else
          others.push_back(entry.tensor);
      }
      nn::AdamW adamw(nn::decay_matrices(others), plan);
      nn::Muon muon(matrices, {.weight_decay = plan.weight_decay});
      for (int t = 0; t < 3; ++t) {
        model.give_gradients(t);
        by_hand.give_gradients(t);
        const double norm = nn::gradient_norm(all);
        CHECK(optimizer.step(0.01) == norm);
        adamw.apply(0.01, nn::clipping_factor(norm, 0.5));
        muon.apply(0.01, nn::clipping_factor(norm, 0.5));
      }
      INFO(engine::name_of(family) << ", " << engine::name_of(kind));
      CHECK(model.values() == by_hand.values());
      // What a checkpoint holds of each parameter.
      Index in_adamw = 0, in_muon = 0;
      for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& [first, second] = optimizer.moments()[i];
        const Index last = all[i].size() - 1;
        if (second == nullptr) {
          CHECK(first[last] == muon.first_moment(in_muon++)[last]);
        } else {
          CHECK(first[last] == adamw.first_moment(in_adamw)[last]);
          CHECK(second[last] == adamw.second_moment(in_adamw++)[last]);
        }
      }
      CHECK(in_muon == std::ssize(matrices));
    }
}

// As train/loop/trainer.cpp does it, with what processes send each other copied here.
TEST_CASE("optimizer: dealt out, each owner makes the update of one that has all") {
  for (const OptimizerKind kind : {OptimizerKind::adamw, OptimizerKind::muon}) {
    const Plan plan = small_plan(model::Family::llama, kind);
    Model whole(plan);
    Optimizers one(plan, whole.parameters);
    constexpr int P = 4;
    std::deque<Model> models;
    std::deque<Optimizers> optimizers;
    std::vector<nn::Own> own;
    for (int rank = 0; rank < P; ++rank) {
      models.emplace_back(plan);
      optimizers.emplace_back(plan, models.back().parameters);
      own.push_back(Shares(models.back().parameters, {.count = P, .rank = rank}).own());
      REQUIRE(own.back().begin < own.back().end);
    }
    for (int t = 0; t < 3; ++t) {
      whole.give_gradients(t);
      const double norm = one.step(0.01);
      std::vector<double> sums;
      for (std::size_t r = 0; r < P; ++r) {
        models[r].give_gradients(t);
        const auto& entries = models[r].parameters.entries();
        std::vector<Tensor> all;
        for (Index i = 0; i < std::ssize(entries); ++i) {
          const Tensor& parameter = engine::at(entries, i).tensor;
          if (i < own[r].begin || i >= own[r].end)  // not summed, and not read
            *parameter.gradient().destination().data = real(NAN);
          all.push_back(parameter);
        }
        own[r].gather = [&](std::span<double> of_pieces) {
          sums.resize(of_pieces.size());
          for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += of_pieces[i];
        };
        (void)nn::gradient_norm(all, own[r]);
      }
      for (std::size_t r = 0; r < P; ++r) {
        own[r].gather = [&](std::span<double> of_pieces) {
          std::ranges::copy(sums, of_pieces.begin());
        };
        CHECK(optimizers[r].step(0.01, own[r]) == norm);
        for (Index i = own[r].begin; i < own[r].end; ++i)
          for (Model& other : models)
            std::ranges::copy(engine::at(models[r].parameters.entries(), i).tensor.values(),
                              engine::at(other.parameters.entries(), i).tensor.mutable_data());
      }
      INFO(engine::name_of(kind) << ", update " << t);
      for (std::size_t r = 0; r < P; ++r) {
        CHECK(models[r].values() == whole.values());
        for (Index i = own[r].begin; i < own[r].end; ++i) {
          const Index n = engine::at(whole.parameters.entries(), i).tensor.size();
          const auto mine = engine::at(optimizers[r].moments(), i),
                     all = engine::at(one.moments(), i);
          CHECK(std::equal(mine.first, mine.first + n, all.first));
          if (all.second != nullptr) CHECK(std::equal(mine.second, mine.second + n, all.second));
        }
      }
    }
  }
}

TEST_CASE("optimizer: a norm that is not finite changes nothing") {
  const Plan plan = small_plan(model::Family::gpt2, OptimizerKind::muon);
  Model model(plan);
  Optimizers optimizer(plan, model.parameters);
  model.give_gradients(1);
  const std::vector<real> before = model.values();
  Tensor bad = Tensor::zeros(model.gpt.ln_f.weight.shape());
  bad.mutable_data()[0] = real(NAN);
  model.gpt.ln_f.weight.gradient().accumulate(bad);
  CHECK_FALSE(std::isfinite(optimizer.step(0.01)));
  CHECK(model.values() == before);
}

TEST_CASE("optimizer: an update's products are Muon's, of each matrix by itself") {
  Plan plan = sized({.vocab_size = 5, .block_size = 8, .n_layer = 3, .n_head = 4, .n_embd = 16});
  CHECK(Optimizers::flops(plan) == 0);
  plan.optimizer = OptimizerKind::muon;
  const auto of = [](double n, double m) { return 9 * n * n * n + 3 * n * n * m; };
  // Four heads of queries and of keys; the values and their projection; 16 x 64 and back.
  CHECK(Optimizers::flops(plan) == 3 * (8 * of(4, 16) + 2 * of(16, 16) + 2 * of(16, 64)));
  plan.n_kv_head = 2;
  plan.activation = nn::Activation::swiglu;
  plan.n_inner = 40;
  CHECK(Optimizers::flops(plan) == 3 * (6 * of(4, 16) + of(8, 16) + of(16, 16) + 3 * of(16, 40)));
}
