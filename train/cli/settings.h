// Every flag of every command: its row says name, range, default and meaning, where its value lies (so
// of which type and command it is) and how long it holds. The command line, --config, --help, a
// checkpoint's contents and what a resumed run may change all follow from it. The names are nanoGPT's
// where it has one.
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
#include "train/system/processes.h"
#include "train/system/words.h"
#include "train/text/sources.h"

namespace train {

// What is wrong with the command line: exit status 2. Anything else that is wrong gives 1.
class UsageError : public Error {
 public:
  using Error::Error;
};

// The heading under which --help lists a flag; hidden: it lists none that is there for habits from
// other programs only.
enum class Heading { common, run, text, model, training, rate, reports, sampling, choice, hidden };

enum class Format { hf, gguf, bin };                         // that export writes
enum class WeightType { float32, float16, bfloat16, q8_0 };  // of matrices in a .gguf
enum class Unknown { error, skip };  // what becomes of symbols that the vocabulary does not have

}  // namespace train

template <>
inline constexpr auto engine::names_of<train::Format> = engine::names("hf", "gguf", "bin");
template <>
inline constexpr auto engine::names_of<train::WeightType> = engine::names("float32", "float16",
                                                                          "bfloat16", "q8_0");
template <>
inline constexpr auto engine::names_of<train::Unknown> = engine::names("error", "skip");

namespace train {

// What each command is asked for, in range each by itself and together. A value that was not given has
// its default, or follows from the text later on. A command sees its own and no others.
struct TrainSettings : Plan {
  std::vector<std::string> texts;  // one or more, or none with resume
  std::string out_dir, resume;
  bool force = false;
  double minutes = 0;
  Index threads = 0;  // 0: as many as there are CPUs
  std::optional<Index> log_interval;
  model::Family arch = model::Family::qwen3;  // with config gpt2
  std::vector<std::string> config;            // files of nanoGPT's settings
  std::string init_from;                      // a model to begin with; empty: scratch
  std::string tokenizer = "auto", val_text, document_separator;
  Unknown unknown = Unknown::error;

  Given given;                       // on the command line or by --config
  std::string program = "gradus";    // as the user calls it, for commands that messages propose
  std::vector<std::string> command;  // all words, the program's first
  Processes processes = {};          // that mpirun started

  template <auto member>
  bool was_given() const {
    return given.has<member>();
  }
  // What is left open has nanoGPT's values.
  bool is_nanogpt() const { return !config.empty(); }
  bool resumes() const { return !resume.empty(); }

  // What the rooms below are asked for.
  TokenizerWish tokenizer_wish() const;
  PlanWish plan_wish() const;
};

struct SampleSettings : model::Sampling {  // and chat's
  std::string model_path, prompt, output;
  Index num_samples = 1, max_new_tokens = 500;
  std::vector<std::string> stop;
  std::optional<std::uint64_t> seed;
  std::optional<Unknown> unknown;
  ProductDtype dtype = ProductDtype::float32;
  bool interactive = false, force = false;
};

struct EvalSettings {
  std::string model_path, text, train_text, document_separator;
  Unknown unknown = Unknown::error;
  ProductDtype dtype = ProductDtype::float32;
};

struct InfoSettings {
  std::string model_path;
};

struct ExportSettings {
  std::string model_path, path;
  Format format = Format::hf;
  WeightType dtype = WeightType::float32;
};

struct ReportSettings {
  std::vector<std::string> runs;
  std::string prompt, output;
  Unknown unknown = Unknown::error;
  bool watch = false, force = false;
};

// What a command line asks for, in the member of the command that it names.
struct Settings {
  TrainSettings train;
  SampleSettings sample;
  EvalSettings eval;
  InfoSettings info;
  ExportSettings exported;
  ReportSettings report;
  Index threads = 0;  // of any command; 0: as many as there are CPUs
};

// Checks of several settings at once, of those that were given. Throws UsageError.
void check_together(const Settings& settings, Command command);

// What is done with a flag's value besides reading it.
enum class Special {
  none,
  escapes,    // \n and its like stand for bytes
  config,     // its file's assignments follow where it stands
  init_from,  // nanoGPT's: scratch is no model, resume the run in out_dir
};

struct Flag : model::Setting<Settings> {
  Heading heading;
  unsigned commands;  // the commands that take the flag, as a sum of Command values
  Holds holds;
  Special special = Special::none;
  std::string_view of_negative = {};  // said of a value below 0
  ByRecipe in_new_runs = {};

  bool is_for(Command command) const { return commands & static_cast<unsigned>(command); }
  // As Setting::set, but throws UsageError, and notes that train's flag was given.
  void give(Settings& settings, std::string_view text, std::string_view called) const;
};

std::span<const Flag> flags();
// By its name or an alias; null if there is none. One of the command's own flags if it has one of
// that name: -o is out_dir for train and output for sample.
const Flag* find_flag(std::string_view name, Command command = Command::train);
// All names and aliases of a command's flags, but for hidden ones.
std::vector<std::string_view> flag_names(Command command);

}  // namespace train
