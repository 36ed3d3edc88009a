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

TEST_CASE("record: a run records its updates and samples, and --force begins the record anew") {
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
  CHECK(lines("log.csv") == 1 + 11);  // every step
  CHECK(lines("times.csv") == 1 + 11);
  CHECK_THAT(program::read(box / "run/sessions.jsonl"),
             Catch::Contains("\"step\":0,\"version\":\"gradus ") &&
                 Catch::EndsWith("\"--out_dir\",\"run\",\"--max_iters\",\"10\"]}\n"));
  CHECK(steps() == "0,4,8,10,");
  REQUIRE(box.gradus("train tale.txt --force --sample_interval 3" + flags + "7").status == 0);
  CHECK(steps() == "0,3,6,7,");
  CHECK(lines("times.csv") == 1 + 8);
  REQUIRE(box.gradus("train --resume run --max_iters 11 --sample_interval 5").status == 0);
  CHECK(steps() == "0,3,6,7,10,11,");
  CHECK(lines("log.csv") == 1 + 12);
  CHECK(lines("times.csv") == 1 + 12);
  CHECK(lines("sessions.jsonl") == 2);
  REQUIRE(box.gradus("train tale.txt --force --sample_interval 0" + flags + "5").status == 0);
  CHECK(steps().empty());
}

TEST_CASE("record: samples change no number of a run, and files of its record may be gone") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  const std::string flags = small + " --eval_interval 4 --dropout 0.2 --max_iters 8";
  REQUIRE(box.gradus("train tale.txt --out_dir one" + flags).status == 0);
  REQUIRE(box.gradus("train tale.txt --out_dir other --sample_interval 0" + flags).status == 0);
  for (const char* file : {"model.safetensors", "log.csv"})
    CHECK(program::read(box / "one" / file) == program::read(box / "other" / file));
  for (const char* file : {"times.csv", "samples.txt"}) std::filesystem::remove(box / "one" / file);
  REQUIRE(box.gradus("train --resume one --max_iters 12").status == 0);
  CHECK_THAT(program::read(box / "one/times.csv"),
             Catch::StartsWith("step,seconds") && Catch::Contains("\n12,"));
  CHECK_THAT(program::read(box / "one/samples.txt"), Catch::StartsWith("== step 12, "));
}

TEST_CASE("record: a run that is set back to a checkpoint records the same once more") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  const std::string flags = " --eval_interval 2 --sample_interval 3 --max_iters ";
  REQUIRE(box.gradus("train tale.txt --out_dir run" + flags + "5" + small).status == 0);
  const std::string checkpoint = program::read(box / "run/checkpoint.safetensors");
  REQUIRE(box.gradus("train --resume run --max_iters 9").status == 0);
  std::vector<std::string> whole;
  const auto files = {"model.safetensors", "log.csv", "samples.txt"};
  for (const char* file : files) whole.push_back(program::read(box / "run" / file));
  // As if killed before another checkpoint, in the middle of a line.
  program::write(box / "run/checkpoint.safetensors", checkpoint);
  for (const char* file : {"log.csv", "times.csv"})
    program::write(box / "run" / file, program::read(box / "run" / file) + "10,1");
  REQUIRE(box.gradus("train --resume run --max_iters 9").status == 0);
  for (std::size_t i = 0; const char* file : files) {
    INFO(file);
    CHECK(program::read(box / "run" / file) == whole[i++]);
  }
}
