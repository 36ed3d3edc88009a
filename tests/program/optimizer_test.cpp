// gradus train with Muon, where a test looks at single tensors. The rest is in optimizer.t.
#include <string>

#include "tests/program/rewrite.h"
#include "tests/program/run.h"

using program::Sandbox;

namespace {

const std::string small =
    " --n_layer 2 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 --eval_interval 10"
    " --warmup_iters 3 --lr_decay_iters 30";

}  // namespace

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
