// Every flag of every command: its row says name, type, range, default and meaning, where its value
// lies and how long it holds, and the command line, --config, --help, a checkpoint's contents and
// what a resumed run may change all follow from it. The names are nanoGPT's where it has one.
#pragma once

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

enum class Format { hf, gguf, bin };                         // that export writes
enum class WeightType { float32, float16, bfloat16, q8_0 };  // of matrices in a .gguf
enum class Unknown { error, skip };  // what becomes of symbols that the vocabulary does not have

// The values of all flags, in range each by itself and together. A flag that was not given
// (was_given) has its default, or a value that follows from the text later on.
struct Settings : Plan, model::Sampling {
  // Arguments without a flag.
  std::vector<std::string>
      texts;                   // train: one or more, or none with resume; eval: one; report: runs
  std::string model_path;      // sample, chat, eval, info, export
  Format format = Format::hf;  // export
  std::string export_path;     // export

  // The run
  std::string out_dir, resume;
  bool force = false;
  double minutes = 0;
  Index threads = 0, log_interval = 0;

  model::Family arch = model::Family::qwen3;  // with --config gpt2
  std::vector<std::string> config;            // files of nanoGPT's settings

  std::string init_from;  // a model to begin with; empty: scratch
  WeightType export_dtype = WeightType::float32;

  // The text
  std::string tokenizer = "auto", val_text, document_separator;
  std::string train_text;  // eval

  // Sampling
  std::string prompt, output;
  Index num_samples = 1, max_new_tokens = 500;
  std::vector<std::string> stop;
  Unknown unknown = Unknown::error;
  bool interactive = false;  // chat
  bool watch = false;        // report

  // Names of the flags that were given, on the command line or by --config, each once.
  std::vector<std::string_view> given;
  std::string program = "gradus";    // as the user calls it, for commands that messages propose
  std::vector<std::string> command;  // all words, the program's first
  Processes processes = {};          // that mpirun started

  bool was_given(std::string_view name) const;
  // What is left open has nanoGPT's values.
  bool is_nanogpt() const { return !config.empty(); }

  // What the rooms below are asked for.
  TokenizerWish tokenizer_wish() const;
  PlanWish plan_wish() const;
};

// Checks of several settings at once, of those that were given. Throws UsageError.
void check_together(const Settings& settings);

struct Flag : model::Setting<Settings> {
  Heading heading;
  unsigned commands;  // the commands that take the flag, as a sum of Command values
  Holds holds;
  ByRecipe in_new_runs = {};

  bool is_for(Command command) const { return commands & static_cast<unsigned>(command); }
  // As Setting::set, but throws UsageError, and notes that the flag was given.
  void give(Settings& settings, std::string_view text, std::string_view called) const;
};

std::span<const Flag> flags();
// By its name or an alias; null if there is none. One of the command's own flags if it has one of
// that name: -o is out_dir for train and output for sample.
const Flag* find_flag(std::string_view name, Command command = Command::train);
// All names and aliases of a command's flags.
std::vector<std::string_view> flag_names(Command command);

}  // namespace train

template <>
inline constexpr auto engine::names_of<train::Format> = engine::names("hf", "gguf", "bin");
template <>
inline constexpr auto engine::names_of<train::WeightType> = engine::names("float32", "float16",
                                                                          "bfloat16", "q8_0");
template <>
inline constexpr auto engine::names_of<train::Unknown> = engine::names("error", "skip");
