// What a command does with existing files, in cases with links, limits, permissions, a signal or
// another process. The rest is in directory.t.
#include <map>

#include "tests/program/rewrite.h"
#include "tests/program/run.h"

namespace fs = std::filesystem;
using program::read;
using program::Sandbox;
using program::write;

namespace {

const std::string small =
    " --n_layer 1 --n_head 2 --n_embd 16 --block_size 8 --batch_size 4 --eval_interval 4";

// All files in a directory and what is in them.
std::map<std::string, std::string> contents(const fs::path& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    if (entry.is_regular_file())
      files[entry.path().lexically_relative(directory).string()] = read(entry.path());
  return files;
}

// The two directories have the same files, but those that name the time.
void check_same_files(const fs::path& one, const fs::path& other) {
  auto left = contents(one), right = contents(other);
  for (const char* file : {"times.csv", "sessions.jsonl"})
    CHECK(left.erase(file) + right.erase(file) == 2);
  CHECK((left == right));
}

}  // namespace

TEST_CASE("directory: --force replaces an old run when the new one is on the disk, not before",
          "[shell]") {
  const program::WithTale box;
  const std::string train = "train tale.txt --out_dir run" + small;
  box.done(train + " --max_iters 8");
  box.done("report run");
  const auto before = contents(box / "run");
  REQUIRE(before.size() == 7);

  // The checkpoint of the new run does not fit below the limit of a file's size.
  const auto failed =
      box.shell("ulimit -S -f 16; \"$GRADUS\" " + train + " --max_iters 8 --n_embd 64 --force");
  INFO(failed.err);
  CHECK(failed.status == 1);
  CHECK_THAT(failed.err, Catch::Contains("run/checkpoint.safetensors: cannot write: "));
  CHECK((contents(box / "run") == before));
}

TEST_CASE(
    "directory: killed between its first checkpoint and the end of the old run, a run heals") {
  const program::WithTale box;
  const std::string train = "train tale.txt --max_iters 8" + small;
  box.done(train + " --out_dir old");
  box.done(train + " --seed 2 --out_dir whole");
  // The checkpoint of a new run at step 0, the rest of an old one.
  auto run = box.start(
      "train tale.txt --max_iters 8 --seed 2 --out_dir new --eval_iters 1000000000" + small);
  REQUIRE(run.wait_for("for comparison, n-grams of"));
  while (!fs::exists(box / "new/log.csv")) run.has_ended();
  run.kill();
  REQUIRE(run.end().status == 137);
  const std::string bytes = read(box / "new/checkpoint.safetensors");
  write(box / "old/checkpoint.safetensors", program::with_settings(bytes, {{"eval_iters", "0"}}));
  box.done("train --resume old");
  check_same_files(box / "old", box / "whole");
}

TEST_CASE("directory: no file of somebody else's is replaced through a link", "[posix]") {
  const program::WithTale box;
  const std::string train = "train tale.txt --lr_decay_iters 8 --out_dir run" + small;
  box.done(train + " --max_iters 4");
  write(box / "notes", "step,my own notes\n");
  for (const std::string name : {"log.csv", "times.csv", "samples.txt", "sessions.jsonl",
                                 "model.safetensors", "checkpoint.safetensors"})
    // The model is no checkpoint, nor the checkpoint a model.
    for (const std::string target : {"notes", name[0] == 'm'   ? "run/checkpoint.safetensors"
                                              : name[0] == 'c' ? "run/model.safetensors"
                                                               : "run/times.csv"}) {
      if (target == "run/" + name) continue;
      INFO(name << " -> " << target);
      fs::rename(box / ("run/" + name), box / "kept");
      fs::create_symlink(box / target, box / ("run/" + name));
      const auto before = contents(box / "run");
      for (const std::string& command :
           {train + " --max_iters 4 --force", std::string("train --resume run --max_iters 8")}) {
        const auto refused = box.gradus(command);
        INFO(command);
        program::check_refused(refused, "gradus train: run/" + name + ": ");
        CHECK_THAT(refused.err, !Catch::Contains(name + ": run/"));
        CHECK((contents(box / "run") == before));
        CHECK(read(box / "notes") == "step,my own notes\n");
      }
      fs::rename(box / "kept", box / ("run/" + name));
    }
}

