// gradus train: starts a run or resumes one, and trains.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

#include "engine/base/check.h"
#include "engine/base/directories.h"
#include "engine/base/index.h"
#include "engine/base/system.h"
#include "engine/base/thread_pool.h"
#include "engine/base/utf8.h"
#include "train/cli/version.h"
#include "train/exchange/open_model.h"
#include "train/exchange/open_run.h"
#include "train/program/commands.h"
#include "train/program/resume.h"
#include "train/record/make_way.h"
#include "train/record/terminal_chart.h"
#include "train/run/budget.h"
#include "train/run/make_plan.h"
#include "train/run/session.h"
#include "train/run/verdict.h"
#include "train/system/activity.h"
#include "train/system/limits.h"
#include "train/system/peak.h"
#include "train/system/precision.h"
#include "train/system/process.h"
#include "train/system/running_clock.h"
#include "train/text/sources.h"

namespace train {

using engine::check;
using engine::count_text;
using engine::counted;
using engine::fixed_text;
using engine::joined;
using Clock = RunningClock;

namespace {

// The directory of the run: --out_dir, or out/ and the first text's name without its ending.
std::string output_directory(const Settings& settings) {
  if (!settings.out_dir.empty()) return settings.out_dir;
  return "out/" + std::filesystem::path(engine::last_name(settings.texts.at(0))).stem().string();
}

void check_memory(const Plan& plan) {
  // With the recorder's copy of the weights, at evaluations.
  const double copy = sizeof(engine::real) * static_cast<double>(plan.parameter_count());
  train::check_memory(training_bytes(plan) + copy, "training needs",
                      "a smaller --n_embd, --n_layer, --block_size or --batch_size needs less");
}

void announce_ngrams(const Ngrams& ngrams, const TextUnits& units) {
  if (!ngrams.counted()) return;
  std::string line = joined("for comparison, n-grams of 1, 2, ... ", ngrams.symbol, "s:");
  for (const double loss : ngrams.losses) line += ' ' + fixed_text(units.bits(loss), 4);
  write_line(joined(line, " bits per ", units.unit()));
}

void announce(const Plan& plan, const Sources& sources, const Facts& facts,
              const model::Tokenizer& tokenizer, const Corpus& corpus, Index first_step,
              const RunFiles& files, const Speed& speed, double peak_flops) {
  const double seconds = seconds_left(plan, first_step, speed);
  const Index all = corpus.ids().size(), training = corpus.size(Split::train);
  const std::string validation = sources.are_apart()
                                     ? joined(", validated on the ", count_text(all - training),
                                              " of ", sources.val_texts.name)
                                 : facts.validation.empty() ? ""
                                                            : ", validated on " + facts.validation;
  write_line(joined(
      sources.texts.name, ": ", count_text(sources.are_apart() ? training : all), " tokens (",
      tokenizer.kind(), ", ", plan.vocab_size, " distinct)", validation, "; a GPT of ",
      counted(plan.n_layer, "layer"), ", ", counted(plan.n_head, "head"), ", ",
      counted(plan.n_embd, "channel"), ", ", counted(plan.parameter_count(), "parameter"),
      "; steps ", first_step, " to ", plan.max_iters, " of ", plan.sequences_per_update(), " x ",
      plan.block_size, " tokens, about ", engine::duration_text(seconds), " on ",
      counted(engine::thread_count(), "thread"), cpu_limit(), " of ",
      fixed_text(peak_flops / 1e9, 0), " GFLOP/s", engine::thread_count() == 1 ? "" : " together",
      ", in ", plan.dtype, "; in ", files.directory));
}

void announce_evaluations(const Plan& plan, const Corpus& corpus) {
  const Index all = corpus.size(Split::validation);
  if (plan.eval_iters == 0 && plan.eval_tokens > 0 && plan.eval_tokens < all)
    write_line(joined("evaluations read ", count_text(plan.eval_tokens), " of the ",
                      count_text(all),
                      " validation tokens, the same each time (--eval_tokens 0: all)"));
}

// Measured for half a second if the run will take a while. A large model is not made twice for it.
Speed expected_speed(const Plan& plan, const Corpus& corpus, Index first_step, double peak_flops) {
  constexpr double a_while = 5;  // seconds
  constexpr Index large = 30'000'000;
  const Speed guess = guess_speed(plan, corpus, peak_flops);
  if (seconds_left(plan, first_step, guess) < a_while || plan.parameter_count() > large)
    return guess;
  const Activity measuring("measuring the speed of this machine");
  return measure_speed(plan, corpus, 0.5);
}

void say_what_came_of_it(const Session& session, const Run& run, const RunFiles& files,
                         const TextUnits& units, const std::string& program) {
  const std::string directory = engine::shell_quoted(files.directory);
  const KeptLoss kept = session.kept_loss();
  write_line(joined(
      "done: ", run.plan.max_iters, run.plan.max_iters == 1 ? " step" : " steps",
      ", best validation loss ", fixed_text(kept.loss, 4), " at step ", run.best_step,
      kept.measured_on == 0
          ? ""
          : joined(" (measured on ", count_text(kept.measured_on), " validation tokens)"),
      ", peak memory ", fixed_text(static_cast<double>(engine::peak_memory()) / 1e6, 0),
      " MB; to read what it writes: ", engine::unbroken(joined(program, " sample ", directory)),
      "; to look at the run: ", engine::unbroken(joined(program, " report ", directory))));
  const std::string command = first_command(record_file(files.sessions));
  const std::vector<LogRow> log = evaluations(session.log());
  if (log.empty()) return;  // log.csv was shortened, and the run was at its end
  const Ngrams& ngrams = run.facts.ngrams;
  const Verdict said =
      in_minutes(verdict(run.plan, ngrams, kept.loss, best_row(run, log), log, units), command);
  const std::string next = to_try(said, command, files.directory);
  write_line(said.text);
  if (!next.empty()) write_line(joined("to try it: ", engine::unbroken(next)));
  if (is_terminal(2)) {
    write_message(
        terminal_chart(log, ngrams.counted() ? std::optional(ngrams.best_loss()) : std::nullopt,
                       terminal_width()));
  }
}

// Trains to the end or to a signal; returns the exit status.
int carry_out(Session& session, const Run& run, const TextUnits& units, const RunFiles& files,
              const std::string& program) {
  const int signal = session.run();
  if (signal == 0 && run.step >= run.plan.max_iters)  // else the time of --minutes was up
    say_what_came_of_it(session, run, files, units, program);
  session.check_output();
  return signal == 0 ? 0 : 128 + signal;
}

// Throws if the directory holds what --force was not given for.
void check_is_free(const RunFiles& files) {
  check(!has_begun(files), engine::printable(files.directory),
        ": there is a run already; --resume ", engine::shell_quoted(files.directory),
        " goes on with it, --force starts anew, --out_dir DIR writes elsewhere");
  const std::vector<std::string> others = files_of_others(files);
  if (!others.empty())
    engine::fail(engine::printable(others.front()),
                 ": is of no run; --force renames it to NAME.bak, --out_dir DIR writes elsewhere");
}

void note_missing_lock(const engine::DirectoryLock& lock, const RunFiles& files, Notes& notes) {
  if (!lock.is_possible())
    notes.add(engine::printable(files.directory),
              ": cannot be locked here; two trainings in it would overwrite each other");
}

// Settings that may not mean what was meant.
void note_on(const Plan& plan, const Settings& settings, Notes& notes) {
  if (plan.learning_rate == 0) notes.add("learning_rate 0: no update changes the weights");
  if (plan.decay_lr && plan.warmup_iters > 0 &&
      plan.warmup_iters >= std::max(plan.max_iters, plan.lr_decay_iters))
    notes.add("warmup_iters ", plan.warmup_iters, ": the learning rate does not reach ",
              engine::short_text(plan.learning_rate), " in ", counted(plan.max_iters, "update"));
  if (!settings.is_nanogpt() && settings.arch != "gpt2" && settings.init_from.empty() &&
      !settings.was_given("position") && plan.head_size() % 2 != 0)
    notes.add("heads of ", plan.head_size(),
              " channels, an odd number, cannot have rotary positions, which turn pairs: positions "
              "are learned");
}

SessionOptions session_options(const Settings& settings, Clock::time_point begun, const Run& run,
                               double peak_flops) {
  SessionOptions options;
  options.begun = begun;
  options.minutes = settings.minutes;
  options.log_interval = settings.was_given("log_interval")
                             ? settings.log_interval
                             : std::clamp<Index>(run.plan.max_iters / 20, 1, 100);
  options.program = settings.program;
  options.peak_flops = peak_flops;
  // --minutes of a new run has decided max_iters; a resumed run stops when they are over.
  options.stops_in_time = settings.was_given("resume");
  std::string version = version_text();
  version.pop_back();  // its line feed
  options.session = joined(version, ", ", counted(engine::thread_count(), "thread"), " of ",
                           fixed_text(peak_flops / 1e9, 0), " GFLOP/s", ", in ", run.plan.dtype,
                           command_mark, engine::printable(settings.command_line, 10'000));
  return options;
}

int start(const Settings& settings, Notes& notes, Clock::time_point begun) {
  const NoText no_text = settings.tokenizer == "byte" ? NoText::read : NoText::advise_bytes;
  std::optional<Activity> preparing("reading the text");
  Texts texts = read_texts(settings.texts, no_text, notes), val_texts;
  if (!settings.val_text.empty()) val_texts = read_texts({settings.val_text}, no_text, notes);
  for (const std::string& path : settings.texts)
    if (path.ends_with(".py"))
      notes.add(engine::printable(path), ": is read as a text to train on; was --config ",
                engine::shell_quoted(path), " meant?");
  std::optional<OpenedModel> base;
  bool knows_text = false;
  if (!settings.init_from.empty()) {
    preparing.emplace("reading the model");
    base = open_model(settings.init_from);
    knows_text =
        within(base->path, [&] { return known_text(base->model.metadata, texts) != nullptr; });
    notes.add("begins with the weights of ", engine::printable(base->path),
              knows_text
                  ? ", which was trained on this text: the default learning rate is a quarter "
                    "of that for another text"
                  : "");
  }
  Sources sources = split_texts(
      std::move(texts), std::move(val_texts), settings.val_fraction,
      base ? separator_of(*base->model.tokenizer) : std::string_view(settings.document_separator));
  preparing.emplace("making the tokenizer");
  const model::TokenizerHandle tokenizer =
      base ? tokenizer_of_model(settings.document_separator, base->model.tokenizer, sources.texts,
                                notes)
           : make_tokenizer(settings.tokenizer_wish(), sources, notes);
  preparing.emplace("cutting the text into tokens");
  const Index characters = engine::count_characters(sources.texts.joined);
  Corpus corpus = encode(sources, *tokenizer);
  preparing.reset();
  // With --init_from float32, as in eval, so that the run begins with the loss that eval prints.
  const std::string dtype = settled_dtype(settings.was_given("dtype")     ? settings.dtype
                                          : settings.is_nanogpt() || base ? "float32"
                                                                          : "auto");
  use_dtype(dtype);
  const double peak_flops = measure_peak_flops(engine::kernels::product_precision());
  PlanWish wish = settings.plan_wish();
  wish.values.dtype = dtype;
  if (settings.minutes > 0) wish.flops = flops_in(settings.minutes, peak_flops);
  Plan plan = base ? make_fine_tuning_plan(wish, corpus.size(Split::train), base->model.gpt.config,
                                           knows_text, engine::printable(base->path))
                   : make_plan(wish, characters, tokenizer->vocabulary_size());
  ensure_context(sources, corpus, *tokenizer, plan.block_size);
  settle_schedule(plan, wish, corpus);
  check_memory(plan);

  const RunFiles files(output_directory(settings));
  const engine::OutputDirectory directory(files.directory);
  note_missing_lock(directory.lock(), files, notes);
  if (!settings.force) check_is_free(files);
  check_outputs(files);

  Facts facts = facts_of(sources, corpus, plan.vocab_size, *tokenizer);
  facts.validation = validation_place(sources, plan.val_fraction);
  free_text(sources);
  const Speed speed = settings.was_given("minutes")
                          ? settle_max_iters(wish, settings.minutes, begun, corpus, plan, notes)
                          : expected_speed(plan, corpus, 0, peak_flops);
  facts.record_interval = engine::ceil_div(plan.eval_interval, 250);
  if (base) facts.init_from = engine::printable(settings.init_from);
  note_on(plan, settings, notes);
  notes.write();
  announce(plan, sources, facts, *tokenizer, corpus, 0, files, speed, peak_flops);
  announce_ngrams(facts.ngrams, corpus.units());
  announce_evaluations(plan, corpus);
  Run run(base ? Training(plan, base->model.gpt, corpus) : Training(plan, corpus), tokenizer,
          facts);
  base.reset();
  Session session(files, run, corpus, session_options(settings, begun, run, peak_flops));
  return carry_out(session, run, corpus.units(), files, settings.program);
}

// The texts of the run as they were when it began; else an error that says what can be done.
RunText text_of_run(const Settings& settings, const Run& run, const RunFiles& files) try {
  TextPaths named{settings.texts, {}};
  if (!settings.val_text.empty()) named.val_texts = {settings.val_text};
  return read_again(named, run.plan, run.facts, *run.tokenizer, files, no_text_for(*run.tokenizer));
} catch (const OtherText& error) {
  engine::fail(error.what(), "; ", error.advice());
}

int resume(const Settings& settings, Notes& notes, Clock::time_point begun) {
  const RunFiles files(settings.resume);
  check(engine::is_directory(files.directory), engine::printable(files.directory),
        ": is no directory, expected that of a run", maybe_in_out(files.directory));
  const engine::DirectoryLock lock(files.directory);
  note_missing_lock(lock, files, notes);
  std::optional<Activity> preparing("reading the run");
  Run run = read_run(settings, files);
  const Plan& plan = run.plan;
  check(plan.dtype != "bfloat16" || missing_for_bfloat16().empty(), files.checkpoint,
        ": the run multiplies in bfloat16, which is not possible here: ", missing_for_bfloat16());
  use_dtype(plan.dtype);
  if (run.step >= plan.max_iters) {
    preparing.reset();
    notes.write();
    write_line(joined(files.directory, ": finished at step ", run.step, "; ",
                      plan.has_ended_at_zero(run.step)
                          ? why_no_longer(settings, run, files)
                          : std::string("a larger --max_iters goes on from there")));
    return 0;
  }
  preparing.emplace("reading the text");
  const auto [sources, corpus] = text_of_run(settings, run, files);
  preparing.reset();
  const Index starts = corpus.size(Split::train) - plan.block_size;
  for (const std::int64_t begin : run.next_batch)
    check(begin < starts, files.checkpoint, ": the next batch begins at ", begin,
          ", beyond the training text");
  check_memory(plan);
  check_outputs(files);
  if (std::isfinite(run.best_val_loss) && !has_model_of(files, run.best_step)) {
    write_line(joined(engine::printable(files.model), ": the model of step ", run.best_step,
                      ", the best so far, is missing or damaged; the best from here on is kept"));
    run.best_step = 0;
    run.best_val_loss = std::numeric_limits<double>::infinity();
  }

  const double peak_flops = measure_peak_flops(engine::kernels::product_precision());
  Session session(files, run, corpus, session_options(settings, begun, run, peak_flops));
  if (plan.decay_lr && plan.max_iters > plan.lr_decay_iters && run.step >= plan.warmup_iters)
    write_line(joined("from step ", plan.lr_decay_iters,
                      " (lr_decay_iters) on, the learning rate stays at its end, ",
                      engine::short_text(plan.min_lr),
                      "; a new run with a larger max_iters has a longer schedule"));
  notes.write();
  const Speed speed = expected_speed(plan, corpus, run.step, peak_flops);
  announce(plan, sources, run.facts, *run.tokenizer, corpus, run.step, files, speed, peak_flops);
  return carry_out(session, run, corpus.units(), files, settings.program);
}

}  // namespace

int train_command(const Settings& settings, Notes& notes) {
  const PauseWatch watch;
  const Clock::time_point begun = Clock::now();
  return settings.was_given("resume") ? resume(settings, notes, begun)
                                      : start(settings, notes, begun);
}

}  // namespace train
