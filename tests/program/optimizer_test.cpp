// gradus train with Muon, with the mean of the weights, and with a learning rate that ends at 0,
// from outside.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "tests/program/rewrite.h"
#include "tests/program/run.h"

using program::Sandbox;
using program::step_of;

namespace {

const std::string small =
    " --n_layer 2 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 --eval_interval 10"
    " --warmup_iters 3 --lr_decay_iters 30";

void write_tale(const Sandbox& box) {
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += std::string(i % 3 == 0   ? "The fox"
                        : i % 3 == 1 ? "The hen"
                                     : "A mouse") +
            " said " + std::to_string(i * i % 97) + " words.\n";
  program::write(box / "tale.txt", text);
}

}  // namespace

TEST_CASE("train: with muon, stopped and resumed ends in the bytes of an unbroken run",
          "[signal]") {
  const Sandbox box;
  write_tale(box);
  for (const char* options :
       {" --optimizer muon --lr_schedule linear --min_lr 0 --dropout 0.1",
        " --optimizer muon --arch llama --n_kv_head 1 --eval_iters 2", " --batches random"}) {
    INFO(options);
    const std::string flags = small + options + " --lr_decay_iters 100000";
    // At the end of a run, which is on the grid of evaluations, or at any step, by an interrupt.
    for (const bool interrupted : {false, true}) {
      INFO("interrupted: " << interrupted);
      const std::string begin = "train tale.txt --force --out_dir parts" + flags;
      if (interrupted) {
        auto run = box.start(begin + " --max_iters 1000000 --log_interval 1");
        REQUIRE(run.wait_for("iter 7:"));
        run.signal(SIGINT);
        REQUIRE(run.end().status == 130);
      } else {
        REQUIRE(box.gradus(begin + " --max_iters 20").status == 0);
      }
      const std::string step = step_of(box / "parts/checkpoint.safetensors"),
                        longer = std::to_string(std::stoi(step) / 10 * 10 + 20);
      INFO("stopped at step " << step);
      REQUIRE(
          box.gradus("train tale.txt --force --out_dir whole" + flags + " --max_iters " + longer)
              .status == 0);
      const auto rest = box.gradus("train --resume parts --threads 1 --max_iters " + longer);
      INFO(rest.err);
      REQUIRE(rest.status == 0);
      for (const char* file :
           {"model.safetensors", "checkpoint.safetensors", "log.csv", "samples.txt"}) {
        INFO(file);
        CHECK((program::read(box / "whole" / file) == program::read(box / "parts" / file)));
      }
    }
  }
}

