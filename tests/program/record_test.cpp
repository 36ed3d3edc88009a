// What a run records to be looked at: losses, times, norms and samples.
#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/program/rewrite.h"
#include "tests/program/run.h"

using program::Sandbox;

namespace {

const std::string small =
    " --n_layer 2 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 --warmup_iters 3 "
    "--lr_decay_iters 100";

std::string prose(int sentences) {
  std::string text;
  for (int i = 0; i < sentences; ++i)
    text += "The fox said " + std::to_string(i * i % 97) + " words to the hen.\n";
  return text;
}

}  // namespace

TEST_CASE("record: a run records its samples and norms, and --force begins the record anew") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  const std::string flags = small + " --eval_interval 4 --out_dir run --max_iters ";
  const auto lines = [&](const std::string& file) {
    const std::string text = program::read(box / "run" / file);
    return std::count(text.begin(), text.end(), '\n');
  };
  const auto steps = [&] {
    std::string found;
    std::istringstream text(program::read(box / "run/samples.txt"));
    for (std::string line; std::getline(text, line);)
      if (line.starts_with("== step ")) found += line.substr(8, line.find(',') - 7);
    return found;
  };
  REQUIRE(box.gradus("train tale.txt" + flags + "10").status == 0);
  CHECK(lines("log.csv") == 1 + 4);  // steps 0, 4, 8, 10
  CHECK(lines("times.csv") == 1 + 4);
  CHECK(lines("layers.csv") == 1 + 4 * 6);  // wte, two blocks of two, ln_f
  CHECK(steps() == "0,4,8,10,");
  // The norms of the layers are those of the gradient whose norm the log has; at step 0 there is none.
  std::istringstream layers(program::read(box / "run/layers.csv")),
      log(program::read(box / "run/log.csv"));
  std::map<std::string, double> squares;
  std::string line;
  for (std::getline(layers, line); std::getline(layers, line);) {
    INFO(line);
    const std::string norm = line.substr(line.rfind(',') + 1),
                      step = line.substr(0, line.find(','));
    CHECK(norm.empty() == (step == "0"));
    if (!norm.empty()) squares[step] += std::stod(norm) * std::stod(norm);
  }
  for (std::getline(log, line); std::getline(log, line);) {
    INFO(line);
    line.resize(line.rfind(','));
    const std::string norm = line.substr(line.rfind(',') + 1),
                      step = line.substr(0, line.find(','));
    if (step != "0") CHECK(std::sqrt(squares[step]) == Approx(std::stod(norm)).epsilon(1e-5));
  }
  REQUIRE(box.gradus("train tale.txt --force --sample_interval 3" + flags + "7").status == 0);
  CHECK(steps() == "0,3,6,7,");
  CHECK(lines("times.csv") == 1 + 3);
  REQUIRE(box.gradus("train --resume run --max_iters 11 --sample_interval 5").status == 0);
  CHECK(steps() == "0,3,6,7,10,11,");
  CHECK(lines("log.csv") == 1 + 5);  // 0, 4, 7, 8, 11
  CHECK(lines("times.csv") == 1 + 5);
  REQUIRE(box.gradus("train tale.txt --force --sample_interval 0" + flags + "5").status == 0);
  CHECK(steps().empty());
}

TEST_CASE("record: samples change no number of a run, and files of its record may be gone") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  const std::string flags = small + " --eval_interval 4 --dropout 0.2 --ema 0.9 --max_iters 8";
  REQUIRE(box.gradus("train tale.txt --out_dir one" + flags).status == 0);
  REQUIRE(box.gradus("train tale.txt --out_dir other --sample_interval 0" + flags).status == 0);
  for (const char* file : {"model.safetensors", "log.csv", "layers.csv"})
    CHECK(program::read(box / "one" / file) == program::read(box / "other" / file));
  for (const char* file : {"times.csv", "layers.csv", "samples.txt"})
    std::filesystem::remove(box / "one" / file);
  REQUIRE(box.gradus("train --resume one --max_iters 12").status == 0);
  CHECK_THAT(program::read(box / "one/layers.csv"),
             Catch::StartsWith("step,layer") && Catch::Contains("\n12,wte,"));
  CHECK_THAT(program::read(box / "one/samples.txt"), Catch::StartsWith("== step 12, "));
}

TEST_CASE("record: a run begun with four columns in its log goes on with all, and is shown") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  REQUIRE(
      box.gradus("train tale.txt --out_dir run --max_iters 4 --eval_interval 2" + small).status ==
      0);
  std::string log;
  std::istringstream lines(program::read(box / "run/log.csv"));
  for (std::string line; std::getline(lines, line);)
    log += line.substr(0, line.rfind(',', line.rfind(',') - 1)) + '\n';
  program::write(box / "run/log.csv", log);
  for (const char* file : {"times.csv", "layers.csv", "samples.txt"})
    std::filesystem::remove(box / "run" / file);
  program::write(
      box / "run/checkpoint.safetensors",
      program::rewritten(
          program::read(box / "run/checkpoint.safetensors"),
          [&](const std::string& key, const std::string& text) -> std::optional<std::string> {
            if (key == "gradient_norm") return {};
            return text;
          },
          [](const std::string&, std::vector<float>&) {}));
  const auto run = box.gradus("train --resume run --max_iters 6");
  INFO(run.err);
  REQUIRE(run.status == 0);
  std::istringstream before(log), after(program::read(box / "run/log.csv"));
  std::string old, row;
  std::getline(before, old), std::getline(after, row);
  CHECK(row == old + ",gradient_norm,tokens");
  while (std::getline(before, old) && std::getline(after, row)) CHECK(row == old + ",,");
  CHECK(std::getline(after, row));
  CHECK_THAT(row, Catch::StartsWith("6,") && !Catch::EndsWith(",,"));
  CHECK_FALSE(std::getline(after, row));
  CHECK(box.gradus("report run").status == 0);
}

TEST_CASE("record: a run that is set back to a checkpoint records the same once more") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  const std::string flags = " --eval_interval 2 --sample_interval 3 --max_iters ";
  REQUIRE(box.gradus("train tale.txt --out_dir run" + flags + "5" + small).status == 0);
  const std::string checkpoint = program::read(box / "run/checkpoint.safetensors");
  REQUIRE(box.gradus("train --resume run --max_iters 9").status == 0);
  std::vector<std::string> whole;
  const auto files = {"model.safetensors", "log.csv", "layers.csv", "samples.txt"};
  for (const char* file : files) whole.push_back(program::read(box / "run" / file));
  // As if killed before another checkpoint, in the middle of a line.
  program::write(box / "run/checkpoint.safetensors", checkpoint);
  for (const char* file : {"log.csv", "layers.csv", "times.csv"})
    program::write(box / "run" / file, program::read(box / "run" / file) + "10,1");
  REQUIRE(box.gradus("train --resume run --max_iters 9").status == 0);
  for (std::size_t i = 0; const char* file : files) {
    INFO(file);
    CHECK(program::read(box / "run" / file) == whole[i++]);
  }
}
