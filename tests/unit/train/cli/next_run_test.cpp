// The command that a run proposes for the next one: flags are edited as words.
#include "train/cli/next_run.h"

#include <fstream>

#include "tests/catch.h"
#include "tests/temporary.h"
#include "train/system/directories.h"

using namespace train;

namespace {

using Words = std::vector<std::string>;

std::string next(Words words, const Change& change, const std::string& directory = "out/a") {
  words.insert(words.begin(), {"gradus", "train"});
  return next_run({.command = words}, change, directory);
}

}  // namespace

TEST_CASE("next run: has the flag once, and what contradicts it not at all") {
  const std::string end = " --out_dir out/a_2";
  CHECK(next({"a", "--max_iters", "60", "--n_embd", "8", "--max_iters=70", "--max-iters", "80"},
             {"max_iters", "120"}) == "gradus train a --n_embd 8 --max_iters 120" + end);
  CHECK(next({"a", "--force", "--out_dir", "out/a", "--minutes", "1"}, {"max_iters", "9"}) ==
        "gradus train a --max_iters 9" + end);
  CHECK(next({"a", "-o", "out/a", "--minutes=4"}, {"minutes", "9"}) ==
        "gradus train a --minutes 9" + end);
  CHECK(next({"--lr", "3", "--learning_rate=2", "a", "--lr_decay_iters", "7"},
             {"learning_rate", "1"}) ==
        "gradus train a --lr_decay_iters 7 --learning_rate 1" + end);
  // Values that look like flags, and texts after the last flag.
  CHECK(next({"--document_separator", "--force=x", "--", "-t", "-o"}, {"n_layer", "2"}) ==
        "");  // as train itself refuses the words
  CHECK(next({"--seed", "-5", "--", "-t", "-o"}, {"n_layer", "2"}) ==
        "gradus train --seed -5 --n_layer 2" + end + " -- -t -o");
}

TEST_CASE("next run: none without a change, a first command, or where train would refuse it") {
  CHECK(next({"a"}, {}).empty());
  CHECK(next_run({}, {"max_iters", "9"}, "out/a").empty());
  CHECK(next({"--resume", "out/a"}, {"max_iters", "9"}).empty());
  CHECK(next({"--init_from=resume", "--out_dir", "out/a"}, {"max_iters", "9"}).empty());
  CHECK(next({"a", "--min_lr", "0.1", "--lr", "0.2"}, {"learning_rate", "0.05"}).empty());
}

TEST_CASE("next run: the config stays, and what is valid with it alone is proposed") {
  const TemporaryDirectory directory;
  const std::string config = directory / "c.py";
  const Words words{"a", "--config", config, "--min_lr", "0.1"};
  CHECK(next(words, {"max_iters", "9"}).empty());  // it is gone
  std::ofstream(config) << "learning_rate = 0.05\n";
  CHECK(next(words, {"max_iters", "9"}).empty());  // below min_lr
  std::ofstream(config) << "learning_rate = 0.2\nmin_lr = 0.3\n";
  CHECK(next(words, {"max_iters", "9"}) == "gradus train a --config " + shell_word(config) +
                                               " --min_lr 0.1 --max_iters 9 --out_dir out/a_2");
}

TEST_CASE("next run: its directory is a sibling of the run's, and free") {
  const TemporaryDirectory directory;
  const std::string a = directory.path() + "/a";
  const auto out_dir = [&](const std::string& of) {
    const std::string command = next({"t"}, {"max_iters", "9"}, of);
    const std::string flag = "gradus train t --max_iters 9 --out_dir ";
    REQUIRE(command.starts_with(flag));
    return command.substr(flag.size());
  };
  CHECK(out_dir(a) == shell_word(a + "_2"));
  CHECK(out_dir(a + "/b/..") == shell_word(a + "_2"));
  train::make_directories(a + "_2");
  CHECK(out_dir(a) == shell_word(a + "_3"));
  CHECK(out_dir(a + "_2") == shell_word(a + "_3"));
  CHECK(out_dir(a + "_1999") == shell_word(a + "_1999_2"));
  CHECK(out_dir(a + " b") == shell_word(a + " b_2"));
}

TEST_CASE("next run: several processes stay so, and no word is cut off") {
  const Words words{"gradus", "train", std::string(20'000, 'x')};
  CHECK(next_run({.processes = 3, .command = words}, {"max_iters", "9"}, "out/a") ==
        "mpirun -n 3 gradus train " + words[2] + " --max_iters 9 --out_dir out/a_2");
}
