#include "train/loop/training.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "engine/base/storage.h"
#include "engine/kernels/reduce.h"
#include "train/loop/cost.h"
#include "train/loop/gradient_sum.h"

namespace train {

using engine::kernels::parallel_all_finite;

double training_bytes(const Plan& plan) {
  const double parameters =
      engine::pool::block_bytes(sizeof(engine::real) * static_cast<double>(plan.parameter_count()));
  const double packed = plan.sample_interval > 0 ? parameters : 0;  // for a sample, between updates
  const Index put_aside = GradientSum::blocks(plan.gradient_accumulation_steps);
  return (2 + static_cast<double>(put_aside)) * parameters + Optimizers::bytes(plan) +
         std::max(packed, activation_bytes(plan, plan.batch_size, plan.block_size));
}

Training::Training(const Plan& plan_, model::GPT gpt_)
    : plan(plan_),
      gpt(std::move(gpt_)),
      parameters(gpt),
      optimizer(plan, parameters),
      generator(plan.seed) {}

// The seed is a hash of the run's seed and the number: sums would give runs with neighboring seeds
// the same generators (SplitMix64's mixing, Steele, Lea and Flood, 2014; a generator takes its low
// 32 bits).
engine::Generator Training::dropout_generator(Index number) const {
  std::uint64_t x = (plan.seed << 32) + static_cast<std::uint64_t>(number);
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return engine::Generator(x ^ x >> 31);
}

Training::Training(const Plan& plan_, const Corpus& corpus) : Training(plan_, model::GPT(plan_)) {
  model::initialize(gpt, generator, plan.init_std);
  begin(corpus);
}

Training::Training(const Plan& plan_, model::GPT& weights, const Corpus& corpus)
    : Training(plan_, model::GPT(plan_)) {
  begins_with_a_model = true;
  model::copy_weights(weights, gpt);
  begin(corpus);
}

void Training::begin(const Corpus& corpus) {
  next_batch.resize(static_cast<std::size_t>(plan.batch_size));
  draw_batch(corpus, 0);
}

void Training::draw_batch(const Corpus& corpus, Index number) {
  if (plan.batches != BatchOrder::shuffled)
    return corpus.draw(Split::train, plan.block_size, generator, next_batch);
  if (!shuffled) shuffled.emplace(corpus.size(Split::train), plan.block_size, plan.seed);
  shuffled->get(number * plan.batch_size, next_batch);
}

void Training::check_finite() const {
  const auto check = [&](const char* what, const auto& entry, const engine::real* values) {
    if (values != nullptr && !parallel_all_finite(entry.tensor.size(), values))
      throw Diverged(step, joined("the ", what, entry.name, " is no longer finite"));
  };
  const std::vector<nn::NamedParameter>& entries = parameters.entries();
  for (const auto& entry : entries) check("weight ", entry, entry.tensor.data());
  for (std::size_t i = 0; i < entries.size(); ++i)
    check("first moment of ", entries[i], optimizer.moments()[i].first);
  for (std::size_t i = 0; i < entries.size(); ++i)
    check("second moment of ", entries[i], optimizer.moments()[i].second);
}

void Training::check_finite(double value, const char* name) const {
  if (std::isfinite(value)) return;
  const auto finite = [](const engine::Tensor& x) {
    return parallel_all_finite(x.size(), x.data());
  };
  std::string where;
  for (const auto& entry : parameters.entries()) {
    const bool weights = finite(entry.tensor);
    if (weights && finite(entry.tensor.gradient().value())) continue;
    where = joined("; the first tensor that is not finite is the ",
                   weights ? "gradient of " : "weight ", entry.name);
    break;
  }
  throw Diverged(step, joined("the ", name, " is ", value, where));
}

}  // namespace train