TEST_CASE("train: a checkpoint holds what each optimizer remembers") {
  const Sandbox box;
  write_tale(box);
  const std::string flags = small + " --max_iters 20 --optimizer muon --learning_rate 0.01";
  REQUIRE(box.gradus("train tale.txt --out_dir run" + flags).status == 0);
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

TEST_CASE("train: what is derived follows the schedule, not where a run is to stop") {
  const Sandbox box;
  write_tale(box);
  // 2,150 tokens to train on: 30 updates read them once, 300 nine times, which is enough for
  // dropout.
  const std::string flags =
      "train tale.txt --force --n_layer 1 --n_head 1 --n_embd 32 --block_size 16 --batch_size 4"
      " --lr_decay_iters 300 --eval_interval 10";
  REQUIRE(box.gradus(flags + " --out_dir whole --max_iters 300").status == 0);
  CHECK_THAT(box.gradus("info whole").out, Catch::Contains("dropout           0.05"));
  REQUIRE(box.gradus(flags + " --out_dir parts --max_iters 30").status == 0);
  REQUIRE(box.gradus("train --resume parts --max_iters 300").status == 0);
  for (const char* file :
       {"model.safetensors", "checkpoint.safetensors", "log.csv", "samples.txt"}) {
    INFO(file);
    CHECK((program::read(box / "whole" / file) == program::read(box / "parts" / file)));
  }
}

TEST_CASE("train: a setting that a checkpoint does not have has its default: AdamW of before",
          "[shell]") {
  const Sandbox box;
  write_tale(box);
  REQUIRE(
      box.gradus(
             "train tale.txt --max_iters 20 --out_dir run --optimizer adamw --lr_schedule cosine "
             "--batches random --init_std 0.02 --momentum 0.95 --dtype float32" +
             small)
          .status == 0);
  const auto without = [&](std::vector<std::string> keys) {
    return program::rewritten(
        program::read(box / "run/checkpoint.safetensors"),
        [&](const std::string& key, const std::string& text) {
          return std::ranges::find(keys, key) == keys.end() ? std::optional(text) : std::nullopt;
        },
        [](const std::string&, std::vector<float>&) {});
  };
  box.shell("cp -r run old");
  program::write(
      box / "old/checkpoint.safetensors",
      without({"optimizer", "lr_schedule", "batches", "init_std", "momentum", "dtype", "beta2"}));
  REQUIRE(box.gradus("train --resume run --max_iters 30").status == 0);
  const auto refused = box.gradus("train --resume old --max_iters 30 --optimizer muon");
  CHECK(refused.status == 1);
  CHECK_THAT(refused.err,
             Catch::Contains("--optimizer: the run in old was started with adamw, not muon"));
  const auto resumed = box.gradus("train --resume old --max_iters 30 --optimizer adamw");
  INFO(resumed.err);
  REQUIRE(resumed.status == 0);
  CHECK((program::read(box / "run/checkpoint.safetensors") ==
         program::read(box / "old/checkpoint.safetensors")));
}

TEST_CASE("train: a checkpoint without what its optimizer remembers is refused") {
  const Sandbox box;
  write_tale(box);
  REQUIRE(
      box.gradus("train tale.txt --max_iters 5 --optimizer muon --out_dir run" + small).status ==
      0);
  const std::string bytes = program::read(box / "run/checkpoint.safetensors");
  for (const auto& [key, text, missing] :
       {std::tuple("optimizer", "adamw", "tensor \"exp_avg_sq.transformer.h.0."),
        std::tuple("optimizer", "sgd", "metadata \"optimizer\": \"sgd\" is not one of adamw, muon"),
        std::tuple("beta1", "1", "metadata \"beta1\": \"1\" is not in [0, 1)"),
        std::tuple("lr_schedule", "step", "\"step\" is not one of cosine, linear")}) {
    program::write(
        box / "run/checkpoint.safetensors",
        program::rewritten(
            bytes,
            [&, key = std::string(key), value = std::string(text)](
                const std::string& k, const std::string& was) { return k == key ? value : was; },
            [](const std::string&, std::vector<float>&) {}));
    const auto run = box.gradus("train --resume run --max_iters 6");
    INFO(run.err);
    CHECK(run.status == 1);
    CHECK_THAT(run.err, Catch::Contains(missing));
    CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
  }
}

TEST_CASE("train: a run whose learning rate has ended at 0 is not made longer") {
  const Sandbox box;
  write_tale(box);
  for (const char* shape : {"cosine", "linear"}) {
    INFO(shape);
    const std::string flags = small + " --force --min_lr 0 --out_dir run --lr_schedule " + shape;
    REQUIRE(box.gradus("train tale.txt --max_iters 30" + flags).status == 0);
    const std::string log = program::read(box / "run/log.csv");
    const auto longer = box.gradus("train --resume run --max_iters 40");
    CHECK(longer.status == 1);
    CHECK_THAT(
        longer.err,
        Catch::StartsWith("gradus train: --max_iters: the learning rate of the run in run has "
                          "ended at 0 (min_lr) by step 30, so that more updates change "
                          "nothing; a longer run: gradus train tale.txt ") &&
            Catch::Contains(" --max_iters 60 --out_dir run_2; more training of its model: "
                            "gradus train ") &&
            Catch::EndsWith("tale.txt --init_from run --out_dir run_2\n"));
    CHECK(longer.err.find("--max_iters 30") == std::string::npos);
    // Both commands do what they say.
    const std::size_t first = longer.err.find("a longer run: gradus") + 20,
                      second = longer.err.find("of its model: gradus") + 20;
    CHECK(box.gradus(longer.err.substr(first, longer.err.find(';', first) - first) + " --force")
              .status == 0);
    CHECK_THAT(program::read(box / "run_2/log.csv"), Catch::Contains("\n60,"));
    const std::string further = longer.err.substr(second, longer.err.size() - 1 - second);
    CHECK(box.gradus(further + " --force --max_iters 2").status == 0);
    CHECK(program::read(box / "run/log.csv") == log);
    std::filesystem::remove_all(box / "run_2");
    for (const char* same : {"", " --max_iters 30"}) {
      const auto finished = box.gradus(std::string("train --resume run") + same);
      CHECK(finished.status == 0);
      CHECK_THAT(finished.err,
                 Catch::Contains("finished at step 30; the learning rate of the run"));
    }
    // Updates that the run was to make from the start may still be made.
    REQUIRE(box.gradus("train tale.txt --max_iters 45" + flags).status == 0);
    const std::string whole = program::read(box / "run/checkpoint.safetensors");
    REQUIRE(box.gradus("train tale.txt --max_iters 45 --minutes 1e-9" + flags).status == 2);
    REQUIRE(box.gradus("train tale.txt --max_iters 20" + flags).status == 0);
    REQUIRE(box.gradus("train --resume run --max_iters 45").status == 0);
    CHECK((program::read(box / "run/checkpoint.safetensors") == whole));
  }
  // Twice as many as none would be no longer run.
  REQUIRE(box.gradus("train tale.txt --max_iters 0 --n_layer 1 --n_head 1 --n_embd 8 "
                     "--block_size 4 --force --out_dir run")
              .status == 0);
  CHECK_THAT(box.gradus("train --resume run").err,
             Catch::Contains(" --max_iters 1 --out_dir run_2;"));
}

TEST_CASE("train: optimizer and schedule that there are not are refused before anything is read") {
  const Sandbox box;
  for (const auto& [flags, text] :
       {std::pair("--optimizer sgd", "--optimizer: \"sgd\" is not one of adamw, muon\n"),
        std::pair("--lr_schedule step",
                  "--lr_schedule: \"step\" is not one of cosine, linear\n")}) {
    const auto run = box.gradus(std::string("train none.txt ") + flags);
    CHECK(run.status == 2);
    CHECK_THAT(run.err, Catch::Contains(text));
  }
}
