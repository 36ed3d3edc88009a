// gradus train --minutes, from outside: the time that it keeps, the plan that it fixes at the start,
// and the same run by explicit numbers.
#include <chrono>
#include <string>

#include "tests/program/rewrite.h"
#include "tests/program/run.h"

using program::Sandbox;

namespace {

void write_fables(const Sandbox& box) {
  program::write(box / "tale.txt", program::read("data/fables.txt").substr(0, 40'000));
}

std::string setting(const Sandbox& box, const std::string& key) {
  return program::setting_of(box / "run/checkpoint.safetensors", key);
}

// What a run of --minutes decides, as flags.
std::string decided(const Sandbox& box) {
  std::string flags;
  for (const char* key : {"n_layer", "n_head", "n_embd", "block_size", "batch_size", "max_iters",
                          "lr_decay_iters", "warmup_iters", "learning_rate", "dropout",
                          "eval_interval", "eval_tokens", "sample_interval"})
    flags += " --" + std::string(key) + ' ' + setting(box, key);
  return flags;
}

}  // namespace

TEST_CASE("minutes: they are kept, and the run is a full one") {
  const Sandbox box;
  write_fables(box);
  const auto begin = std::chrono::steady_clock::now();
  const auto run = box.gradus("train tale.txt --minutes 0.05 --out_dir run");
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  INFO(run.err << run.out << spent.count() << " s");
  REQUIRE(run.status == 0);
  // 3 seconds; other programs may begin or end while it runs.
  CHECK(spent.count() > 0.5 * 3);
  CHECK(spent.count() < 2 * 3);
  const std::string updates = setting(box, "max_iters");
  CHECK(std::stoi(updates) > 10);  // the least there is
  CHECK(setting(box, "step") == updates);
  CHECK(setting(box, "lr_decay_iters") == updates);  // the rate has come down to its end
  CHECK_THAT(run.out, Catch::Contains("\nstep " + updates + ": train loss "));
}

TEST_CASE("minutes: stopped, resumed with other minutes, it is the run that its numbers describe",
          "[signal]") {
  const Sandbox box;
  write_fables(box);
  box.interrupted("train tale.txt --minutes 0.02 --log_interval 1 --out_dir run", "iter 3:");
  const std::string flags = decided(box), updates = setting(box, "max_iters");
  const std::string stopped = setting(box, "step");
  REQUIRE(std::stoi(stopped) < std::stoi(updates));
  // No time at all: no update, but the message says how to continue.
  const auto moment = box.done("train --resume run --minutes 1e-9");
  CHECK(setting(box, "step") == stopped);
  CHECK_THAT(moment.err,
             Catch::Contains("stopped at step " + stopped + " of " + updates + "; to continue: "));
  // More than is needed: to the end that the first minutes led to.
  const auto rest = box.done("train --resume run --minutes 5 --threads 1");
  CHECK_THAT(rest.err, Catch::Contains("done: " + updates + " steps"));

  box.done("train tale.txt --out_dir whole" + flags);
  program::check_same_run(box, "run", "whole");
}