TEST_CASE("directory: nothing in the directory of another run is replaced through a link",
          "[posix]") {
  const program::WithTale box;
  const std::string train = "train tale.txt --max_iters 4" + small;
  box.done(train + " --out_dir other");
  box.done("report other");
  const auto before = contents(box / "other");
  for (const auto& [name, bytes] : before)
    for (const bool is_there : {true, false}) {  // where the link leads
      fs::remove_all(box / "run");
      fs::copy(box / "other", box / "run");
      fs::remove(box / ("run/" + name));
      if (!is_there) fs::remove(box / ("other/" + name));
      fs::create_symlink("../other/" + name, box / ("run/" + name));
      const bool is_page = name == "report.html";
      const auto refused =
          box.gradus(is_page ? "report run" : train + " --n_embd 24 --out_dir run --force");
      program::check_refused(refused, name + ": is a link to run/../other/" + name +
                                          ", in the directory of another run; ");
      if (is_page && is_there) CHECK(box.gradus(train + " --out_dir run --force").status == 1);
      if (!is_there) write(box / ("other/" + name), bytes);
      CHECK((contents(box / "other") == before));
    }
}

TEST_CASE("directory: what may not be written is seen before anything is replaced", "[shell]") {
  const program::WithTale box;
  // Root may write everything.
  const std::string as_user =
      "cp \"$(command -v $GRADUS)\" g; as=; [ $(id -u) != 0 ] || { chown -R 65534 .; "
      "as='setpriv --reuid 65534 --clear-groups'; }; ";
  const std::string train = "./g train tale.txt --max_iters 4 --out_dir run" + small;
  box.shell_done(as_user + "$as " + train + " && $as ./g report run");
  const auto before = contents(box / "run");
  for (const auto& [name, bytes] : before)
    for (const auto mode : {fs::perms(0444), fs::perms(0)}) {
      fs::permissions(box / ("run/" + name), mode);
      const auto refused = box.shell(as_user + "$as " + train + " --seed 2 --force");
      fs::permissions(box / ("run/" + name), fs::perms(0644));
      CHECK(refused.status == 1);
      CHECK(refused.err == "gradus train: run/" + name + ": cannot open: Permission denied\n");
      CHECK((contents(box / "run") == before));
    }
  fs::resize_file(box / "run/report.html", 100'000'000'000);  // zeros that take no disk
  box.shell_done(as_user + "$as " + train + " --seed 2 --force");
  CHECK_FALSE(fs::exists(box / "run/report.html"));
}

TEST_CASE("directory: a run's files keep their permissions", "[posix]") {
  const program::WithTale box;
  const std::string train = "train tale.txt --lr_decay_iters 8 --out_dir run" + small;
  box.done(train + " --max_iters 4");
  const fs::perms owner = fs::perms::owner_read | fs::perms::owner_write;
  for (const auto& entry : fs::directory_iterator(box / "run"))
    fs::permissions(entry.path(), owner);
  for (const std::string& command :
       {train + " --max_iters 4 --force", std::string("train --resume run --max_iters 8")}) {
    box.done(command);
    for (const auto& entry : fs::directory_iterator(box / "run")) {
      INFO(command << ": " << entry.path());
      CHECK((entry.status().permissions() == owner));
    }
  }
}

TEST_CASE("directory: a run without its directory or record continues, and writes to no other",
          "[shell]") {
  const program::WithTale box;
  const std::string train = "train tale.txt" + small + " --max_iters 3000 --eval_interval 60",
                    short_one = "train tale.txt --max_iters 4 --seed 2 --out_dir run" + small;
  box.done(train + " --out_dir whole");
  box.done(short_one);
  const auto other = contents(box / "run");
  const std::map<std::string, std::pair<std::string, std::string>> cases = {
      {"mv run moved", {"moved", "run: was moved while the run wrote there; it continues in /"}},
      {"while ! rm -rf run 2>.rm; do :; done",
       {"run_2", "run: was removed while the run wrote there; it continues in run_2\n"}},
      {"rm run/*.csv run/*.txt", {"run", ""}}};
  for (const auto& [line, expected] : cases) {
    const auto& [directory, says] = expected;
    INFO(line);
    fs::remove_all(box / "run");
    auto run = box.start(train + " --out_dir run");
    while (!fs::exists(box / "run/model.safetensors")) REQUIRE_FALSE(run.has_ended());
    REQUIRE(std::system(("cd '" + (box / "").string() + "' && " + line).c_str()) == 0);
    if (!says.empty()) {
      fs::create_directory(box / "run");
      for (const auto& [name, bytes] : other) write(box / ("run/" + name), bytes);
    }
    const auto rest = run.end();
    INFO(rest.err);
    CHECK(rest.status == 0);
    CHECK_THAT(rest.err, Catch::Contains(says));
    if (!says.empty()) CHECK((contents(box / "run") == other));
    check_same_files(box / directory, box / "whole");
  }
}

TEST_CASE("directory: two exports to one place leave one of them whole, or fail", "[shell]") {
  const program::WithTale box;
  for (const std::string seed : {"1", "2"}) {
    box.done("train tale.txt --max_iters 1 --out_dir run" + seed + " --seed " + seed + small);
    box.done("export run" + seed + " gguf " + seed + ".gguf");
    box.done("export run" + seed + " hf hf" + seed);
  }
  for (int i = 0; i < 10; ++i) {
    fs::remove_all(box / "both.gguf");
    fs::remove_all(box / "both");
    const auto run = box.shell(
        "for seed in 1 2; do for format in 'gguf both.gguf' 'hf both'; do\n"
        "\"$GRADUS\" export run$seed $format & done; done; wait");
    INFO(run.err);
    const std::string gguf = read(box / "both.gguf");
    // The name of the model, that of the run, differs too.
    CHECK((gguf == read(box / "1.gguf") || gguf == read(box / "2.gguf")));
    const auto hf = contents(box / "both");
    CHECK((hf == contents(box / "hf1") || hf == contents(box / "hf2")));
  }
  for (const auto& entry : fs::directory_iterator(box / ""))
    CHECK_THAT(entry.path().string(), !Catch::Contains(".gradus-"));
}

TEST_CASE("directory: a closed standard output is an error in every command", "[shell]") {
  const program::WithTale box;
  box.done("train tale.txt --max_iters 4 --out_dir run" + small);
  const auto closed = [&](const std::string& arguments) {
    return box.shell("\"$GRADUS\" " + arguments + " >&-");
  };
  const std::string says = ": standard output: cannot write: Bad file descriptor\n";
  for (const std::string arguments :
       {"sample run", "sample run -o text", "chat run", "eval run tale.txt", "info run",
        "report run", "export run gguf x.gguf", "--help", "--version", "train --help", "--man"}) {
    INFO(arguments);
    program::check_refused(closed(arguments), says);
  }
  CHECK(!fs::exists(box / "text"));
  CHECK(!fs::exists(box / "x.gguf"));
  // Training continues without it, and says so at its end.
  const auto trained = closed("train tale.txt --max_iters 4 --out_dir other" + small);
  CHECK(trained.status == 1);
  CHECK_THAT(trained.err, Catch::EndsWith(says));
  CHECK(read(box / "other/model.safetensors") == read(box / "run/model.safetensors"));
}

TEST_CASE("directory: SIGINT and SIGTERM that were ignored when the program began stay ignored",
          "[shell]") {
  const program::WithTale box;
  for (const char* name : {"INT", "TERM", "HUP"}) {
    INFO(name);
    const auto run = box.shell("trap '' " + std::string(name) +
                               "\n\"$GRADUS\" train tale.txt --max_iters 300 --log_interval 1 "
                               "--force --out_dir run" +
                               small +
                               " & pid=$!\nwhile ! grep -q 'iter 3:' .err; do sleep 0.01; done\n"
                               "kill -" +
                               name + " $pid\nwait $pid\necho status $?");
    INFO(run.err);
    CHECK_THAT(run.out, Catch::Contains("step 300: ") && Catch::EndsWith("status 0\n"));
  }
}

TEST_CASE("directory: on a CPU that lacks an instruction the program says so", "[shell]") {
  const program::WithTale box;
  const auto run = box.shell("\"$GRADUS\" train tale.txt --max_iters 100000 --out_dir run" + small +
                             " 2>.said & pid=$!\nwhile ! grep -q 'iter ' .said; do sleep 0.01; "
                             "done\n: >.said; kill -ILL $pid; wait $pid; echo $?; cat .said");
  CHECK_THAT(run.out, Catch::Contains("\n1\n") && Catch::Contains("gradus: built for a CPU with"));
}

TEST_CASE("directory: an evaluation that was not made is made when the run goes on", "[signal]") {
  const program::WithTale box;
  const std::string train = "train tale.txt --lr_decay_iters 100" + small;
  box.interrupted(
      train + " --eval_interval 50000 --max_iters 1000000 --log_interval 1 --out_dir run",
      "iter 3:");
  const std::string step = program::step_of(box / "run/checkpoint.safetensors");
  const std::string longer = std::to_string(std::stoi(step) + 1);
  const auto rest =
      box.done("train --resume run --max_iters " + longer + " --eval_interval " + step);
  CHECK_THAT(rest.out, Catch::StartsWith("step " + step + ": ") &&
                           Catch::Contains("\nstep " + longer + ": "));
}
