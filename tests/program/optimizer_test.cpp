// gradus train with Muon, where a test uses a printed step, or looks at single tensors. The rest is
// in optimizer.t.
#include <string>

#include "tests/program/rewrite.h"
#include "tests/program/run.h"

using program::Sandbox;
using program::step_of;

namespace {

const std::string small =
    " --n_layer 2 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 --eval_interval 10"
    " --warmup_iters 3 --lr_decay_iters 30";

}  // namespace

TEST_CASE("train: with muon, stopped and resumed ends in the bytes of an unbroken run",
          "[signal]") {
  const program::WithTale box;
  for (const char* options :
       {" --optimizer muon --lr_schedule linear --min_lr 0 --dropout 0.1",
        " --optimizer muon --arch llama --n_kv_head 1 --eval_iters 2", " --batches random"}) {
    INFO(options);
    const std::string flags = small + options + " --lr_decay_iters 100000";
    // At the end of a run, which is on the grid of evaluations, or at any step, by an interrupt.
    for (const bool interrupted : {false, true}) {
      INFO("interrupted: " << interrupted);
      const std::string begin = "train tale.txt --force --out_dir parts" + flags;
      if (interrupted)
        box.interrupted(begin + " --max_iters 1000000 --log_interval 1", "iter 7:");
      else
        box.done(begin + " --max_iters 20");
      const std::string step = step_of(box / "parts/checkpoint.safetensors"),
                        longer = std::to_string(std::stoi(step) / 10 * 10 + 20);
      INFO("stopped at step " << step);
      box.done("train tale.txt --force --out_dir whole" + flags + " --max_iters " + longer);
      box.done("train --resume parts --threads 1 --max_iters " + longer);
      program::check_same_run(box, "whole", "parts");
    }
  }
}

TEST_CASE("train: a checkpoint holds what each optimizer remembers") {
  const program::WithTale box;
  const std::string flags = small + " --max_iters 20 --optimizer muon --learning_rate 0.01";
  box.done("train tale.txt --out_dir run" + flags);
  const std::string checkpoint_bytes = program::read(box / "run/checkpoint.safetensors"),
                    model_bytes = program::read(box / "run/model.safetensors");
  const model::SafetensorsFile checkpoint(checkpoint_bytes), model(model_bytes);
  REQUIRE(model.metadata().find("step")->second == "20");
  for (const model::TensorEntry& weight : model.tensors()) {
    INFO(weight.name);
    const bool matrix = weight.name.starts_with("transformer.h.") && weight.shape.size() == 2;
    CHECK(checkpoint.find("exp_avg." + weight.name) != nullptr);
    CHECK((checkpoint.find("exp_avg_sq." + weight.name) == nullptr) == matrix);
    CHECK((weight.data == checkpoint.find(weight.name)->data));
  }
  CHECK_THAT(box.gradus("info run").out, Catch::Contains("  optimizer         muon\n"));
  // Both files can be sampled from.
  for (const char* file : {"run/model.safetensors", "run/checkpoint.safetensors"})
    CHECK(box.gradus(std::string("sample ") + file + " --max_new_tokens 5").status == 0);
}
