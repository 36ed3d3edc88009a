// Every setting of every command: one table says its name, type, range, default and meaning, and
// the command line, --config, --help and a checkpoint's contents all follow from it. The names are
// nanoGPT's where it has one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/real.h"

namespace train {

using engine::Index;

// What is wrong with the command line: exit status 2. Anything else that is wrong gives 1.
class UsageError : public engine::Error {
 public:
  using Error::Error;
};

enum class Command : unsigned { train = 1, sample = 2, eval = 4, info = 8 };

// Values in range, each by itself and together. Those that are optional follow from something else
// if they are not given: the model and its schedule from the text, the threads from the machine.
struct Settings {
  // Arguments without a flag.
  std::vector<std::string> texts;  // train: one or more, or none with resume; eval: one
  std::string model;               // sample, eval, info

  // The run
  std::optional<std::string> out_dir;
  std::optional<std::string> resume;
  bool force = false;
  std::optional<double> minutes;
  Index save_interval = 0;
  std::optional<Index> threads;
  std::uint64_t seed = 1337;

  // The text
  std::string tokenizer = "char";
  std::optional<Index> vocab_size;
  double val_fraction = 0.1;
  std::optional<std::string> val_text, document_separator;

  // The model
  std::optional<Index> n_layer, n_head, n_embd, block_size;
  double dropout = 0;
  bool bias = false;
  std::string activation = "gelu";

  // Training
  std::optional<Index> max_iters, batch_size;
  Index gradient_accumulation_steps = 1;
  std::optional<double> learning_rate, min_lr;
  bool decay_lr = true;
  std::optional<Index> warmup_iters, lr_decay_iters;
  double weight_decay = 0.1, beta1 = 0.9, beta2 = 0.99, grad_clip = 1;

  // Reports
  std::optional<Index> eval_interval;
  Index eval_iters = 0;
  std::optional<Index> log_interval;

  // Sampling
  std::optional<std::string> prompt;
  Index num_samples = 1, max_new_tokens = 500;
  double temperature = 0.8;
  Index top_k = 200;
  double top_p = 1, min_p = 0, repetition_penalty = 1;
  std::vector<std::string> stop;
  std::string unknown = "error";
  bool interactive = false;

  // Evaluation
  std::optional<std::string> train_text;

  // Tokenizer
  std::optional<std::string> tokenizer_dir;

  // Names of the flags that were given, on the command line or by --config, each once.
  std::vector<std::string_view> given;
  // What to tell the user once everything is known to be right: keys that were skipped.
  std::vector<std::string> notes;

  bool was_given(std::string_view name) const;
};

// Checks of several settings at once, of those that have a value: again for who fills in the rest.
// Throws UsageError.
void check_together(const Settings& settings);

struct Flag {
  struct Range {
    double least = 0, most = 0;
    bool without_least = false, without_most = false;  // (least, most) instead of [least, most]
  };
  enum class Group { run, text, model, training, rate, reports, sampling, choice };

  std::string_view name;
  Group group;
  unsigned commands;  // that take it, or-ed
  std::variant<bool Settings::*, Index Settings::*, std::optional<Index> Settings::*,
               double Settings::*, std::optional<double> Settings::*, std::uint64_t Settings::*,
               std::string Settings::*, std::optional<std::string> Settings::*,
               std::vector<std::string> Settings::*>
      field;
  Range range;
  std::string_view value;     // what stands for it in --help; "one|two": one of these and nothing
                              // else, or with |DIR at its end a directory; empty: a switch,
                              // true by being there
  std::string_view fallback;  // in words, what holds when it is not given, if it has no default
  std::string_view help;
  std::string_view alias = {};

  bool is_switch() const { return value.empty(); }
  bool takes_text() const;                     // rather than numbers, true or false
  bool offers(std::string_view choice) const;  // as one of its values by name

  // Reads the value. Throws UsageError, beginning with `called`: the name as the user wrote it.
  void set(Settings& settings, std::string_view text, std::string_view called) const;
  // What set() would read to the same effect; empty if there is no value.
  std::string get(const Settings& settings) const;
};

std::span<const Flag> flags();
const Flag* find_flag(std::string_view name);  // by its name or alias; null if there is none

}  // namespace train
