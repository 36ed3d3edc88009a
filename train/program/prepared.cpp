#include "train/program/prepared.h"

#include <algorithm>
#include <string>

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
  // Includes the kept model, which is read back at the end.
  const double copy = sizeof(engine::real) * static_cast<double>(plan.parameter_count());
  check_memory(processes.on_this_machine * (training_bytes(plan) + corpus.ids().bytes()) + copy,
               processes.alone() ? "training needs"
                                 : joined("training in ", processes.on_this_machine,
                                          " processes on this machine needs"),
               "a smaller --n_embd, --n_layer, --block_size or --batch_size needs less");
}

std::unique_ptr<OutputDirectory> take_directory(const RunFiles& files, Notes& notes) {
  auto directory = std::make_unique<OutputDirectory>(files.directory);
  if (!directory->lock().is_possible())
    notes.add(
        printable(files.directory),
        ": its file system has no locks; a second gradus train in it would overwrite this run");
  return directory;
}

Speed expected_speed(const Launch& launch, const model::TokenizerHandle& tokenizer,
                     const Plan& plan, const Corpus& corpus, Index first_step, double peak_flops,
                     double minutes) {
  constexpr double a_while = 5, longest = 0.5;  // seconds
  constexpr Index large = 30'000'000;           // parameters: too large to build twice for this
  const Speed guess = guess_speed(plan, corpus, peak_flops);
  const bool is_soon_over =
      launch.processes.alone() && seconds_left(plan, first_step, guess) < a_while;
  if (minutes == 0 && (is_soon_over || plan.parameter_count() > large)) return guess;
  return measure_speed(launch, tokenizer, plan, corpus,
                       minutes > 0 ? std::clamp(3 * minutes, 0.1, longest) : longest);
}

namespace {

SessionOptions session_options(const TrainSettings& settings, const Launch& launch,
                               const Prepared& prepared) {
  const Plan& plan = prepared.run.plan;
  std::string version = version_text();
  version.pop_back();  // its line feed
  return {.program = launch.program,
          .session = {.version = version,
                      .processes = launch.processes.count,
                      .threads = engine::thread_count(),
                      .gflops = prepared.peak_flops / 1e9,
                      .dtype = std::string(engine::name_of(plan.dtype)),
                      .minutes = settings.minutes,
                      .command = launch.command},
          .log_interval =
              settings.log_interval.value_or(std::clamp<Index>(plan.max_iters / 20, 1, 100)),
          .peak_flops = prepared.peak_flops,
          .start_time = launch.start,
          // In a new run --minutes has chosen max_iters; a resumed run stops when the minutes are
          // over.
          .minutes = settings.minutes,
          .resumed = settings.resumes(),
          .processes = launch.processes};
}

}  // namespace

int train(Prepared& prepared, const TrainSettings& settings, const Launch& launch, Notes& notes) {
  Run& run = prepared.run;
  Session session(prepared.files, prepared.directory->lock(), run, prepared.corpus,
                  session_options(settings, launch, prepared));
  note_sharing(launch.processes, notes);
  notes.write();
  announce(prepared, launch.processes);
  if (!settings.resumes()) announce_measures(prepared);
  int signal = 0;
  try {
    share(launch, run, prepared.corpus);
    signal = session.run();
  } catch (...) {
    end_all(launch);
  }
  if (signal == 0 && run.step >= run.plan.max_iters)  // otherwise --minutes were over
    announce_end(session, prepared, launch.program);
  session.check_output();
  return signal == 0 ? 0 : 128 + signal;
}

}  // namespace train
