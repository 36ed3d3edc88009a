#include "train/program/resume.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/utf8.h"
#include "model/tokenizer/document_tokenizer.h"
#include "train/cli/arguments.h"
#include "train/cli/next_run.h"
#include "train/exchange/open_model.h"
#include "train/exchange/open_run.h"
#include "train/program/together.h"
#include "train/record/record.h"
#include "train/record/run_directory.h"
#include "train/run/kept_model.h"
#include "train/system/activity.h"
#include "train/system/files.h"
#include "train/system/peak.h"
#include "train/system/precision.h"
#include "train/system/process.h"
#include "train/system/words.h"
#include "train/text/tokenizer_directory.h"

namespace train {

using model::key_of;

namespace {

void check_same_tokenizer(const TrainSettings& settings, const Run& run, const RunFiles& files) {
  model::TokenizerHandle named = read_tokenizer_directory(settings.tokenizer);
  if (const std::string separator(separator_of(*run.tokenizer)); !separator.empty())
    named = std::make_shared<model::DocumentTokenizer>(named, separator,
                                                       run.tokenizer->appends_end_of_text());
  check(named->save() == run.tokenizer->save(), "--tokenizer: the run in ", files.directory,
        " was started with another tokenizer than the one in ", settings.tokenizer);
}

// The flags that the run was started with; nothing if they are no longer known.
std::optional<Settings> first_settings(const RunFiles& files) try {
  const std::vector<std::string> command = first_session(files.sessions).command;
  if (command.size() < 2) return {};
  const std::vector<std::string_view> words(command.begin() + 1, command.end());
  return read_arguments(words).settings;
} catch (const Error&) {
  return {};
}

// The run's value of the flag, as text; empty if the run does not store it.
std::string value_in(const Run& run, const Flag& flag) {
  const bool apart = !run.info.val_texts.empty();
  if (flag.key == key_of<&TrainSettings::tokenizer>)
    return std::string(engine::name_of(run.tokenizer->kind()));
  if (flag.key == key_of<&TrainSettings::document_separator>)
    return std::string(run.tokenizer->appends_end_of_text() ? separator_of(*run.tokenizer) : "");
  if (flag.holds == Holds::for_a_start || (flag.key == key_of<&Plan::val_fraction> && apart))
    return "";
  Settings settings;
  static_cast<Plan&>(settings.train) = run.plan;
  return flag.get(settings);
}

// Throws Error if a flag that must not change was given another value than the run was
// started with.
void check_unchanged(const TrainSettings& settings, const Run& run, const RunFiles& files) {
  const std::optional<Settings> began = first_settings(files);
  Settings now;
  now.train = settings;
  for (const Flag& flag : flags()) {
    const model::SettingKey key = flag.key;
    if (!flag.is_for(Command::train) || !settings.given.has(key)) continue;
    if (flag.holds == Holds::for_a_call || flag.holds == Holds::until_resumed) continue;
    if (key == key_of<&TrainSettings::out_dir>) continue;  // the same directory: check_together
    if (key == key_of<&TrainSettings::val_text> && !run.info.val_texts.empty())
      continue;  // read_again compares them
    if (key == key_of<&TrainSettings::tokenizer> &&
        !settings.tokenizer_request().directory.empty()) {
      check_same_tokenizer(settings, run, files);
      continue;
    }
    const std::string given = began && began->train.given.has(key) ? flag.get(*began) : "",
                      has = value_in(run, flag), is = flag.get(now);
    const std::string& was = given.empty() ? has : given;
    check(is == given || is == has, "--", flag.name, ": the run in ", files.directory,
          !was.empty() ? joined(" was started with ", was, ", not ", is)
          : began      ? joined(" was started without it, not with ", is)
                       : joined(" has no record of its value, so it cannot be ", is),
          "; a resumed run keeps its settings");
  }
}

// Why a run cannot be extended once its learning rate has reached 0, and two commands that come
// closest.
std::string why_no_longer(const TrainSettings& settings, const Launch& launch, const Run& run,
                          const RunFiles& files) {
  SessionRow plain{.processes = launch.processes.count, .command = {launch.program, "train"}};
  for (const TextIdentity& text : run.info.texts) plain.command.push_back(text.path);
  const Index length = std::max(settings.was_given<&Plan::max_iters>() ? settings.max_iters : 1,
                                2 * run.plan.max_iters);
  const std::string longer = next_run(first_session(files.sessions), {"max_iters", joined(length)},
                                      files.directory),
                    further = next_run(plain, {"init_from", files.directory}, files.directory);
  return joined("the run in ", printable(files.directory),
                " cannot be extended, since its learning rate has reached 0 (min_lr) by step ",
                run.step, longer.empty() ? "" : joined("; a longer run: ", unbroken(longer)),
                "; more training of its model: ", unbroken(further));
}

// The run in the checkpoint, changed by the flags.
Run read_run(const TrainSettings& settings, const Launch& launch, const RunFiles& files) {
  Run run = read_run(files);
  check_unchanged(settings, run, files);
  check(!run.plan.has_ended_at_zero(run.step) || !settings.was_given<&Plan::max_iters>() ||
            settings.max_iters <= run.plan.max_iters,
        "--max_iters: ", why_no_longer(settings, launch, run, files));
  take_given(settings.plan_request(), Holds::until_resumed, run.plan);
  return run;
}

// The texts of the run, unchanged since it began; else throws Error with advice.
RunText text_of_run(const TrainSettings& settings, const Run& run, const RunFiles& files) try {
  const Activity reading("reading the text");
  TextPaths named{settings.texts, {}};
  if (!settings.val_text.empty()) named.val_texts = {settings.val_text};
  return read_again(named, run.plan, run.info, *run.tokenizer, files, no_text_for(*run.tokenizer));
} catch (const OtherText& error) {
  fail(error.what(), "; ", error.advice());
}

// If the best model is gone, the next one that is evaluated becomes the best.
void look_for_best_model(Run& run, const RunFiles& files, Notes& notes) {
  if (!std::isfinite(run.best_val_loss) || has_model_of(files, run.best_step)) return;
  notes.add(printable(files.model), ": the model of step ", run.best_step,
            ", the best so far, is missing or damaged; the best of the next evaluations is kept");
  run.best_step = 0;
  run.best_val_loss = std::numeric_limits<double>::infinity();
}

// A run may have been ended after its last checkpoint, while the model that it keeps was measured.
// Without its text there is nothing to measure it on.
void measure_if_missed(const TrainSettings& settings, const Run& run, const RunFiles& files) {
  if (run.plan.eval_iters == 0 && run.plan.eval_tokens == 0) return;
  if (!has_model_of(files, run.best_step)) return;
  const std::optional<KeptLoss> loss = kept_loss(model::read_metadata(files.model));
  if (loss && loss->measured_on > 0) return;
  std::optional<RunText> text;
  try {
    text = text_of_run(settings, run, files);
  } catch (const engine::Error&) {
    return;
  }
  if (!estimates_loss(run.plan, text->corpus)) return;
  const Activity measuring("measuring the model on the whole validation text");
  measure_kept_model(files, run.plan, text->corpus);
}

}  // namespace

std::optional<Prepared> resume(const TrainSettings& settings, const Launch& launch, Notes& notes) {
  const RunFiles files(settings.resume);
  check(is_directory(files.directory), printable(files.directory),
        ": is not a directory, expected a run's directory", maybe_in_out(files.directory));
  auto directory = take_directory(files, notes);
  Run run = with_activity("reading the run", [&] { return read_run(settings, launch, files); });
  const Plan& plan = run.plan;
  check(plan.dtype != ProductDtype::bfloat16 || missing_for_bfloat16().empty(), files.checkpoint,
        ": the run multiplies in bfloat16, which is not possible here: ", missing_for_bfloat16());
  use_dtype(plan.dtype);
  if (run.step >= plan.max_iters) {
    measure_if_missed(settings, run, files);
    notes.write();
    write_line(joined(files.directory, ": finished at step ", run.step, "; ",
                      plan.has_ended_at_zero(run.step)
                          ? why_no_longer(settings, launch, run, files)
                          : std::string("a larger --max_iters continues it")));
    return {};
  }
  check_shares(plan, launch.processes.count);
  auto [sources, corpus] = text_of_run(settings, run, files);
  const Index starts = corpus.size(Split::train) - plan.block_size;
  for (const std::int64_t begin : run.next_batch)
    check(begin < starts, files.checkpoint, ": the next batch begins at ", begin,
          ", beyond the training text");
  check_memory(plan, corpus, launch.processes);
  check_apart(sources.paths(), files.all());
  check_outputs(files, run.step);
  look_for_best_model(run, files, notes);
  if (plan.decay_lr && plan.max_iters > plan.lr_decay_iters && run.step >= plan.warmup_iters)
    notes.add("from step ", plan.lr_decay_iters,
              " (lr_decay_iters) on, the learning rate stays at ", short_text(plan.min_lr),
              "; a new run with a larger max_iters has a longer schedule");
  const double peak_flops =
      measure_peak_flops(engine::kernels::product_precision(), launch.processes);
  const Speed speed = expected_speed(launch, run.tokenizer, plan, corpus, run.step, peak_flops);
  return Prepared{.files = files,
                  .directory = std::move(directory),
                  .sources = std::move(sources),
                  .corpus = std::move(corpus),
                  .run = std::move(run),
                  .peak_flops = peak_flops,
                  .speed = speed};
}

}  // namespace train
