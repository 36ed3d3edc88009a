#include "train/program/resume.h"

#include <memory>
#include <optional>

#include "engine/base/check.h"
#include "model/tokenizer/document_tokenizer.h"
#include "train/exchange/open_run.h"
#include "train/record/record.h"
#include "train/run/make_plan.h"
#include "train/run/verdict.h"
#include "train/text/tokenizer_directory.h"

namespace train {

using engine::check;

namespace {

void check_same_tokenizer(const Settings& settings, const Run& run, const RunFiles& files) {
  model::TokenizerHandle named = read_tokenizer_directory(settings.tokenizer);
  if (const std::string separator(separator_of(*run.tokenizer)); !separator.empty())
    named =
        std::make_shared<model::DocumentTokenizer>(named, separator, run.tokenizer->ends_texts());
  check(named->save() == run.tokenizer->save(), "--tokenizer: the run in ", files.directory,
        " was started with another than that in ", settings.tokenizer);
}

// The value that the run was started with, as the flag's text; empty if it was started without the
// flag.
std::string started_with(const Flag& flag, const Run& run) {
  const bool apart = !run.facts.val_texts.empty();
  if (flag.name == "tokenizer") return std::string(run.tokenizer->kind());
  if (flag.name == "document_separator")
    return std::string(run.tokenizer->ends_texts() ? separator_of(*run.tokenizer) : "");
  if (flag.holds == Holds::for_a_start || (flag.name == "val_fraction" && apart)) return "";
  Settings settings;
  static_cast<Plan&>(settings) = run.plan;
  return flag.get(settings);
}

// Throws engine::Error if a flag that must not change was given another value than the run was
// started with.
void check_unchanged(const Settings& settings, const Run& run, const RunFiles& files) {
  for (const std::string_view name : settings.given) {
    const Flag& flag = *find_flag(name);
    if (flag.holds == Holds::for_a_call || flag.holds == Holds::until_resumed) continue;
    if (name == "out_dir") continue;  // the same directory: check_together
    if (name == "val_text" && !run.facts.val_texts.empty()) continue;  // read_again compares them
    if (name == "tokenizer" && is_tokenizer_directory(settings.tokenizer)) {
      check_same_tokenizer(settings, run, files);
      continue;
    }
    const std::string was = started_with(flag, run), is = flag.get(settings);
    check(was == is, "--", name, ": the run in ", files.directory,
          was.empty() ? " was started without it" : " was started with " + was, ", not ", is,
          "; a resumed run goes on with what it began with");
  }
}

}  // namespace

std::string why_no_longer(const Settings& settings, const Run& run, const RunFiles& files) {
  std::string train = settings.program + " train";
  for (const TextIdentity& text : run.facts.texts) train += ' ' + engine::shell_quoted(text.path);
  const std::string began = first_command(record_file(files.sessions));
  const Index length =
      std::max(settings.was_given("max_iters") ? settings.max_iters : 0, 2 * run.plan.max_iters);
  const std::string longer = another_run(began.empty() ? train : began,
                                         engine::joined("--max_iters ", length), files.directory),
                    further =
                        another_run(train, "--init_from " + engine::shell_quoted(files.directory),
                                    files.directory);
  return engine::joined(
      "the learning rate of the run in ", engine::printable(files.directory),
      " has ended at 0 (min_lr) by step ", run.step,
      ", so that more updates change nothing; a longer run: ", engine::unbroken(longer),
      "; more training of its model: ", engine::unbroken(further));
}

Run read_run(const Settings& settings, const RunFiles& files) {
  Run run = read_run(files);
  check_unchanged(settings, run, files);
  check(!run.plan.has_ended_at_zero(run.step) || !settings.was_given("max_iters") ||
            settings.max_iters <= run.plan.max_iters,
        "--max_iters: ", why_no_longer(settings, run, files));
  take_given(settings.plan_wish(), Holds::until_resumed, run.plan);
  return run;
}

}  // namespace train
