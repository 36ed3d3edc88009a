// gradus train, from outside, where a number is computed from what it says, or a limit is set. The rest
// is in train.t.
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "tests/program/rewrite.h"
#include "tests/program/run.h"
#include "tests/program/words.h"

using program::Sandbox;

namespace {

const std::string small =
    " --n_layer 2 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 --eval_interval 10"
    " --warmup_iters 3 --lr_decay_iters 30";

}  // namespace

TEST_CASE("train: moments are recorded in UTC, in whatever zone the clock stands", "[shell]") {
  const program::WithTale box(100);
  const auto now = [] {
    const std::time_t seconds = std::time(nullptr);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&seconds));
    return std::string(text);
  };
  const std::string before = now();
  box.shell_done("TZ=XYZ-9 \"$GRADUS\" train tale.txt --max_iters 1 --out_dir run" + small);
  const std::string after = now();
  for (const char* const file : {"times.csv", "sessions.jsonl"}) {
    const std::string record = program::read(box / "run" / file);
    INFO(record);
    const std::size_t end = record.rfind("Z");
    REQUIRE((end != std::string::npos && end >= 19));
    const std::string moment = record.substr(end - 19, 20);
    CHECK(before <= moment);
    CHECK(moment <= after);
  }
}

TEST_CASE("train: what an interrupted run proposes calls the program as it was called",
          "[signal]") {
  const program::WithTale box(100);
  std::vector<std::string> words = {box.binary().string()};
  for (const program::Word& word : program::words_in(
           "train tale.txt --out_dir run --max_iters 1000000 --log_interval 1" + small))
    words.push_back(word.text);
  auto run = box.start(words, box / ".", "/dev/null");
  REQUIRE(run.wait_for("iter 3:"));
  run.signal(SIGINT);
  const auto stopped = run.end();
  INFO(stopped.err);
  CHECK(stopped.status == 130);
  CHECK_THAT(stopped.err,
             Catch::Contains("; to continue: " + box.binary().string() + " train --resume run"));
}

#ifndef __SANITIZE_ADDRESS__  // the sanitizer opens files itself to see what it may read
TEST_CASE("train: a refused run leaves no directory behind", "[shell]") {
  const program::WithTale box(100);
  program::check_refused(
      box.shell("exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-\nulimit -n 4\n\"$GRADUS\" train tale.txt "
                "--out_dir new/run" +
                small),
      "Too many open files");
  CHECK_FALSE(std::filesystem::exists(box / "new"));
}
#endif

TEST_CASE("train: a model names its texts without the path of whoever trained it") {
  const program::WithTale box(100);
  box.done("train tale.txt --max_iters 2" + small);
  const std::string directory = (box / "tale.txt").parent_path().generic_string();
  const std::string model = program::read(box / "out/tale/model.safetensors"),
                    checkpoint = program::read(box / "out/tale/checkpoint.safetensors");
  CHECK(model.find(directory) == std::string::npos);
  CHECK(model.find("tale.txt") != std::string::npos);
  CHECK(checkpoint.find(directory + "/tale.txt") != std::string::npos);
}

TEST_CASE("train: the loss of a validation text of its own is what eval says of it") {
  const program::WithTale box(100);
  program::write(box / "val.txt", program::tale(30) + "\xC3\x9C" + "ber\n");  // a letter of its own
  const auto run = box.done(
      "train tale.txt --val_text val.txt --dtype float32 --max_iters 10 --out_dir run --min_lr "
      "1e-4" +
      small);
  const std::string eval = box.done("eval run val.txt --train_text tale.txt").out,
                    last = run.out.substr(run.out.find("\nstep 10: "));
  CHECK(std::abs(program::number_after(last, "val loss ") - program::number_after(eval, "loss ")) <
        0.00011);
  // And so are the n-grams' losses.
  CHECK_THAT(
      box.done("info run").out,
      Catch::Contains("n-grams of 1, 2, ..  " + program::ngrams_of(eval) + " (validation loss"));
}
