// Every flag of every command. Its row gives name, range, default, meaning, the member that holds
// its value (and so its type and command), and how long it holds. The command line, --config,
// --help, a checkpoint's contents and what a resumed run may change all follow from the row. Names
// are nanoGPT's where it has one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/generate/sampler.h"
#include "train/cli/command_list.h"
#include "train/run/make_plan.h"
#include "train/system/words.h"
#include "train/text/sources.h"

namespace train {

// An error in the command line: exit status 2. All other errors: 1.
class UsageError : public Error {
 public:
  using Error::Error;
};

// The heading under which --help lists a flag; hidden: not listed, for flags that exist only
// because other programs have them.
enum class Heading { common, run, text, model, training, rate, reports, sampling, choice, hidden };

enum class Format { hf, gguf, bin };                         // the formats of export
enum class WeightType { float32, float16, bfloat16, q8_0 };  // of matrices in a .gguf
enum class Unknown { error, skip };  // what to do with symbols that are not in the vocabulary

}  // namespace train

template <>
inline constexpr auto engine::names_of<train::Format> = engine::names("hf", "gguf", "bin");
template <>
inline constexpr auto engine::names_of<train::WeightType> = engine::names("float32", "float16",
                                                                          "bfloat16", "q8_0");
template <>
inline constexpr auto engine::names_of<train::Unknown> = engine::names("error", "skip");

namespace train {

// The settings of each command, checked one by one and together. A value that was not given has its
// default, or follows from the text later. A command sees only its own settings.
struct TrainSettings : Plan {
  std::vector<std::string> texts;  // one or more, or none with resume
  std::string out_dir, resume;
  bool force = false;
  double minutes = 0;
  std::optional<Index> log_interval;
  model::Family arch = model::Family::qwen3;  // with config gpt2
  std::vector<std::string> config;            // files of nanoGPT's settings
  std::string init_from;                      // a model to begin with; empty: scratch
  std::string tokenizer = "auto", val_text, document_separator;
  Unknown unknown = Unknown::error;

  Given given;  // on the command line or by --config

  template <auto member>
  bool was_given() const {
    return given.has<member>();
  }
  // Settings that were not given have nanoGPT's values.
  bool is_nanogpt() const { return !config.empty(); }
  bool resumes() const { return !resume.empty(); }

  // The settings for the rooms below.
  TokenizerRequest tokenizer_request() const;
  PlanRequest plan_request() const;
};

struct SampleSettings : model::Sampling {  // and chat's
  Index num_samples = 1, max_new_tokens = 500;
  std::vector<std::string> stop;
  std::optional<std::uint64_t> seed;
  bool interactive = false;
};

struct EvalSettings {
  std::string text, train_text, document_separator;
};

struct ExportSettings {
  std::string path;
  Format format = Format::hf;
  WeightType dtype = WeightType::float32;
};

struct ReportSettings {
  std::vector<std::string> runs;
  bool watch = false;
};

// The settings of a command line: those of one command in its member, then those of several.
struct Settings {
  TrainSettings train;
  SampleSettings sample;
  EvalSettings eval;
  ExportSettings exported;
  ReportSettings report;
  std::string model_path;                      // of sample, chat, eval, info and export
  std::string prompt, output;                  // of sample and report
  bool force = false;                          // the same
  ProductDtype dtype = ProductDtype::float32;  // of sample, chat and eval
  std::optional<Unknown> unknown;  // of sample, chat, eval and report; none: error, in chat skip
  Index threads = 0;               // of any command; 0: as many as there are CPUs
};

// Checks settings that were given against each other. Throws UsageError.
void check_together(const Settings& settings, Command command);

// Special treatment of a flag's value.
enum class Special {
  none,
  escapes,    // \n and the like stand for bytes
  config,     // the assignments of its file take its place
  init_from,  // nanoGPT's: scratch means random weights, resume the run in out_dir
};

struct Flag : model::Setting<Settings> {
  Heading heading;
  unsigned commands;  // the commands that take the flag, as a sum of Command values
  Holds holds;
  Special special = Special::none;
  std::string_view of_negative = {};  // a note for a value below 0
  ByRecipe in_new_runs = {};

  bool is_for(Command command) const { return commands & static_cast<unsigned>(command); }
  // Like Setting::set, but throws UsageError and marks the flag of train as given.
  void give(Settings& settings, std::string_view text, std::string_view called) const;
};

std::span<const Flag> flags();
// Finds a flag by name or alias; null if there is none. Prefers the command's own flags: -o is
// out_dir for train and output for sample.
const Flag* find_flag(std::string_view name, Command command = Command::train);
// All names and aliases of a command's flags, except hidden ones.
std::vector<std::string_view> flag_names(Command command);

}  // namespace train
