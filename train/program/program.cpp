// Runs one command line: returns its exit status, and prints one line on standard error if it
// fails.

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/cpu.h"
#include "engine/base/thread_pool.h"
#include "train/cli/arguments.h"
#include "train/program/commands.h"
#include "train/program/together.h"
#include "train/system/activity.h"
#include "train/system/console.h"
#include "train/system/files.h"
#include "train/system/limits.h"
#include "train/system/process.h"
#include "train/system/words.h"

namespace train {

int run(const std::vector<std::string>&
            words);  // declared by main.cpp, which includes none of our headers

namespace {

int run_command(Command command, const Settings& settings, const Launch& launch, Notes& notes) {
  switch (command) {
    case Command::train: return train_command(settings.train, launch, notes);
    case Command::sample:
    case Command::chat: return sample_command(settings, notes);
    case Command::eval: return eval_command(settings, notes);
    case Command::info: return info_command(settings, notes);
    case Command::export_model: return export_command(settings, notes);
    case Command::report: return report_command(settings, notes);
  }
  return 1;
}

int dispatch(Invocation& invocation, const Launch& launch) {
  if (invocation.print != nullptr) {
    (void)write_output(invocation.print());  // a closed pipe is no error
    return 0;
  }
  if (invocation.help || !invocation.command) {
    (void)write_output(help_text(
        invocation.command, is_terminal(1) ? terminal_width() : 80));  // a closed pipe is no error
    return 0;
  }
  if (const Index threads = invocation.settings.threads; threads > 0) {
    engine::set_thread_count(static_cast<int>(threads));
    if (const int cpus = engine::available_cpus(); threads > cpus)
      invocation.notes.add("--threads ", threads, ": more than the ", counted(cpus, "CPU"),
                           " here, so they wait for each other");
  }
  if (*invocation.command != Command::train) check_output();  // training continues without it
  const int status =
      run_command(*invocation.command, invocation.settings, launch, invocation.notes);
  invocation.notes.write();
  return status;
}

// Process 0 of several, or the only one.
int run_line(const std::vector<std::string>& line, const Processes& processes) {
  std::vector<std::string_view> words(line.begin() + (line.empty() ? 0 : 1), line.end());
  const auto failed = [&](std::string_view what, int status) {
    write_line(joined(speaker(words), ": ", what));
    return status;
  };
  Invocation invocation;
  try {
    invocation = read_arguments(words);
    Launch launch{.command = line,
                  .processes = processes,
                  .threads = invocation.settings.threads,
                  .is_new_run = !invocation.settings.train.resumes()};
    if (!line.empty() && last_separator(line[0]) != std::string_view::npos)
      launch.program = shell_quoted(line[0]);
    return dispatch(invocation, launch);
  } catch (const UsageError& error) {
    return failed(error.what(), 2);
  } catch (const std::exception& error) {
    const char* const interrupted = Activity::interrupted();
    const std::optional<Command> command = invocation.command;
    const bool could_be_smaller =
        interrupted == nullptr && command == Command::train && !invocation.settings.train.resumes();
    const std::optional<std::string> memory =
        engine::pool::out_of_memory(error, interrupted != nullptr ? interrupted
                                           : command              ? info_of(*command).work
                                                                  : "starting");
    return failed(joined(memory.value_or(error.what()), memory ? memory_limit() : "",
                         memory && could_be_smaller ? smaller_needs_less : ""),
                  1);
  }
}

}  // namespace

int run(const std::vector<std::string>& words) {
  prepare_process();
  const Processes processes = Processes::start();
  share_threads(processes);
  system::limit_memory();
  const int status = processes.rank > 0 ? follow(processes) : run_line(words, processes);
  if (processes.rank == 0) dismiss(processes);
  processes.end();
  return status;
}

}  // namespace train
