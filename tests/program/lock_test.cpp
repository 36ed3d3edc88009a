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

// Runs train_command in a child process, in `directory`. Its file .err gets the messages. Returns
// the exit status.
int train_with(const train::TrainSettings& settings, const std::string& directory,
               int (*lock)(int)) {
  engine::set_thread_count(1);  // a child has no other threads
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(directory.c_str()) != 0) _exit(99);
    dup2(open("/dev/null", O_WRONLY), 1);
    dup2(open(".err", O_WRONLY | O_CREAT | O_TRUNC, 0666), 2);
    model::system_calls.lock = lock;
    try {
      train::Notes notes;
      _exit(train::train_command(settings, notes));
    } catch (const engine::Error&) {
      _exit(1);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  engine::set_thread_count(engine::available_cpus());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int train_with(const train::TrainSettings& settings, const std::string& directory,
               const std::string& meanwhile) {
  before_lock = meanwhile;
  const int status = train_with(settings, directory, lock_after_others);
  before_lock.clear();
  return status;
}

}  // namespace

TEST_CASE("lock: a run that another process began meanwhile is not overwritten") {
  const program::WithTale box;
  box.done("train tale.txt --max_iters 9 --out_dir other" + small);
  train::TrainSettings settings;
  settings.texts = {"tale.txt"};
  settings.out_dir = "run";
  settings.n_layer = settings.n_head = 1;
  settings.n_embd = settings.block_size = 8;
  settings.batch_size = 2;
  settings.max_iters = 5;
  settings.given =
      train::Given::of<&train::TrainSettings::out_dir, &train::Plan::n_layer, &train::Plan::n_head,
                       &train::Plan::n_embd, &train::Plan::block_size, &train::Plan::batch_size,
                       &train::Plan::max_iters>();
  CHECK(train_with(settings, box / "", "cp other/* run") == 1);
  CHECK(program::read(box / "run/checkpoint.safetensors") ==
        program::read(box / "other/checkpoint.safetensors"));
}

TEST_CASE("lock: a resumed run goes on from what is there once it has the lock") {
  const program::WithTale box;
  const std::string flags = " --eval_interval 5 --warmup_iters 0 --lr_decay_iters 20" + small;
  box.done("train tale.txt --max_iters 5 --out_dir run" + flags);
  box.done("train tale.txt --max_iters 20 --out_dir whole" + flags);
  REQUIRE(box.shell("cp -r run later && \"$GRADUS\" train --resume later --max_iters 15").status ==
          0);
  train::TrainSettings settings;
  settings.resume = "run";
  settings.max_iters = 20;
  settings.given = train::Given::of<&train::TrainSettings::resume, &train::Plan::max_iters>();
  CHECK(train_with(settings, box / "", "cp later/* run") == 0);
  program::check_same_run(box, "run", "whole");
}

TEST_CASE("lock: two processes that both want to make the directory: one gets it whole") {
  const program::WithTale box;
  // The directory is removed and created again by a process that held its lock before.
  train::TrainSettings settings;
  settings.texts = {"tale.txt"};
  settings.out_dir = "run";
  settings.max_iters = 1;
  settings.given = train::Given::of<&train::TrainSettings::out_dir, &train::Plan::max_iters>();
  CHECK(train_with(settings, box / "", "rmdir run && mkdir run && touch run/other") == 1);
  CHECK(std::filesystem::exists(box / "run/other"));
  CHECK_FALSE(std::filesystem::exists(box / "run/log.csv"));
}

TEST_CASE("lock: where the file system has no locks, train says so and goes on") {
  const program::WithTale box;
  box.done(
      "train tale.txt --max_iters 8 --eval_interval 4 --lr_decay_iters 8 "
      "--warmup_iters 0 --out_dir whole" +
      small);
  const std::string note =
      "run: its file system has no locks; a second gradus train in it would overwrite this run\n";
  train::TrainSettings settings;
  settings.texts = {"tale.txt"};
  settings.out_dir = "run";
  settings.n_layer = settings.n_head = 1;
  settings.n_embd = settings.block_size = settings.lr_decay_iters = 8;
  settings.batch_size = 2;
  settings.max_iters = settings.eval_interval = 4;
  settings.warmup_iters = 0;
  settings.given =
      train::Given::of<&train::TrainSettings::out_dir, &train::Plan::n_layer, &train::Plan::n_head,
                       &train::Plan::n_embd, &train::Plan::block_size, &train::Plan::batch_size,
                       &train::Plan::max_iters, &train::Plan::eval_interval,
                       &train::Plan::warmup_iters, &train::Plan::lr_decay_iters>();
  CHECK(train_with(settings, box / "", no_lock) == 0);
  CHECK_THAT(program::read(box / ".err"), Catch::Contains(note));
  train::TrainSettings resumed;
  resumed.resume = "run";
  resumed.max_iters = 8;
  resumed.given = train::Given::of<&train::TrainSettings::resume, &train::Plan::max_iters>();
  CHECK(train_with(resumed, box / "", no_lock) == 0);
  CHECK_THAT(program::read(box / ".err"), Catch::Contains(note));
  program::check_same_run(box, "run", "whole");
}
