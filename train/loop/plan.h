// The settings that decide the numbers of a run, fixed at its first start, and how far it goes: one
// flat list, under the names of their flags. Stored in every checkpoint.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/format/safetensors.h"
#include "model/gpt/config.h"
#include "nn/adamw.h"
#include "train/loop/cost.h"
#include "train/loop/schedule.h"
#include "train/system/precision.h"
#include "train/system/words.h"

namespace train {

using model::Given;

enum class OptimizerKind { adamw, muon };    // train/loop/optimizer.h
enum class BatchOrder { random, shuffled };  // train/loop/shuffled_starts.h

}  // namespace train

template <>
inline constexpr auto engine::names_of<train::OptimizerKind> = engine::names("adamw", "muon");
template <>
inline constexpr auto engine::names_of<train::BatchOrder> = engine::names("random", "shuffled");

namespace train {

struct Plan : model::Config, nn::AdamWOptions, Schedule {
  double val_fraction = 0.1;
  Index batch_size = 12, gradient_accumulation_steps = 1;
  Index eval_iters = 0, eval_tokens = 200'000;
  ProductDtype dtype = ProductDtype::float32;
  OptimizerKind optimizer = OptimizerKind::adamw;
  BatchOrder batches = BatchOrder::random;
  double init_std = 0.02;  // of the initial weights
  double momentum = 0.95;  // Muon's
  std::uint64_t seed = 1337;
  // A resumed run may change these. So a model file does not hold them: the best model of a run is
  // the same file whether the run ends there or continues.
  Index max_iters = 2000, eval_interval = 250, save_interval = 0;
  Index sample_interval = 0;  // 0: no samples

