#include "train/loop/training.h"

#include <string>
#include <utility>

#include "engine/base/check.h"
#include "engine/kernels/reduce.h"

namespace train {

namespace {

std::uint64_t dropout_seed(std::uint64_t seed) { return seed ^ 0x64726f70; }  // "drop"

}  // namespace

Training::Training(const Plan& plan_, model::GPT gpt_)
    : plan(plan_),
      gpt(std::move(gpt_)),
      parameters(gpt),
      optimizer(nn::decay_matrices(nn::tensors(gpt)), plan),
      generator(plan.seed),
      dropout_generator(dropout_seed(plan.seed)) {}

Training::Training(const Plan& plan_, const Corpus& corpus) : Training(plan_, model::GPT(plan_)) {
  model::initialise(gpt, generator);
  next_batch.resize(static_cast<std::size_t>(plan.batch_size));
  corpus.draw(Split::train, plan.block_size, generator, next_batch);
}

void Training::check_finite() const {
  using engine::kernels::parallel_all_finite;
  struct Block {
    const char* name;
    const engine::real* values;
  };
  const Block blocks[] = {{"weight ", parameters.values()},
                          {"first moment of ", optimizer.first_moment()},
                          {"second moment of ", optimizer.second_moment()}};
  for (const Block& block : blocks) {
    if (parallel_all_finite(parameters.size(), block.values)) continue;
    for (const auto& entry : parameters.entries())
      if (!parallel_all_finite(entry.tensor.size(), block.values + entry.offset))
        stop_training(step, engine::joined("the ", block.name, entry.name, " is no longer finite"));
  }
}

void stop_training(Index step, const std::string& problem) {
  engine::fail("step ", step, ": ", problem,
               "; nothing was saved since the last checkpoint. A lower --learning_rate may help");
}

}  // namespace train
