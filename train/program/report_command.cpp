// gradus report: a page to look at a run, or at several.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "model/base/files.h"
#include "model/base/utf8.h"
#include "model/format/safetensors.h"
#include "train/cli/next_run.h"
#include "train/exchange/open_model.h"
#include "train/exchange/open_run.h"
#include "train/program/commands.h"
#include "train/program/prompt.h"
#include "train/record/run_directory.h"
#include "train/record/run_files.h"
#include "train/report/data.h"
#include "train/report/report.h"
#include "train/run/checkpoint.h"
#include "train/system/activity.h"
#include "train/system/files.h"
#include "train/system/process.h"
#include "train/system/words.h"
#include "train/text/sources.h"

namespace train {

namespace {

// The texts of the run as tokens, if they have not changed.
void read_corpus(const RunFiles& files, ReportedRun& run) try {
  run.corpus = read_again({}, run.plan, run.info, run.tokenizer(), files).corpus;
} catch (const Error& error) {
  run.no_corpus = error.what();
}

ReportedRun open_run(const std::string& path) {
  const RunFiles files(path);
  check(is_directory(path), printable(path), ": is not a directory, expected a run's directory",
        maybe_in_out(path));
  check(file_exists(files.checkpoint) || file_exists(files.model), printable(path),
        ": holds no run, expected the directory that gradus train wrote");
  // The run's description from the checkpoint, or from the model if there is no checkpoint.
  const std::string& file = file_exists(files.checkpoint) ? files.checkpoint : files.model;
  const model::Metadata metadata = model::read_metadata(file);
  ReportedRun run(path, open_model(path).model);
  opening(file, [&] {
    if (file == files.checkpoint) check_format(metadata, files.directory);
    static_cast<RunDescription&>(run) = read_description(metadata, run.model.gpt.config);
    if (const std::optional<KeptLoss> kept = kept_loss(run.model.metadata)) {
      run.kept = *kept;
      run.model_step = model::metadata_value<Index>(run.model.metadata, "step");
    }
  });
  run.log = read_record(files.log, read_log);
  run.times = read_record(files.times, read_times);
  run.samples = read_record(files.samples, read_samples);
  run.sessions = read_record(files.sessions, read_sessions);
  run.next_run = [files](const Change& change) {
    return next_run(first_session(files.sessions), change, files.directory);
  };
  read_corpus(files, run);
  return run;
}

std::string last_part(const std::string& path) {
  const std::string name = model::without_separators(path);
  return name.substr(last_separator(name) + 1);  // npos + 1 is 0
}

// The page's file without --output: in the run's directory for one run; report-A-B.html in the
// current directory for several.
std::string page_of(const std::vector<std::string>& paths) {
  if (paths.size() == 1) return RunFiles(paths[0]).report;
  constexpr std::size_t longest = 200;  // a file's name has at most 255 bytes
  std::string name = "report";
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string part = '-' + last_part(absolute_path(paths[i]));
    if (name.size() + part.size() > longest) {
      name += joined("-and-", paths.size() - i, "-more");
      break;
    }
    name += part;
  }
  return name + ".html";
}

// Runs side by side are named by the last part of their path, if these differ.
void shorten_names(std::vector<ReportedRun>& runs) {
  std::vector<std::string> names;
  for (const ReportedRun& run : runs) names.push_back(last_part(run.name));
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end() || sorted.front().empty()) return;
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].name = names[i];
}

// The first tokens of the validation part, at most `most`, starting where a character begins: with
// tokens of bytes, the part may begin inside a character.
std::vector<std::int32_t> first_tokens(const ReportedRun& run, Index most) {
  const Index part = run.corpus->begin(Split::validation),
              end = part + run.corpus->size(Split::validation);
  const auto is_inside_a_character = [&](Index i) {
    const std::string_view token = run.tokenizer().token_bytes(run.corpus->ids()[i]);
    return !token.empty() && static_cast<unsigned char>(token.front()) >> 6 == 2;
  };
  Index begin = part;
  while (begin < std::min(part + 3, end - 1) && is_inside_a_character(begin)) ++begin;
  std::vector<std::int32_t> ids(engine::unsigned_size(std::min(most, end - begin)));
  run.corpus->ids().copy(begin, ids);
  return ids;
}

// The largest number of tokens to show attention for.
Index most_on_maps(const model::Config& config) {
  return std::min(tokens_on_maps(config.n_layer * config.n_head, config.causal), config.block_size);
}

