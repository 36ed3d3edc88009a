#include "train/program/resume.h"

#include <memory>
#include <optional>

#include "engine/base/check.h"
#include "engine/base/files.h"
#include "model/format/checksum.h"
#include "model/tokenizer/document_tokenizer.h"
#include "train/exchange/open_foreign.h"
#include "train/run/checkpoint.h"
#include "train/run/make_plan.h"
#include "train/text/tokenizer_directory.h"

namespace train {

using engine::check;
using engine::joined;
using engine::printable;

namespace {

std::string separator_of(const model::Tokenizer& tokenizer) {
  const std::optional<std::int32_t> id = tokenizer.separator();
  return id ? std::string(tokenizer.token_bytes(*id)) : "";
}

void check_same_tokenizer(const Settings& settings, const Run& run, const RunFiles& files) {
  model::TokenizerHandle named = read_tokenizer_directory(settings.tokenizer);
  if (const std::string separator = separator_of(*run.tokenizer); !separator.empty())
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
    return run.tokenizer->ends_texts() ? separator_of(*run.tokenizer) : "";
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
    if (name == "tokenizer" && is_tokenizer_directory(settings)) {
      check_same_tokenizer(settings, run, files);
      continue;
    }
    const std::string was = started_with(flag, run), is = flag.get(settings);
    check(was == is, "--", name, ": the run in ", files.directory,
          was.empty() ? " was started without it" : " was started with " + was, ", not ", is,
          "; a resumed run goes on with what it began with");
  }
}

std::string bytes_text(std::uint64_t size) {
  return engine::counted(static_cast<Index>(size), "byte");
}

Texts read_texts_again(std::vector<std::string> named, const std::vector<TextIdentity>& stored,
                       std::string_view kind, const RunFiles& files) {
  const std::string shown = printable(files.directory);
  const bool by_stored_path = named.empty();
  if (by_stored_path)
    for (const TextIdentity& text : stored) {
      if (text.path.empty())
        throw OtherText(joined(shown, ": the name of a ", kind, " could not be stored"),
                        "name it again beside --resume");
      named.push_back(text.path);
    }
  Texts texts;
  try {  // what they are was looked at, and said, at the start
    Notes said;
    texts = read_texts(named, NoText::read, said);
  } catch (const engine::SystemError& error) {
    if (!by_stored_path) throw;
    throw OtherText(error.what(), "if it has moved, name it again beside --resume");
  }
  check(texts.paths.size() == stored.size(), texts.name, ": the run in ", shown, " was started on ",
        engine::counted(std::ssize(stored), kind), ", not ", texts.paths.size());
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const TextIdentity &was = stored[i], &is = texts.identities[i];
    if (was.size != is.size || was.hash != is.hash)
      throw OtherText(joined(printable(texts.paths[i]), ": is not the ", kind,
                             " the run was started on, ", printable(was.path), " (",
                             bytes_text(was.size), ", checksum ", engine::hex(was.hash, 16),
                             "): ", bytes_text(is.size), ", checksum ", engine::hex(is.hash, 16)),
                      "a run goes on with its own text only, --force begins anew with another");
  }
  return texts;
}

}  // namespace

Run read_run(const RunFiles& files) {
  Run run = [&] {
    const engine::FileBytes bytes = engine::read_large_file(
        files.checkpoint, engine::max_file_size(), model::look_at_safetensors);
    try {
      return read_checkpoint(model::SafetensorsFile(view(bytes)));
    } catch (const engine::Error& error) {
      engine::fail(files.checkpoint, ": ", error.what());
    } catch (const std::bad_alloc& error) {
      fail_too_large(files.checkpoint, error, "the run");
    }
  }();
  engine::pool::trim();  // gives the file's memory back
  return run;
}

Run read_run(const Settings& settings, const RunFiles& files) {
  Run run = read_run(files);
  check_unchanged(settings, run, files);
  check(!run.plan.has_ended_at_zero(run.step) || !settings.was_given("max_iters") ||
            settings.max_iters <= run.plan.max_iters,
        "--max_iters: the learning rate of the run in ", files.directory,
        " has ended at 0 (min_lr) by step ", run.step,
        ", so that more updates change nothing; start a new run with --max_iters ",
        settings.max_iters);
  take_given(settings, Holds::until_resumed, run.plan);
  return run;
}

Sources read_again(const Settings& settings, const Facts& facts, const RunFiles& files) {
  Sources sources{read_texts_again(settings.texts, facts.texts, "text", files), {}};
  if (facts.val_texts.empty()) return sources;
  std::vector<std::string> named;
  if (!settings.val_text.empty()) named.push_back(settings.val_text);
  sources.validation = read_texts_again(named, facts.val_texts, "validation text", files);
  return sources;
}

}  // namespace train