  Index sequences_per_update() const { return batch_size * gradient_accumulation_steps; }
  // Floating-point operations of one update.
  double update_flops() const { return step_flops(*this, sequences_per_update(), block_size); }
};

// How long a setting's value holds.
enum class Holds {
  for_a_call,     // stored nowhere; may differ each time
  for_a_start,    // not stored as such; decides at the start of a run; not allowed with --resume
  until_resumed,  // stored in the checkpoint; a resumed run may be given another value
  for_the_run,    // stored in model and checkpoint; a resumed run must not be given another value
  for_the_model,  // the same, but written and read with the model (model/gpt/config.h)
};

// The source of a setting's value if neither a flag nor a config gives it. nanogpt: nanoGPT's
// architecture and optimizer, for runs with its config files. best: the best that was measured
// (tests/recipes/README.md). fine_tuning: for training a given model further, without a config.
enum class Recipe { nanogpt, best, fine_tuning };

// A setting's value in a new run; empty: the default of its member, which is nanoGPT's and also
// applies to files without the setting.
struct ByRecipe {
  std::string_view best, fine_tuning = best, nanogpt = {};
  std::string_view of(Recipe recipe) const {
    return recipe == Recipe::best ? best : recipe == Recipe::nanogpt ? nanogpt : fine_tuning;
  }
};

struct PlanSetting : model::Setting<Plan> {
  Holds holds;
  ByRecipe in_new_runs = {};
};

inline constexpr std::string_view dtype_help =
    "how matrix products are computed: bfloat16 rounds their factors to 8 bits of precision, which "
    "some CPUs multiply twice as fast; auto uses bfloat16 on those CPUs";

inline constexpr double billion = 1'000'000'000;

// The settings of the model have their rows in model/gpt/config.h, the plan's others here.
template <auto member>
constexpr model::Setting<Plan> of_plan(const model::SettingText& text) {
  return model::setting_in<Plan, member>(text);
}
// clang-format off
inline constexpr PlanSetting plan_settings[] = {
    {of_plan<&Plan::seed>({"seed", {}, "N", "",
      "seed of all random numbers: the same seed gives the same result"}),
      Holds::for_the_run},
    {of_plan<&Plan::dtype>({"dtype", {}, {},
      "auto in train without --config and --init_from, else float32",
      dtype_help}),
      Holds::for_the_run},
    {of_plan<&Plan::val_fraction>({"val_fraction", {0, 1, false, true}, "F", "",
      "share of the text, at its end, that is used for validation and not trained on"}),
      Holds::for_the_run},
    {of_plan<&Plan::max_iters>({"max_iters", {0, billion}, "N", "from the text's size",
      "updates of the weights to make", "iters steps"}),
      Holds::until_resumed},
    {of_plan<&Plan::batch_size>({"batch_size", {1, 1'048'576}, "N", "from the text's size",
      "sequences of block_size tokens in one forward and backward pass"}),
      Holds::for_the_run},
    {of_plan<&Plan::gradient_accumulation_steps>({"gradient_accumulation_steps", {1, billion},
      "N", "",
      "batches per update, which averages their gradients; mpirun -n P gradus train ... "
      "(make MPI=1) divides them among P processes, by default one for each"}),
      Holds::for_the_run},
    {of_plan<&Plan::batches>({"batches", {}, {}, "",
      "random: sequences begin at random places of the text, as in nanoGPT; shuffled: the text is "
      "cut into sequences, and each is read once, in random order, before any is read again"}),
      Holds::for_the_run, {"shuffled"}},
    {of_plan<&Plan::init_std>({"init_std", {0, 1000}, "X", "",
      "standard deviation of the initial weights; X / sqrt(2 n_layer) for the projections into the "
      "residual stream", "initializer_range"}),
      Holds::for_the_run, {"0.04"}},
    {of_plan<&Plan::optimizer>({"optimizer", {}, {}, "",
      "adamw; or muon: Muon for the matrices of the blocks and AdamW for all else, which often "
      "needs fewer updates for the same loss, though each costs more"}),
      Holds::for_the_run, {"muon", "adamw"}},
    {of_plan<&Plan::momentum>({"momentum", {0, 1, false, true}, "X", "",
      "Muon's decay rate of the running mean of the gradient"}),
      Holds::for_the_run, {"0.9", "0.9", "0.9"}},
    {of_plan<&Plan::weight_decay>({"weight_decay", {0, 1000}, "X",
      "0.1; with Muon from the length of the text, the batch and the learning rate",
      "weight decay of matrices; norms and biases do not decay"}),
      Holds::for_the_run},
    {of_plan<&Plan::beta1>({"beta1", {0, 1, false, true}, "X", "",
      "AdamW's decay rate of the running mean of the gradient"}),
      Holds::for_the_run},
    {of_plan<&Plan::beta2>({"beta2", {0, 1, false, true}, "X",
      "0.999; with --config, --init_from or --optimizer adamw 0.99",
      "AdamW's decay rate of the running mean of the squared gradient"}),
      Holds::for_the_run, {"0.999", "0.99"}},
    {of_plan<&Plan::grad_clip>({"grad_clip", {0, billion}, "X", "",
      "clip the gradient's global norm to X; 0: off"}),
      Holds::for_the_run},
    {of_plan<&Plan::learning_rate>({"learning_rate", {0, 1000}, "X", "from the model's size",
      "learning rate after the warm-up, its largest value", "lr"}),
      Holds::for_the_run},
    {of_plan<&Plan::warmup_iters>({"warmup_iters", {0, billion}, "N", "from max_iters",
      "updates over which the learning rate rises from 0 to learning_rate"}),
      Holds::for_the_run},
    {of_plan<&Plan::decay_lr>({"decay_lr", {}, "true|false", "",
      "use warm-up and decay; false: learning_rate throughout"}),
      Holds::for_the_run},
    {of_plan<&Plan::lr_schedule>({"lr_schedule", {}, {}, "",
      "how the learning rate falls from learning_rate to min_lr: half a cosine, or a straight "
      "line"}),
      Holds::for_the_run, {"linear"}},
    {of_plan<&Plan::lr_decay_iters>({"lr_decay_iters", {0, billion}, "N", "max_iters",
      "update at which the decay reaches min_lr"}),
      Holds::for_the_run},
    {of_plan<&Plan::min_lr>({"min_lr", {0, 1000}, "X", "0; with --config learning_rate / 10",
      "learning rate after the decay; at 0 the weights no longer change"}),
      Holds::for_the_run},
    {of_plan<&Plan::eval_interval>({"eval_interval", {1, billion}, "N", "from max_iters",
      "updates between evaluations; the model with the lowest validation loss is kept"}),
      Holds::until_resumed},
    {of_plan<&Plan::eval_iters>({"eval_iters", {0, billion}, "N", "",
      "random batches on which to estimate training and validation loss, as nanoGPT does; 0: "
      "validation loss on eval_tokens tokens, training loss as the mean over the updates since the "
      "last evaluation"}),
      Holds::for_the_run},
    {of_plan<&Plan::eval_tokens>({"eval_tokens", {0, billion}, "N",
      "as many as a twentieth of the run's time allows",
      "with eval_iters 0: tokens that an evaluation reads, spread evenly over the validation text, "
      "the same each time; 0: all; when a run ends, the kept model is measured on the whole text "
      "(on 500,000 tokens of a very long one)"}),
      Holds::for_the_run},
    {of_plan<&Plan::save_interval>({"save_interval", {0, billion}, "N", "",
      "updates between checkpoints, in addition to one after each evaluation; 0: none in "
      "addition"}),
      Holds::until_resumed},
    {of_plan<&Plan::sample_interval>({"sample_interval", {0, billion}, "N", "eval_interval",
      "updates between short samples of what the model writes, kept in samples.txt and shown on a "
      "terminal; 0: none"}),
      Holds::until_resumed},
};
// clang-format on

// Write and read the plan's settings of this kind as metadata of a file. A setting that the file
// lacks has its default. The model's settings are written with the model.
void write_plan(const Plan& plan, Holds holds, model::SafetensorsWriter& writer);
void read_plan(const model::Metadata& metadata, Holds holds, Plan& plan);

}  // namespace train
