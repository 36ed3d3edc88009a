// gradus train: starts a run, or resumes one (resume.h).

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/utf8.h"
#include "train/exchange/open_model.h"
#include "train/program/announce.h"
#include "train/program/commands.h"
#include "train/program/prepared.h"
#include "train/program/resume.h"
#include "train/program/together.h"
#include "train/record/run_directory.h"
#include "train/system/activity.h"
#include "train/system/files.h"
#include "train/system/peak.h"
#include "train/system/precision.h"
#include "train/system/words.h"
#include "train/text/sources.h"

namespace train {

namespace {

// The directory of the run: --out_dir, or out/ and the first text's name without its extension.
std::string output_directory(const TrainSettings& settings) {
  if (!settings.out_dir.empty()) return settings.out_dir;
  const std::string name = last_name(settings.texts.at(0));
  const std::size_t dot = name.rfind('.');  // npos: it has no extension
  return "out/" + name.substr(0, dot == 0 ? name.npos : dot);
}

// The model that --init_from names, and whether it was trained on these texts.
struct Base {
  OpenedModel opened;
  bool knows_text;
};

std::optional<Base> open_base(const TrainSettings& settings, const Texts& texts, Notes& notes) {
  if (settings.init_from.empty()) return std::nullopt;
  const Activity reading("reading the model");
  OpenedModel opened = open_model(settings.init_from);
  const bool knows_text =
      opening(opened.path, [&] { return known_text(opened.model.metadata, texts) != nullptr; });
  notes.add("begins with the weights of ", printable(opened.path),
            knows_text ? ", which was trained on this text" : "",
            knows_text && !settings.is_nanogpt()
                ? ": the default learning rate is a quarter of that for another text"
                : "");
  return Base{std::move(opened), knows_text};
}

std::string_view separator_for(const TrainSettings& settings, const std::optional<Base>& base) {
  return base ? separator_of(*base->opened.model.tokenizer)
              : std::string_view(settings.document_separator);
}

model::TokenizerHandle tokenizer_for(const TrainSettings& settings, const std::optional<Base>& base,
                                     const Sources& sources, Notes& notes) {
  return base ? tokenizer_of_model(settings.document_separator, base->opened.model.tokenizer,
                                   sources.texts, notes)
              : make_tokenizer(settings.tokenizer_request(), sources, notes);
}

Sources read_sources(const TrainSettings& settings, std::optional<Base>& base, Notes& notes) {
  const NoText no_text = settings.tokenizer_request().kind == model::TokenizerKind::byte
                             ? NoText::read
                             : NoText::advise_bytes;
  Texts texts, val_texts;
  with_activity("reading the text", [&] {
    texts = read_texts(settings.texts, no_text, notes);
    if (!settings.val_text.empty()) val_texts = read_texts({settings.val_text}, no_text, notes);
  });
  for (const std::string& path : settings.texts)
    if (path.ends_with(".py"))
      notes.add(printable(path), ": is read as training text; did you mean --config ",
                shell_quoted(path), "?");
  base = open_base(settings, texts, notes);
  Sources sources = split_texts(std::move(texts), std::move(val_texts), settings.val_fraction,
                                separator_for(settings, base));
  note_copies(sources, notes);
  return sources;
}

// The dtype of products. With --init_from it is float32, as in eval, so that the run begins with
// the loss that eval prints.
ProductDtype choose_dtype(const TrainSettings& settings) {
  const bool exact = settings.is_nanogpt() || !settings.init_from.empty();
  return resolved_dtype(settings.was_given<&Plan::dtype>() ? settings.dtype
                        : exact                            ? ProductDtype::float32
                                                           : ProductDtype::automatic);
}

// Sets that dtype from now on. Returns the peak of all processes together, with which --minutes
// chooses the model's size.
double choose_products(const TrainSettings& settings, const Processes& processes,
                       PlanRequest& request) {
  request.values.dtype = choose_dtype(settings);
  use_dtype(request.values.dtype);
  const double peak_flops = measure_peak_flops(engine::kernels::product_precision(), processes);
  if (settings.minutes > 0) request.flops = flops_in(settings.minutes, peak_flops);
  return peak_flops;
}

// Throws Error if the directory holds something that only --force may replace.
void check_holds_no_run(const RunFiles& files) {
  check(!has_begun(files), printable(files.directory), ": a run exists already; --resume ",
        shell_quoted(files.directory),
        " continues it, --force replaces it, --out_dir DIR writes elsewhere");
  const std::vector<std::string> others = files_of_others(files);
  if (!others.empty())
    fail(printable(others.front()),
         ": was not written by gradus; --force renames it to NAME.bak, --out_dir DIR "
         "writes elsewhere");
}

// Throws Error if the run would overwrite its own inputs.
void check_keeps_inputs(const TrainSettings& settings, const Sources& sources,
                        const std::optional<Base>& base, const RunFiles& files) {
  std::vector<std::string> read = sources.paths();
  read.insert(read.end(), settings.config.begin(), settings.config.end());
  if (base) read.push_back(base->opened.path);
  check_apart(read, files.with_report());
}

// usual: the sequences of an update in one process.
void note_shares(const Plan& plan, Index usual, int processes, Notes& notes) {
  const Index sequences = plan.sequences_per_update();
  notes.add(processes, " processes: each takes ", counted(plan.batch_size, "sequence"),
            " of an update's ", sequences,
            usual == sequences ? "" : joined(" (one process: ", usual, ")"),
            ", as with --gradient_accumulation_steps ", processes, " --batch_size ",
            plan.batch_size);
}

Prepared start(const TrainSettings& settings, const Launch& launch, Notes& notes) {
  // Take the directory.
  const RunFiles files(output_directory(settings));
  auto directory = take_directory(files, notes);
  if (!settings.force) check_holds_no_run(files);
  check_outputs(files, 0);

  // Read, and split.
  std::optional<Base> base;
  Sources sources = read_sources(settings, base, notes);
  check_keeps_inputs(settings, sources, base, files);

  // Learn the tokenizer, and encode.
  const model::TokenizerHandle tokenizer = with_activity(
      "making the tokenizer", [&] { return tokenizer_for(settings, base, sources, notes); });
  Corpus corpus = with_activity("cutting the text into tokens", [&] {
    return encode(sources, *tokenizer, settings.unknown == Unknown::skip, notes);
  });

  // Plan.
  PlanRequest request = settings.plan_request();
  if (!request.given.has<&Plan::val_fraction>() && !sources.are_apart())
    request.longest_context = corpus.longest_context();
  const double peak_flops = choose_products(settings, launch.processes, request);
  const auto plan_for = [&](int processes) {
    request.processes = processes;
    return base ? make_fine_tuning_plan(request, corpus.size(Split::train),
                                        base->opened.model.gpt.config, base->knows_text,
                                        printable(base->opened.path))
                : make_plan(request, sources.characters, tokenizer->vocabulary_size());
  };
  const Index usual = plan_for(1).sequences_per_update();
  Plan plan = plan_for(launch.processes.count);
  if (request.processes > 1 && !request.given.has<&Plan::gradient_accumulation_steps>())
    note_shares(plan, usual, request.processes, notes);
  check_context(sources, corpus, plan.block_size);
  free_text(sources);
  complete_schedule(plan, request, corpus);
  check_memory(plan, corpus, launch.processes);

  // Measure the text, and the machine.
  RunInfo info = info_of_texts(sources, corpus, plan.vocab_size, *tokenizer, notes);
  info.validation = validation_place(sources, plan.val_fraction);
  const Speed speed =
      expected_speed(launch, tokenizer, plan, corpus, 0, peak_flops, settings.minutes);
  if (settings.minutes > 0) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - launch.start;
    fit_to_minutes(request, settings.minutes, spent.count(), speed, corpus, plan, notes);
  }
  info.record_interval = engine::ceil_div(plan.eval_interval, 250);
  if (base) info.init_from = printable(settings.init_from);

  Run run(base ? Training(plan, base->opened.model.gpt, corpus) : Training(plan, corpus), tokenizer,
          info);
  note_on(plan, settings, notes);
  return Prepared{.files = files,
                  .directory = std::move(directory),
                  .sources = std::move(sources),
                  .corpus = std::move(corpus),
                  .run = std::move(run),
                  .peak_flops = peak_flops,
                  .speed = speed};
}

}  // namespace

int train_command(const TrainSettings& settings, const Launch& launch, Notes& notes) {
  Processes::check_build();
  std::optional<Prepared> prepared =
      settings.resumes() ? resume(settings, launch, notes) : start(settings, launch, notes);
  return prepared ? train(*prepared, settings, launch, notes) : 0;
}

}  // namespace train
