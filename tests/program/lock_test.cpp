// train reads and decides nothing about a run before it holds the run's lock. Before it gets the
// lock, another process may do anything: the tests do that inside the call of flock.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "engine/base/cpu.h"
#include "engine/base/thread_pool.h"
#include "model/base/files.h"
#include "model/base/system.h"
#include "model/base/system_calls.h"
#include "tests/program/run.h"
#include "tests/program/words.h"
#include "train/cli/arguments.h"
#include "train/program/commands.h"

using program::Sandbox;

namespace {

const std::string small = " --n_layer 1 --n_head 1 --n_embd 8 --block_size 8 --batch_size 2";

std::string before_lock;  // a line for the shell, run at the first lock that is taken

int lock_after_others(int descriptor) {
  if (!before_lock.empty() && std::system(before_lock.c_str()) != 0) _exit(97);
  before_lock.clear();
  return model::system::lock(descriptor);
}

int no_lock(int) {
  errno = ENOLCK;
  return -1;
}

// Runs `gradus arguments`, a training, in a child process, in the sandbox. Its file .err gets the
// messages. Returns the exit status.
int train_with(const Sandbox& box, const std::string& arguments, int (*lock)(int)) {
  const std::vector<program::Word> words = program::words_in(arguments);
  std::vector<std::string_view> texts;
  for (const program::Word& word : words) texts.push_back(word.text);
  const train::TrainSettings settings = train::read_arguments(texts).settings.train;
  engine::set_thread_count(1);  // a child has no other threads
  const pid_t child = fork();
  if (child == 0) {
    if (chdir((box / "").c_str()) != 0) _exit(99);
    dup2(open("/dev/null", O_WRONLY), 1);
    dup2(open(".err", O_WRONLY | O_CREAT | O_TRUNC, 0666), 2);
    model::system_calls.lock = lock;
    try {
      train::Notes notes;
      _exit(train::train_command(settings, {}, notes));
    } catch (const engine::Error&) {
      _exit(1);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  engine::set_thread_count(engine::available_cpus());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int train_after(const std::string& meanwhile, const Sandbox& box, const std::string& arguments) {
  before_lock = meanwhile;
  const int status = train_with(box, arguments, lock_after_others);
  before_lock.clear();
  return status;
}

}  // namespace

TEST_CASE("lock: a run that another process began meanwhile is not overwritten") {
  const program::WithTale box;
  box.done("train tale.txt --max_iters 9 --out_dir other" + small);
  CHECK(train_after("cp other/* run", box, "train tale.txt --out_dir run --max_iters 5" + small) ==
        1);
  CHECK(program::read(box / "run/checkpoint.safetensors") ==
        program::read(box / "other/checkpoint.safetensors"));
}

TEST_CASE("lock: a resumed run goes on from what is there once it has the lock") {
  const program::WithTale box;
  const std::string flags = " --eval_interval 5 --warmup_iters 0 --lr_decay_iters 20" + small;
  box.done("train tale.txt --max_iters 5 --out_dir run" + flags);
  box.done("train tale.txt --max_iters 20 --out_dir whole" + flags);
  box.shell_done("cp -r run later && \"$GRADUS\" train --resume later --max_iters 15");
  CHECK(train_after("cp later/* run", box, "train --resume run --max_iters 20") == 0);
  program::check_same_run(box, "run", "whole");
}

TEST_CASE("lock: two processes that both want to make the directory: one gets it whole") {
  const program::WithTale box;
  // The directory is removed and created again by a process that held its lock before.
  CHECK(train_after("rmdir run && mkdir run && touch run/other", box,
                    "train tale.txt --out_dir run --max_iters 1") == 1);
  CHECK(std::filesystem::exists(box / "run/other"));
  CHECK_FALSE(std::filesystem::exists(box / "run/log.csv"));
}

TEST_CASE("lock: where the file system has no locks, train says so and goes on") {
  const program::WithTale box;
  const std::string flags =
      "train tale.txt --eval_interval 4 --lr_decay_iters 8 --warmup_iters 0" + small;
  box.done(flags + " --max_iters 8 --out_dir whole");
  for (const std::string& line :
       {flags + " --max_iters 4 --out_dir run", std::string("train --resume run --max_iters 8")}) {
    INFO(line);
    CHECK(train_with(box, line, no_lock) == 0);
    CHECK_THAT(program::read(box / ".err"),
               Catch::Contains("run: its file system has no locks; a second gradus train in it "
                               "would overwrite this run\n"));
  }
  program::check_same_run(box, "run", "whole");
}
