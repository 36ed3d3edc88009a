// What a command does with existing files, in cases with links, limits, permissions, a signal or
// another process. The rest is in directory.t.
#include "tests/program/rewrite.h"
#include "tests/program/run.h"

namespace fs = std::filesystem;
using program::files_in;
using program::read;
using program::Sandbox;
using program::write;

namespace {

const std::string small =
    " --n_layer 1 --n_head 2 --n_embd 16 --block_size 8 --batch_size 4 --eval_interval 4";

// The two directories have the same files, but those that name the time.
void check_same_files(const fs::path& one, const fs::path& other) {
  auto left = files_in(one), right = files_in(other);
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
  const auto before = files_in(box / "run");
  REQUIRE(before.size() == 7);

  // The checkpoint of the new run does not fit below the limit of a file's size.
  const auto failed =
      box.shell("ulimit -S -f 16; \"$GRADUS\" " + train + " --max_iters 8 --n_embd 64 --force");
  INFO(failed.err);
  CHECK(failed.status == 1);
  CHECK_THAT(failed.err, Catch::Contains("run/checkpoint.safetensors: cannot write: "));
  CHECK((files_in(box / "run") == before));
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

TEST_CASE("directory: a run's file that is a link is refused before anything is written",
          "[posix]") {
  const program::WithTale box;
  const std::string train = "train tale.txt --lr_decay_iters 8 --out_dir run" + small;
  box.done(train + " --max_iters 4");
  box.done("report run");
  for (const auto& [name, bytes] : files_in(box / "run")) {
    fs::rename(box / ("run/" + name), box / "kept");
    fs::create_symlink("../kept", box / ("run/" + name));
    const auto before = files_in(box / "run");
    for (const std::string& command :
         {train + " --max_iters 4 --force",
          std::string(name == "report.html" ? "report run" : "train --resume run --max_iters 8")}) {
      INFO(command);
      program::check_refused(box.gradus(command), "run/" + name + ": is a link, expected a file\n");
      CHECK((files_in(box / "run") == before));
      CHECK((read(box / "kept") == bytes));
    }
    fs::rename(box / "kept", box / ("run/" + name));
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
  const auto before = files_in(box / "run");
  for (const auto& [name, bytes] : before)
    for (const auto mode : {fs::perms(0444), fs::perms(0)}) {
      fs::permissions(box / ("run/" + name), mode);
      const auto refused = box.shell(as_user + "$as " + train + " --seed 2 --force");
      fs::permissions(box / ("run/" + name), fs::perms(0644));
      CHECK(refused.status == 1);
      CHECK(refused.err == "gradus train: run/" + name + ": cannot open: Permission denied\n");
      CHECK((files_in(box / "run") == before));
    }
  // In a sticky directory nobody replaces a file of another user.
  for (const auto& [name, bytes] : before) {
    const auto refused = box.shell("[ $(id -u) = 0 ] || exit 1; " + as_user + "chown 0 . run run/" +
                                   name + "; chmod 1777 run; chmod 666 run/" + name + "; $as " +
                                   train + " --seed 2 --force");
    CHECK(refused.status == 1);
    CHECK_THAT(refused.err, Catch::Matches("(gradus train: run/" + name +
                                           ": cannot replace: Operation not permitted\n)?"));
    CHECK((files_in(box / "run") == before));
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

TEST_CASE("directory: a run without its directory is saved beside it, and writes to no other",
          "[shell]") {
  const program::WithTale box;
  const std::string train = "train tale.txt" + small + " --max_iters 3000 --eval_interval 60";
  const auto whole = box.done(train + " --out_dir whole");
  box.done("train tale.txt --max_iters 4 --seed 2 --out_dir other" + small);
  for (const std::string line :
       {"mv run moved && cp -r other run", "while ! rm -rf run 2>.rm; do :; done", "mv run gone"}) {
    INFO(line);
    for (const char* name : {"run", "run_2", "moved"}) fs::remove_all(box / name);
    auto run = box.start(train + " --out_dir run");
    while (!fs::exists(box / "run/model.safetensors")) REQUIRE_FALSE(run.has_ended());
    box.shell_done(line);
    const auto rest = run.end();
    INFO(rest.err);
    CHECK(rest.status == 1);
    CHECK_THAT(rest.err, Catch::Contains("gradus train: run: was moved or removed while ") &&
                             Catch::EndsWith(" train --resume run_2\n"));
    if (line.find("other") != line.npos)
      CHECK((files_in(box / "run") == files_in(box / "other")));
    else
      CHECK_FALSE(fs::exists(box / "run"));
    box.done("sample run_2 -n 2");
    const auto last = [](const std::string& out) { return out.substr(out.rfind("step ")); };
    CHECK(last(box.done("train --resume run_2").out) == last(whole.out));
  }
}

TEST_CASE("directory: a record that others change while the run writes it is the run's again",
          "[shell]") {
  const program::WithTale box;
  const std::string train = "train tale.txt" + small + " --max_iters 3000 --eval_interval 60";
  box.done(train + " --out_dir whole");
  const std::string tale = read(box / "tale.txt");
  for (const std::string line :
       {"rm run/*.csv run/*.txt", "ln -sf ../tale.txt run/samples.txt",
        "rm run/times.csv; mkfifo run/times.csv",
        "head -c 10 run/log.csv >cut; cat cut >run/log.csv; echo note >>run/sessions.jsonl"}) {
    INFO(line);
    auto run = box.start(train + " --force --out_dir run");
    while (!fs::exists(box / "run/model.safetensors")) REQUIRE_FALSE(run.has_ended());
    box.shell_done(line);
    const auto rest = run.end();
    INFO(rest.err);
    CHECK(rest.status == 0);
    for (const std::string name : {"log.csv", "sessions.jsonl", "times.csv"})
      CHECK(fs::remove(box / ("run/" + name + ".bak")) ==
            (rest.err.find("run/" + name + ": was changed by another program; it is now run/" +
                           name + ".bak\n") != std::string::npos));
    check_same_files(box / "run", box / "whole");
    CHECK(read(box / "tale.txt") == tale);
    fs::remove_all(box / "run");
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
    const auto hf = files_in(box / "both");
    CHECK((hf == files_in(box / "hf1") || hf == files_in(box / "hf2")));
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
