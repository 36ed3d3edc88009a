#include "train/program/carry_out.h"

#include <algorithm>

#include "engine/base/thread_pool.h"
#include "model/base/utf8.h"
#include "train/cli/version.h"
#include "train/program/announce.h"
#include "train/program/together.h"
#include "train/run/verdict.h"
#include "train/system/activity.h"
#include "train/system/limits.h"

namespace train {

void check_memory(const Plan& plan, const Corpus& corpus, const Processes& processes) {
  // With the model that is kept, which is read back at the end.
  const double copy = sizeof(engine::real) * static_cast<double>(plan.parameter_count());
  check_memory(processes.on_this_machine * (training_bytes(plan) + corpus.ids().bytes()) + copy,
               processes.alone() ? "training needs"
                                 : joined("training in ", processes.on_this_machine,
                                          " processes on this machine needs"),
               "a smaller --n_embd, --n_layer, --block_size or --batch_size needs less");
}

void note_missing_lock(const model::DirectoryLock& lock, const RunFiles& files, Notes& notes) {
  if (!lock.is_possible())
    notes.add(printable(files.directory),
              ": cannot be locked here; two trainings in it would overwrite each other");
}

Speed expected_speed(const Settings& settings, const model::TokenizerHandle& tokenizer,
                     const Plan& plan, const Corpus& corpus, Index first_step, double peak_flops) {
  constexpr double a_while = 5;        // seconds
  constexpr Index large = 30'000'000;  // parameters: it is not made twice for this
  const Speed guess = guess_speed(plan, corpus, peak_flops);
  const bool is_soon_over =
      settings.processes.alone() && seconds_left(plan, first_step, guess) < a_while;
  if (is_soon_over || plan.parameter_count() > large) return guess;
  const Activity measuring("measuring the speed of this machine");
  return measure_speed(settings, tokenizer, plan, corpus, 0.5);
}

SessionOptions session_options(const Settings& settings, RunningClock::time_point start_time,
                               const Run& run, double peak_flops) {
  SessionOptions options;
  options.start_time = start_time;
  options.minutes = settings.minutes;
  options.log_interval = settings.was_given("log_interval")
                             ? settings.log_interval
                             : std::clamp<Index>(run.plan.max_iters / 20, 1, 100);
  options.program = settings.program;
  options.peak_flops = peak_flops;
  options.processes = settings.processes;
  // --minutes of a new run has decided max_iters; a resumed run stops when they are over.
  options.resumed = settings.was_given("resume");
  std::string version = version_text();
  version.pop_back();  // its line feed
  options.session = {.version = version,
                     .processes = settings.processes.count,
                     .threads = engine::thread_count(),
                     .gflops = peak_flops / 1e9,
                     .dtype = std::string(engine::name_of(run.plan.dtype)),
                     .minutes = settings.minutes,
                     .command = settings.command};
  return options;
}

int carry_out(Session& session, Run& run, const Corpus& corpus, const Settings& settings) {
  int signal = 0;
  lead(settings, run, corpus, [&] { signal = session.run(); });
  if (signal == 0 && run.step >= run.plan.max_iters)  // else the time of --minutes was up
    announce_end(session, run, corpus, settings.program);
  session.check_output();
  return signal == 0 ? 0 : 128 + signal;
}

}  // namespace train
