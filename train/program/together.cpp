#include "train/program/together.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/kernels/simd.h"
#include "train/cli/version.h"
#include "train/loop/trainer.h"
#include "train/run/checkpoint.h"
#include "train/system/activity.h"
#include "train/system/precision.h"
#include "train/system/process.h"

namespace train {

namespace {

// Process 0's first message; its members are sent as bytes.
struct Call {
  bool trains = false;  // else all end
  bool is_new_run = false;
  Index threads = 0;  // 0: as many as there are CPUs
  Index vocabulary = 0, tokens = 0, train_tokens = 0;
  TextUnits units = {};
};

// Builds or machines that multiply and add in different orders would give different bits.
std::string build() {
  std::string text = version_text();
  text.pop_back();  // its line feed
  return joined(text, ", vectors of ", engine::kernels::vector_bytes, " bytes");
}

// Sends the tokens from process 0 to all, in pieces, so that no process needs memory for a second
// copy of them.
model::TokenIds broadcast(const Processes& processes, const Call& call,
                          const model::TokenIds* from) {
  constexpr Index most = Index(1) << 20;
  model::TokenIds ids(call.vocabulary);
  if (from == nullptr) ids.reserve(call.tokens);
  std::vector<std::int32_t> piece;
  for (Index begin = 0; begin < call.tokens; begin += most) {
    piece.resize(engine::unsigned_size(std::min(most, call.tokens - begin)));
    if (from != nullptr) from->copy(begin, piece);
    processes.broadcast(std::span(reinterpret_cast<char*>(piece.data()), 4 * piece.size()));
    if (from == nullptr)
      for (const std::int32_t id : piece) ids.push_back(id);
  }
  return ids;
}

std::string checkpoint_of(Run& run) {
  auto writer = checkpoint_file(run);
  std::string bytes;
  for (const std::string_view piece : writer.pieces()) bytes += piece;
  return bytes;
}

std::string reason(const std::exception& error, bool is_new_run) {
  const std::optional<std::string> memory = engine::pool::out_of_memory(error, "training");
  return memory && is_new_run ? joined(*memory, smaller_needs_less) : memory.value_or(error.what());
}

void train(const Processes& processes, const Call& call) {
  const std::string leaders_build = processes.broadcast(std::string_view());
  check(leaders_build == build(), "this is ", build(), ", but process 0 is ", leaders_build,
        "; all processes need the same build, and CPUs of the same kind");
  const Corpus corpus(broadcast(processes, call, nullptr), call.train_tokens, call.units);
  Run run = [&] {
    const std::string bytes = processes.broadcast(std::string_view());
    return read_checkpoint(model::SafetensorsFile(bytes));
  }();
  use_dtype(run.plan.dtype);
  if (call.threads > 0) engine::set_thread_count(static_cast<int>(call.threads));
  catch_signals({}, {});
  Trainer(run, corpus, processes).run();
}

}  // namespace

void share_threads(const Processes& processes) {
  if (processes.running(engine::thread_count()) <
      processes.on_this_machine * engine::thread_count())
    engine::set_thread_count(std::max(1, processes.cpus_here / processes.on_this_machine));
}

void note_sharing(const Processes& processes, Notes& notes) {
  const int threads = engine::thread_count();
  if (processes.running(threads) < processes.on_this_machine * threads)
    notes.add(processes.on_this_machine, " processes, each of ", counted(threads, "thread"),
              ", share the ", counted(processes.cpus_here, "CPU"),
              " of this machine: fewer are as fast");
}

void share(const Launch& launch, Run& run, const Corpus& corpus) {
  const Processes& processes = launch.processes;
  if (processes.alone()) return;
  const Call call = processes.broadcast(Call{.trains = true,
                                             .is_new_run = launch.is_new_run,
                                             .threads = launch.threads,
                                             .vocabulary = run.plan.vocab_size,
                                             .tokens = corpus.ids().size(),
                                             .train_tokens = corpus.size(Split::train),
                                             .units = corpus.units()},
                                        true);
  (void)processes.broadcast(std::string_view(build()));
  (void)broadcast(processes, call, &corpus.ids());
  (void)processes.broadcast(std::string_view(checkpoint_of(run)));
}

void end_all(const Launch& launch) {
  try {
    throw;
  } catch (const Diverged& error) {  // in all processes
    fail(error.what(), error.step == 0 ? ", before any update: a lower --learning_rate does not "
                                         "help, smaller initial weights do"
                                       : "; nothing was saved since the last checkpoint. A lower "
                                         "--learning_rate may help");
  } catch (const std::exception& error) {
    if (launch.processes.alone()) throw;
    write_line(joined("gradus train: ", reason(error, launch.is_new_run)));
    launch.processes.abort(1);
  }
}

Speed measure_speed(const Launch& launch, const model::TokenizerHandle& tokenizer, const Plan& plan,
                    const Corpus& corpus, double seconds) try {
  const Activity measuring("measuring the speed of this machine");
  Run trial(trial_of(plan, corpus), tokenizer, {});
  share(launch, trial, corpus);
  return measure_speed(trial, plan, corpus, seconds, launch.processes);
} catch (...) {
  end_all(launch);
}

void dismiss(const Processes& processes) {
  if (!processes.alone()) (void)processes.broadcast(Call{}, true);
}

int follow(const Processes& processes) try {
  for (;;) {
    const Call call = processes.broadcast(Call{}, true);
    if (!call.trains) return 0;
    try {
      train(processes, call);
    } catch (const Diverged&) {  // process 0 says so
    } catch (const std::exception& error) {
      fail(reason(error, call.is_new_run));
    }
  }
} catch (const std::exception& error) {
  write_line(joined("gradus train: process ", processes.rank, " of ", processes.count, ": ",
                    error.what()));
  processes.abort(1);
}

}  // namespace train
