// gradus train: from texts and flags to a run, new or resumed.

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/system.h"
#include "engine/base/thread_pool.h"
#include "model/format/checksum.h"
#include "model/format/fields.h"
#include "model/tokenizer/documents_tokenizer.h"
#include "model/tokenizer/ngram.h"
#include "train/program/commands.h"
#include "train/program/sources.h"
#include "train/program/tokenizer_directory.h"
#include "train/run/budget.h"
#include "train/run/defaults.h"
#include "train/run/session.h"
#include "train/system/peak.h"
#include "train/system/process.h"

namespace train {
namespace {

using engine::check;
using engine::fail;

// The folder of the run: --out_dir, or out/ and the first text's name without its ending.
std::string output_directory(const Settings& settings) {
  if (settings.out_dir) return *settings.out_dir;
  const std::string path = absolute_path(settings.texts.at(0));
  std::string_view name = path;
  while (name.ends_with('/')) name.remove_suffix(1);
  name.remove_prefix(name.find_last_of('/') + 1);  // npos + 1 is 0
  if (const std::size_t dot = name.find_last_of('.'); dot != std::string_view::npos && dot > 0)
    name = name.substr(0, dot);
  return "out/" + std::string(name);
}

// What follows from the number of updates, where it is not given.
void settle_schedule(Plan& plan, const Settings& s) {
  plan.schedule.warmup_iters = s.warmup_iters.value_or(std::min<Index>(100, plan.max_iters / 10));
  plan.schedule.lr_decay_iters = s.lr_decay_iters.value_or(plan.max_iters);
  plan.eval_interval = s.eval_interval.value_or(std::clamp<Index>(plan.max_iters / 8, 1, 250));
}

// Flags over what suits the text.
Plan make_plan(const Settings& s, Index tokens, Index vocabulary) {
  Plan plan = default_plan(tokens, vocabulary, s.minutes ? flops_in(*s.minutes) : default_flops);
  const auto override_by = [](auto& value, const auto& flag) {
    if (flag) value = *flag;
  };
  override_by(plan.model.block_size, s.block_size);
  override_by(plan.model.n_layer, s.n_layer);
  // A width or a number of heads given alone takes the other with it.
  override_by(plan.model.n_embd, s.n_embd);
  if (s.n_head) {
    plan.model.n_head = *s.n_head;
    if (!s.n_embd)
      plan.model.n_embd = *s.n_head * std::max<Index>(1, plan.model.n_embd / *s.n_head);
  } else {
    while (plan.model.n_embd % plan.model.n_head != 0) --plan.model.n_head;
  }
  plan.model.dropout = s.dropout;
  plan.model.bias = s.bias;
  model::parse_field("activation", s.activation, plan.model.activation);
  plan.val_fraction = s.val_fraction;
  override_by(plan.batch_size, s.batch_size);
  plan.gradient_accumulation_steps = s.gradient_accumulation_steps;
  override_by(plan.max_iters, s.max_iters);
  plan.eval_iters = s.eval_iters;
  plan.save_interval = s.save_interval;
  override_by(plan.schedule.learning_rate, s.learning_rate);
  plan.schedule.min_lr = s.min_lr.value_or(plan.schedule.learning_rate / 10);
  plan.schedule.decay_lr = s.decay_lr;
  settle_schedule(plan, s);
  plan.optimiser = {
      .beta1 = s.beta1, .beta2 = s.beta2, .weight_decay = s.weight_decay, .grad_clip = s.grad_clip};
  plan.seed = s.seed;
  plan.model.validate();
  plan.validate();
  return plan;
}

Index log_interval(const Settings& settings, const Plan& plan) {
  return settings.log_interval.value_or(std::clamp<Index>(plan.max_iters / 20, 1, 100));
}

void check_memory(const Plan& plan) {
  const double needed = plan.model.training_bytes(plan.batch_size, plan.model.block_size);
  const auto there = static_cast<double>(engine::total_memory());
  const auto gigabytes = [](double bytes) { return fixed_text(bytes / 1e9, 1) + " GB"; };
  check(there == 0 || needed <= there, "training needs about ", gigabytes(needed),
        " of memory, this machine has ", gigabytes(there),
        "; a smaller --n_embd, --n_layer, --block_size or --batch_size needs less");
}

// What counting alone reaches on the same split: see whether the model has learned more than that.
model::Metadata count_ngrams(const Corpus& corpus, Index vocabulary) {
  constexpr Index most_tokens = 20'000'000;
  model::Metadata notes;
  if (corpus.ids().size() > most_tokens) return notes;
  const std::vector<double> losses =
      model::ngram_losses(corpus.ids(), corpus.size(Split::train), vocabulary);
  std::string line =
      "for comparison, validation losses of n-grams with a context of 0, 1, ... tokens:";
  for (std::size_t k = 0; k < losses.size(); ++k) {
    notes.emplace(engine::text("ngram_", k), model::field_text(losses[k]));
    line.append(1, ' ').append(fixed_text(losses[k], 4));
  }
  write_line(line);
  return notes;
}

void announce(const Plan& plan, const Sources& sources, const model::Tokenizer& tokenizer,
              const Corpus& corpus, Index first_step, const RunFiles& files) {
  const model::Config& m = plan.model;
  // Steps reach about half of the peak; the closing words of the run say what it was.
  const Index sequences = plan.batch_size * plan.gradient_accumulation_steps;
  const double seconds = static_cast<double>(plan.max_iters - first_step) *
                         m.step_flops(sequences, m.block_size) /
                         (0.5 * engine::kernels::measure_peak_flops());
  const Index all = corpus.ids().size(), training = corpus.size(Split::train);
  const std::string judge = sources.are_apart()
                                ? engine::text(", judged by the ", count_text(all - training),
                                               " of ", sources.validation.name)
                                : "";
  write_line(engine::text(
      sources.training.name, ": ", count_text(sources.are_apart() ? training : all), " tokens (",
      tokenizer.kind(), ", ", m.vocab_size, " distinct)", judge, "; a GPT of ", m.n_layer,
      " layers, ", m.n_head, " heads, ", m.n_embd, " channels, ", count_text(m.parameter_count()),
      " parameters; steps ", first_step, " to ", plan.max_iters, " of ", sequences, " x ",
      m.block_size, " tokens, about ", duration_text(seconds), " on ", engine::thread_count(),
      " threads; in ", files.directory));
}

int finish(Session& session, const Plan& plan, const RunFiles& files) {
  const int signal = session.run();
  if (signal != 0) return 128 + signal;
  write_line(engine::text("done: ", plan.max_iters, " steps, best validation loss ",
                          fixed_text(session.best_loss(), 4), " at step ", session.best_step(),
                          ", peak memory ",
                          fixed_text(static_cast<double>(engine::peak_memory()) / 1e6, 0),
                          " MB; to read what it writes: gradus sample ", files.directory));
  return 0;
}

int start(const Settings& settings) {
  Sources sources{read_texts(settings.texts), {}};
  if (settings.val_text) sources.validation = read_texts({*settings.val_text});
  std::vector<std::string> notes = settings.notes;
  const model::TokenizerHandle tokenizer = make_tokenizer(settings, sources, notes);
  Tokens tokens = encode(sources, *tokenizer);
  Plan plan = make_plan(settings, tokens.training, tokenizer->vocabulary_size());
  const Corpus corpus = make_corpus(std::move(tokens), sources, plan);
  check_memory(plan);

  const RunFiles files(output_directory(settings));
  const OutputDirectory directory(files.directory);
  const bool exists = file_exists(files.checkpoint) || file_exists(files.model);
  check(settings.force || !exists, files.directory, ": there is a run already; --resume ",
        files.directory, " goes on with it, --force starts anew, --out_dir DIR writes elsewhere");
  for (const std::string* path : {&files.checkpoint, &files.model, &files.log}) probe_output(*path);
  for (const std::string* path : {&files.checkpoint, &files.model, &files.log}) remove_file(*path);

  for (const std::string& note : notes) write_line(note);
  if (settings.minutes) {
    plan.max_iters = updates_in(*settings.minutes, plan, corpus);
    settle_schedule(plan, settings);
  }
  announce(plan, sources, *tokenizer, corpus, 0, files);
  const RunFacts facts{sources.training.identities, sources.validation.identities,
                       count_ngrams(corpus, plan.model.vocab_size)};
  catch_signals();
  model::GPT gpt(plan.model);
  Trainer trainer(gpt, corpus, plan);
  Session session(files, trainer, gpt, *tokenizer, plan, facts, log_interval(settings, plan));
  return finish(session, plan, files);
}

// A flag given with --resume must say what the run was started with, unless it may change.
void check_unchanged(const Settings& settings, const model::Metadata& metadata,
                     const Checkpoint& run, const RunFiles& files) {
  const bool apart = !run.facts.val_texts.empty();
  const std::optional<std::int32_t> ends = run.tokenizer->separator();
  const std::string separator(ends ? run.tokenizer->token_bytes(*ends) : "");
  constexpr std::string_view may_change[] = {"resume",       "max_iters",     "eval_interval",
                                             "log_interval", "save_interval", "threads"};
  for (const std::string_view name : settings.given) {
    if (std::ranges::find(may_change, name) != std::end(may_change)) continue;
    if (name == "val_text" && apart) continue;  // its contents must be the same
    if (name == "tokenizer" && is_tokenizer_directory(settings)) {
      model::TokenizerHandle named = read_tokenizer_directory(settings.tokenizer);
      if (!separator.empty()) named = std::make_shared<model::DocumentTokenizer>(named, separator);
      check(named->save() == run.tokenizer->save(), "--tokenizer: the run in ", files.directory,
            " was started with another than that in ", settings.tokenizer);
      continue;
    }
    const Flag& flag = *find_flag(name);
    const auto stored = metadata.find(name);
    std::string was = stored == metadata.end() ? "" : stored->second;
    if (name == "tokenizer") was = run.tokenizer->kind();
    if (name == "val_fraction" && apart) was.clear();
    if (name == "document_separator") was = separator;
    if (name == "out_dir") was = files.directory;
    Settings as_stored;
    if (!was.empty()) flag.set(as_stored, was, name);
    const std::string is = flag.get(settings);
    check(!was.empty() && flag.get(as_stored) == is, "--", name, ": the run in ", files.directory,
          was.empty() ? " was started without it" : " was started with " + was, ", not ", is,
          "; a resumed run goes on with what it began with");
  }
}

// The texts the run was started on: those named, or those it stored the names of.
Texts read_again(std::vector<std::string> named, const std::vector<TextIdentity>& stored,
                 std::string_view what, const RunFiles& files) {
  if (named.empty())
    for (const TextIdentity& text : stored) {
      check(!text.path.empty(), files.directory, ": the name of a ", what,
            " could not be stored; name it again beside --resume");
      named.push_back(text.path);
    }
  Texts texts = read_texts(named);
  check(texts.paths.size() == stored.size(), texts.name, ": the run in ", files.directory,
        " was started on ", stored.size(), ' ', what, stored.size() == 1 ? "" : "s", ", not ",
        texts.paths.size());
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const TextIdentity &was = stored[i], &is = texts.identities[i];
    check(was.size == is.size && was.hash == is.hash, texts.paths[i], ": is not the ", what,
          " the run was started on, ", was.path, " (", was.size, " bytes, checksum ",
          model::checksum_text(was.hash), "): ", is.size, " bytes, checksum ",
          model::checksum_text(is.hash));
  }
  return texts;
}

// write_file, but where the file has these bytes already.
void replace_file(const std::string& path, model::SafetensorsWriter writer) {
  const std::vector<std::string_view> pieces = writer.pieces();
  std::string bytes;
  for (const std::string_view piece : pieces) bytes += piece;
  if (!file_exists(path) || read_file(path, largest_file()) != bytes) write_file(path, pieces);
}

int resume(const Settings& settings) {
  const RunFiles files(*settings.resume);
  const DirectoryLock lock(files.directory);
  FileBytes bytes = read_large_file(files.checkpoint, largest_file());
  const auto named = [&](auto&& read) {
    try {
      return read();
    } catch (const UsageError&) {
      throw;
    } catch (const engine::Error& error) {
      fail(files.checkpoint, ": ", error.what());
    }
  };
  const model::SafetensorsFile file = named([&] { return model::SafetensorsFile(view(bytes)); });
  Checkpoint run = named([&] { return read_checkpoint(file); });
  Plan plan = run.plan;
  check_unchanged(settings, file.metadata(), run, files);
  if (settings.max_iters) plan.max_iters = *settings.max_iters;
  if (settings.eval_interval) plan.eval_interval = *settings.eval_interval;
  if (settings.was_given("save_interval")) plan.save_interval = settings.save_interval;
  if (run.state.step >= plan.max_iters) {
    if (run.closing)  // a kill may have come between the checkpoint and the model of its step
      replace_file(files.model, model_file(run.gpt, *run.tokenizer, run.plan, run.facts,
                                           run.state.step, run.closing->val_loss));
    write_line(engine::text(files.directory, ": finished at step ", run.state.step,
                            "; a larger --max_iters goes on from there"));
    return 0;
  }

  Sources sources{read_again(settings.texts, run.facts.texts, "text", files), {}};
  if (!run.facts.val_texts.empty()) {
    std::vector<std::string> paths;
    if (settings.val_text) paths.push_back(*settings.val_text);
    sources.validation = read_again(paths, run.facts.val_texts, "validation text", files);
  }
  const Corpus corpus = make_corpus(encode(sources, *run.tokenizer), sources, plan);
  const Index most = corpus.size(Split::train) - plan.model.block_size;
  for (const std::int64_t start : run.state.starts)
    check(start < most, files.checkpoint, ": the next batch begins at ", start,
          ", beyond the training text");
  check_memory(plan);
  for (const std::string* path : {&files.checkpoint, &files.model, &files.log}) probe_output(*path);

  if (run.closing && run.closing->earlier_best)
    replace_file(files.model, model_file(*run.closing->earlier_best, *run.tokenizer, run.plan,
                                         run.facts, run.state.best_step, run.state.best_val_loss));
  run.closing.reset();
  const Index step = run.state.step;
  Trainer trainer(run.gpt, corpus, plan, std::move(run.state));
  named([&] { read_moments(file, trainer); });
  FileBytes().swap(bytes);
  engine::pool::trim();  // the file has been read: its memory is for training
  Session session(files, trainer, run.gpt, *run.tokenizer, plan, run.facts,
                  log_interval(settings, plan), run.log_bytes);
  announce(plan, sources, *run.tokenizer, corpus, step, files);
  catch_signals();
  return finish(session, plan, files);
}

}  // namespace

int train_command(const Settings& settings) {
  if (settings.threads) engine::set_thread_count(static_cast<int>(*settings.threads));
  return settings.resume ? resume(settings) : start(settings);
}

}  // namespace train