// The tokens of --prompt, which the model continues; none if it was not given.
std::vector<std::int32_t> read_prompt_of(const Settings& settings, const ReportedRun& run) {
  if (settings.prompt.empty()) return {};
  Notes notes;
  const Prompt prompt = read_prompt(settings.prompt, notes);
  notes.write();
  const std::vector<std::int32_t> ids =
      encode(run.tokenizer(), prompt, settings.unknown == Unknown::skip);
  check(ids.size() >= 2, "--prompt: has ", counted(std::ssize(ids), "token"),
        ", expected at least 2: attention is between tokens");
  const Index most = most_on_maps(run.model.gpt.config);
  if (std::ssize(ids) > most)
    write_line(joined("--prompt: the attention of the first ", most, " of its ", ids.size(),
                      " tokens is shown"));
  return ids;
}

// The tokens to show attention for: the prompt's; else the beginning of the validation text, or of
// what the model wrote last.
std::vector<std::int32_t> shown_tokens(const ReportedRun& run, std::vector<std::int32_t> ids) {
  constexpr Index usual = 24;
  Index most = most_on_maps(run.model.gpt.config);
  if (ids.empty()) {
    most = std::min(usual, most);
    if (run.corpus) return first_tokens(run, most);
    if (!run.samples.empty() && !run.samples.back().text.empty())
      ids = encode(run.tokenizer(), {"samples.txt", run.samples.back().text}, true);
  }
  ids.resize(std::min(ids.size(), engine::unsigned_size(most)));
  return ids;
}

// out/* names whatever is there: of several paths, those that hold no run are left out.
Settings of_runs(Settings settings, Notes& notes) {
  const auto is_other = [](const std::string& path) {
    return file_exists(path) && !holds_run(RunFiles(path));
  };
  if (settings.report.runs.size() == 1 || std::ranges::all_of(settings.report.runs, is_other))
    return settings;
  std::erase_if(settings.report.runs, [&](const std::string& path) {
    const bool is_left_out = is_other(path);
    if (is_left_out) notes.add(printable(path), ": holds no run, left out");
    return is_left_out;
  });
  return settings;
}

// Writes the page, and a line about it if `says`. Returns whether the watched run has reached its
// end.
bool write_report(const Settings& settings, bool says) {
  const auto start = std::chrono::steady_clock::now();
  std::optional<Activity> working("reading the runs");
  std::vector<ReportedRun> runs;
  for (const std::string& path : settings.report.runs) runs.push_back(open_run(path));
  working.reset();
  const std::vector<std::int32_t> prompt = read_prompt_of(settings, runs[0]);
  const std::string path =
      settings.output.empty() ? page_of(settings.report.runs) : settings.output;
  const bool to_output = path == "-";
  if (!to_output) {
    probe_output(path);
    check(settings.force || !file_exists(path) || is_our_page(path), printable(path),
          ": exists already, and gradus report did not write it; --force replaces it");
    for (const ReportedRun& run : runs) {
      const RunFiles files(run.directory);
      if (path == files.report) check_no_link(path);
      check_apart(files.all(), {&path, 1});
      for (const TextIdentity& text : run.info.texts) check_apart({&text.path, 1}, {&path, 1});
    }
  }
  for (const ReportedRun& run : runs)
    if (!run.corpus && says)
      write_line(joined("the page leaves out what needs the text of the run: ", run.no_corpus));

  if (runs.size() > 1) shorten_names(runs);
  working.emplace("looking at the model");
  const bool is_over = !settings.report.watch || runs[0].step >= runs[0].plan.max_iters;
  const auto page_of_run = [&] {
    return run_report(runs[0], shown_tokens(runs[0], prompt), prompt, !is_over);
  };
  const std::string page = runs.size() == 1
                               ? model::within(page_of_run, printable(runs[0].directory))
                               : comparison_report(runs);
  working.reset();
  if (to_output) {
    (void)write_output(page);  // a closed pipe is no error
    return true;
  }
  const std::string_view bytes = page;
  write_file(path, {&bytes, 1});
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  if (says || is_over)
    write_line(
        joined("wrote ", printable(path), ", ", count_text(std::ssize(page) / 1000), " kB, in ",
               fixed_text(spent.count(), 1), " s; open it in a browser",
               is_over ? "" : ", which is updated until the run ends (Ctrl-C stops the watch)"));
  return is_over;
}

}  // namespace

int report_command(const Settings& given, Notes& notes) {
  const Settings settings = of_runs(given, notes);
  notes.write();
  const RunFiles files(settings.report.runs[0]);
  // Every save first appends to the record, then replaces the checkpoint.
  const auto state = [&] {
    return std::pair(file_identity(files.checkpoint), record_file(files.times).size());
  };
  if (!settings.report.watch) return write_report(settings, true), 0;
  auto shown = state();
  for (bool is_over = write_report(settings, true); !is_over;) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    if (state() == shown) continue;
    shown = state();
    is_over = write_report(settings, false);
  }
  return 0;
}

}  // namespace train
