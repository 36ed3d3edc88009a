#include "train/cli/settings.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "engine/base/cpu.h"
#include "train/system/precision.h"

namespace train {

using model::key_of;
using model::no_default;

namespace {

// The flags besides the settings of the plan (train/loop/plan.h) and of the model
// (model/gpt/config.h). Constant data: no code runs before main (see main.cpp).

template <auto... path>
constexpr model::Setting<Settings> own(const model::SettingText& text) {
  return model::setting_in<Settings, path...>(text);
}
template <auto member>
constexpr auto of_train = own<&Settings::train, member>;
template <auto member>
constexpr auto of_sample = own<&Settings::sample, member>;
template <auto member>
constexpr auto of_eval = own<&Settings::eval, member>;
template <auto member>
constexpr auto of_exported = own<&Settings::exported, member>;
template <auto member>
constexpr auto of_report = own<&Settings::report, member>;

constexpr std::string_view any_tokenizer = "char|byte|word|bpe|auto|DIR";
static_assert(any_tokenizer.starts_with(model::choices_of<model::TokenizerKind>));
constexpr std::string_view
    separator_help =
        "make TEXT one token that separates documents (GPT-2's is <|endoftext|>; \\n is a line "
        "feed, \\xHH a byte, \\\\ a backslash): it is added at the end of each file, and a sample "
        "ends where the model writes it; with a model of another program, only that model's own "
        "separator",
    like_any = "an ordinary seed: the same numbers each time";

// clang-format off
constexpr Flag own_flags[] = {
    {of_train<&TrainSettings::out_dir>({"out_dir", {}, "DIR", "out/NAME for NAME.txt",
      "directory that the run's files are written to", "-o"}),
      Heading::common, in_train, Holds::for_a_start},
    {of_train<&TrainSettings::resume>({"resume", {}, "DIR", no_default,
      "continue the run in DIR exactly where it stopped; only max_iters, the intervals and threads "
      "may be changed; once the learning rate has reached 0, where it ends by default, a run "
      "cannot be extended"}), Heading::common, in_train, Holds::for_a_call},
    {of_train<&TrainSettings::force>({"force", {}, "", no_default,
      "replace the run that is in out_dir"}), Heading::run, in_train, Holds::for_a_start},
    {own<&Settings::force>({"force", {}, "", no_default,
      "replace the file of output, whatever it is"}), Heading::common, in_sample | in_report,
      Holds::for_a_call},
    {of_train<&TrainSettings::minutes>({"minutes", {0, 100'000, true}, "M", no_default,
      "train for about M minutes: measures this machine's speed, then fixes max_iters; with "
      "resume: stop after M minutes, or at max_iters"}),
      Heading::common, in_train, Holds::for_a_call},
    {own<&Settings::threads>({"threads", {1, engine::max_threads}, "N",
      "the CPUs this process may use",
      "threads to compute with; the result is the same for any number of them", "-t"}),
      Heading::run, in_train | in_sample | in_chat | in_eval | in_report, Holds::for_a_call},
    {of_train<&TrainSettings::config>({"config", {}, "FILE", no_default,
      "read flags from a config file in nanoGPT's form: key = value, # comments; flags after it "
      "override it"}),
      Heading::run, in_train, Holds::for_a_call, Special::config},
    {of_train<&TrainSettings::tokenizer>({"tokenizer", {}, any_tokenizer,
      "auto; with --config char",
      "how text is cut into tokens: char, byte, word, bpe (byte-pair encoding, learned from the "
      "training part), auto (chosen by the text's size and kind), or the GPT-2 tokenizer in DIR "
      "(vocab.json and merges.txt, as export hf writes them)"}),
      Heading::text, in_train, Holds::for_a_start},
    {of_train<&TrainSettings::vocab_size>({"vocab_size", {256, 1'000'000}, "N", "from the text",
      "with tokenizer bpe: the largest number of tokens to learn, the 256 bytes included"}),
      Heading::text, in_train, Holds::for_the_model},
    {of_train<&TrainSettings::val_text>({"val_text", {}, "TEXT", no_default,
      "file, or directory of files, to validate on instead of val_fraction"}),
      Heading::text, in_train, Holds::for_a_start},
    {of_train<&TrainSettings::document_separator>({"document_separator", {}, "TEXT", no_default,
      separator_help}),
      Heading::text, in_train, Holds::for_a_start, Special::escapes},
    {of_eval<&EvalSettings::document_separator>({"document_separator", {}, "TEXT", no_default,
      separator_help}),
      Heading::text, in_eval, Holds::for_a_start, Special::escapes},
    {of_eval<&EvalSettings::train_text>({"train_text", {}, "FILE", no_default,
      "count n-grams on FILE, the text the model was trained on, and show their losses on TEXT"}),
      Heading::text, in_eval, Holds::for_a_call},
    {of_train<&TrainSettings::arch>({"arch", {}, {}, "qwen3; with --config gpt2",
      "architecture: sets position, norm, activation and qk_norm together; gpt2; llama: rotary "
      "positions, RMS norms and SwiGLU; qwen3: the same, and norms of queries and keys"}),
      Heading::model, in_train, Holds::for_a_start},
    {of_train<&TrainSettings::init_from>({"init_from", {}, "MODEL", "scratch",
      "start from the weights of MODEL instead of random ones, with its architecture and tokenizer "
      "(fine-tuning); or resume, which continues the run in out_dir"}),
      Heading::common, in_train, Holds::for_a_start, Special::init_from},
    // nanoGPT's sample.py has these flags.
    {of_train<&TrainSettings::init_from>({"init_from", {}, "MODEL", no_default, ""}),
      Heading::hidden, in_all & ~in_train, Holds::for_a_call, Special::init_from},
    {own<&Settings::model_path>({"out_dir", {}, "DIR", no_default, ""}),
      Heading::hidden, in_sample | in_chat | in_eval | in_info | in_export, Holds::for_a_call},
    {of_report<&ReportSettings::runs>({"out_dir", {}, "DIR", no_default, ""}),
      Heading::hidden, in_report, Holds::for_a_call},
    {of_exported<&ExportSettings::dtype>({"dtype", {}, {}, "",
      "with gguf: how matrices are stored; q8_0 takes 8.5 bits a weight"}),
      Heading::common, in_export, Holds::for_a_call},
    {own<&Settings::dtype>({"dtype", {}, {}, "float32",
      dtype_help}),
      Heading::run, in_sample | in_chat | in_eval, Holds::for_a_call},
    {of_train<&TrainSettings::log_interval>({"log_interval", {1, billion}, "N", "from max_iters",
      "updates between lines with the training loss"}),
      Heading::reports, in_train, Holds::for_a_call},
    {of_sample<&SampleSettings::seed>({"seed", {}, "N", "another one each time",
      "seed of all random numbers: the same seed gives the same result"}),
      Heading::run, in_sample | in_chat, Holds::for_a_call, Special::none, like_any},
    {own<&Settings::prompt>({"prompt", {}, "TEXT", "a line feed",
      "text that the sample begins with (\\n is a line feed, \\t a tab, \\xHH a byte, \\\\ a "
      "backslash); FILE:NAME reads it as it is from a file, - from standard input",
      "start -p"}), Heading::common, in_sample, Holds::for_a_call},
    {own<&Settings::prompt>({"prompt", {}, "TEXT", "the beginning of the validation text",
      "the text to show attention for (\\n is a line feed, \\t a tab, \\xHH a byte, \\\\ a "
      "backslash); FILE:NAME reads it as it is from a file, - from standard input",
      "start -p"}), Heading::common, in_report, Holds::for_a_call},
    {of_report<&ReportSettings::watch>({"watch", {}, "", no_default,
      "rewrite the page after every save until the run ends; the page reloads itself",
      "-w"}), Heading::common, in_report, Holds::for_a_call},
    {own<&Settings::unknown>({"unknown", {}, {}, "error; in chat skip",
      "what to do with symbols of the text or prompt that are not in the vocabulary: error, or "
      "skip them and say how many"}), Heading::text, in_sample | in_chat | in_eval | in_report,
      Holds::for_a_call},
    {of_train<&TrainSettings::unknown>({"unknown", {}, {}, "error",
      "with init_from: what to do with symbols of the text that are not in MODEL's vocabulary: "
      "error, or skip them and say how many"}), Heading::text, in_train, Holds::for_a_call},
    {of_sample<&SampleSettings::interactive>({"interactive", {}, "", no_default,
      "the same as gradus chat: reads prompts, one per line, and answers each", "-i"}),
      Heading::sampling, in_sample, Holds::for_a_call},
    {own<&Settings::output>({"output", {}, "FILE", "standard output",
      "file to write the samples to, - for standard output", "-o"}),
      Heading::sampling, in_sample, Holds::for_a_call},
    {own<&Settings::output>({"output", {}, "FILE",
      "report.html in RUN; of several runs report-A-B.html here",
      "file to write the page to, - for standard output; an older page of gradus is replaced",
      "-o"}), Heading::common, in_report, Holds::for_a_call},
    {of_sample<&SampleSettings::num_samples>({"num_samples", {1, billion}, "N", "",
      "samples to write"}), Heading::sampling, in_sample, Holds::for_a_call},
    {of_sample<&SampleSettings::max_new_tokens>({"max_new_tokens", {0, billion}, "N", "",
      "tokens to write in each sample, after the prompt", "-n max_tokens n_predict"}),
      Heading::common, in_sample | in_chat, Holds::for_a_call},
    {of_sample<&SampleSettings::stop>({"stop", {}, "TEXT", no_default,
      "end a sample where TEXT appears (\\n is a line feed, \\t a tab, \\xHH a byte, \\\\ a "
      "backslash); may be given several times"}),
      Heading::sampling, in_sample | in_chat, Holds::for_a_call, Special::escapes},
    {of_sample<&SampleSettings::temperature>({"temperature", {0, 1000}, "X", "",
      "below 1: more predictable; above 1: more varied; 0: always the most likely token", "temp"}),
      Heading::common, in_sample | in_chat, Holds::for_a_call},
    {of_sample<&SampleSettings::top_k>({"top_k", {0, billion}, "N", "",
      "choose only among the N most likely tokens; 0: among all"}),
      Heading::choice, in_sample | in_chat, Holds::for_a_call},
    {of_sample<&SampleSettings::top_p>({"top_p", {0, 1, true}, "P", "",
      "choose only among the most likely tokens that together have probability P"}),
      Heading::choice, in_sample | in_chat, Holds::for_a_call},
    {of_sample<&SampleSettings::min_p>({"min_p", {0, 1}, "P", "",
      "choose only among tokens at least P times as likely as the most likely one"}),
      Heading::choice, in_sample | in_chat, Holds::for_a_call},
    {of_sample<&SampleSettings::repetition_penalty>({"repetition_penalty", {0, 1000, true}, "X", "",
      "above 1: tokens that occurred before become less likely; 1: off", "repeat_penalty"}),
      Heading::choice, in_sample | in_chat, Holds::for_a_call},
};
// clang-format on

// Where --help lists the plan's settings; settings that are not here are listed under training.
struct Place {
  Heading heading;
  std::array<model::SettingKey, 6> keys;
};
constexpr Place places[] = {
    {Heading::run, {key_of<&Plan::seed>, key_of<&Plan::dtype>}},
    {Heading::text, {key_of<&Plan::val_fraction>}},
    {Heading::rate,
     {key_of<&Plan::learning_rate>, key_of<&Plan::warmup_iters>, key_of<&Plan::decay_lr>,
      key_of<&Plan::lr_schedule>, key_of<&Plan::lr_decay_iters>, key_of<&Plan::min_lr>}},
    {Heading::reports,
     {key_of<&Plan::eval_interval>, key_of<&Plan::eval_iters>, key_of<&Plan::eval_tokens>,
      key_of<&Plan::save_interval>, key_of<&Plan::sample_interval>}},
};
constexpr Heading heading_of(model::SettingKey key) {
  for (const Place& place : places)
    for (const model::SettingKey of_place : place.keys)
      if (of_place == key) return place.heading;
  return Heading::training;
}

// A row of the table of one of TrainSettings's base classes.
template <const auto& table, std::size_t i>
constexpr model::Setting<Settings> in_settings() {
  return {table[i],
          table[i].key,
          [](const model::SettingText& about, std::string_view label, std::string_view text,
             Settings& settings) { table[i].read(about, label, text, settings.train); },
          [](const Settings& settings) { return table[i].write(settings.train); },
          table[i].form,
          table[i].repeats};
}

// The first of the model's settings is not a flag: the tokenizer sets vocab_size; the flag with
// that name, above, limits what a BPE may learn.
static_assert(model::config_settings[0].name == "vocab_size");
constexpr std::size_t own_count = std::size(own_flags), of_plan = std::size(plan_settings),
                      of_config = std::size(model::config_settings) - 1;
template <std::size_t i>
constexpr Flag flag_at() {
  if constexpr (i < own_count) {
    return own_flags[i];
  } else if constexpr (i < own_count + of_plan) {
    constexpr const PlanSetting& row = plan_settings[i - own_count];
    return {in_settings<plan_settings, i - own_count>(),
            heading_of(row.key),
            in_train,
            row.holds,
            Special::none,
            row.key == key_of<&Plan::seed> ? like_any : "",
            row.in_new_runs};
  } else {
    return {in_settings<model::config_settings, i - own_count - of_plan + 1>(), Heading::model,
            in_train, Holds::for_the_model};
  }
}
// Not constexpr: to g++ 12 under a sanitizer, keys, which are addresses, are not constants (its bug
// 71962).
const auto flag_table = []<std::size_t... i>(std::index_sequence<i...>) {
  return std::array{flag_at<i>()...};
}
(std::make_index_sequence<own_count + of_plan + of_config>());

}  // namespace

void Flag::give(Settings& settings, std::string_view text, std::string_view called) const {
  try {
    set(settings, text, called);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  if (is_for(Command::train)) settings.train.given.add(key);
}

TokenizerRequest TrainSettings::tokenizer_request() const {
  TokenizerRequest request{.kind = engine::value_named<model::TokenizerKind>(tokenizer),
                           .was_given = was_given<&TrainSettings::tokenizer>(),
                           .separator = document_separator};
  if (!request.kind && tokenizer != "auto") request.directory = tokenizer;
  if (was_given<&Plan::vocab_size>()) request.vocabulary_size = vocab_size;
  return request;
}

PlanRequest TrainSettings::plan_request() const {
  return {.values = *this,
          .given = given,
          .recipe = is_nanogpt()        ? Recipe::nanogpt
                    : init_from.empty() ? Recipe::best
                                        : Recipe::fine_tuning,
          .arch = was_given<&TrainSettings::arch>() ? std::optional(arch) : std::nullopt};
}

std::span<const Flag> flags() { return flag_table; }

const Flag* find_flag(std::string_view name, Command command) {
  const Flag* found = nullptr;
  for (const Flag& flag : flag_table)
    if (flag.is_called(name) &&
        (found == nullptr || (flag.is_for(command) && !found->is_for(command))))
      found = &flag;
  return found;
}

std::vector<std::string_view> flag_names(Command command) {
  std::vector<std::string_view> names;
  for (const Flag& flag : flags()) {
    if (!flag.is_for(command) || flag.heading == Heading::hidden) continue;
    names.push_back(flag.name);
    for (std::string_view rest = flag.aliases; !rest.empty();) {
      names.push_back(rest.substr(0, rest.find(' ')));
      rest.remove_prefix(std::min(names.back().size() + 1, rest.size()));
    }
  }
  return names;
}

}  // namespace train
