#include "train/program/settings.h"

#include <algorithm>

#include "engine/base/number.h"
#include "engine/base/utf8.h"
#include "train/system/files.h"

namespace train {

using engine::number_text;
using engine::Parsed;
using engine::text;
using model::in_quotes;

namespace {

using Group = Flag::Group;
using Range = Flag::Range;

constexpr unsigned in_train = 1, in_sample = 2, in_eval = 4, in_info = 8;
constexpr double many = 1'000'000'000;
constexpr std::string_view by_text = "by the text's size", by_iters = "by max_iters";

// In the order of --help. Constant data: nothing runs before main (see main.cpp).
// clang-format off
constexpr Flag table[] = {
    {"out_dir", Group::run, in_train, &Settings::out_dir, {}, "DIR", "out/NAME for NAME.txt",
     "where the run's files go"},
    {"resume", Group::run, in_train, &Settings::resume, {}, "DIR", "",
     "go on with the run in DIR, exactly where it stopped; only max_iters, the intervals and "
     "threads may be changed"},
    {"force", Group::run, in_train, &Settings::force, {}, "", "",
     "replace the run that is in out_dir"},
    {"minutes", Group::run, in_train, &Settings::minutes, {0, 100'000, true}, "M", "",
     "train for about so long: measures the machine's speed, then fixes the schedule"},
    {"seed", Group::run, in_train | in_sample, &Settings::seed, {}, "N", "",
     "of all that is random: the same seed gives the same result"},
    {"threads", Group::run, in_train | in_sample | in_eval, &Settings::threads, {1, 256}, "N",
     "the CPUs this process may use",
     "never changes a result"},

    {"tokenizer", Group::text, in_train, &Settings::tokenizer, {}, "char|byte|word|bpe|auto|DIR",
     "", "how text is cut into tokens: char, byte, word, bpe (learned pieces of words), auto to "
     "have it chosen, or as GPT-2's vocab.json and merges.txt in DIR say"},
    {"vocab_size", Group::text, in_train, &Settings::vocab_size, {256, 1'000'000}, "N", by_text,
     "tokens that bpe may learn, the 256 bytes included"},
    {"val_fraction", Group::text, in_train, &Settings::val_fraction, {0, 1, false, true}, "F", "",
     "the last part of the text, kept from training to judge the model by"},
    {"val_text", Group::text, in_train, &Settings::val_text, {}, "TEXT", "",
     "a file, or a directory of files, to judge the model by instead"},
    {"document_separator", Group::text, in_train, &Settings::document_separator, {}, "TEXT", "",
     "keep documents apart: TEXT is one token (<|endoftext|> is GPT-2's), which is put at each "
     "text's end too, and where a sample ends"},
    {"tokenizer_dir", Group::text, in_info, &Settings::tokenizer_dir, {}, "DIR", "",
     "write the model's bpe tokenizer to DIR, as GPT-2's vocab.json and merges.txt"},
    {"train_text", Group::text, in_eval, &Settings::train_text, {}, "FILE",
     "what the run noted, for its own texts",
     "count n-grams on FILE, which the model was trained on, and show what they reach on TEXT"},

    {"n_layer", Group::model, in_train, &Settings::n_layer, {1, 1000}, "N", by_text,
     "blocks, one upon another"},
    {"n_head", Group::model, in_train, &Settings::n_head, {1, 65'536}, "N", by_text,
     "attention heads in each block; divides n_embd"},
    {"n_embd", Group::model, in_train, &Settings::n_embd, {1, 65'536}, "N", by_text,
     "channels: the numbers that describe one position"},
    {"block_size", Group::model, in_train, &Settings::block_size, {1, 1'048'576}, "N", by_text,
     "tokens the model can look back on"},
    {"dropout", Group::model, in_train, &Settings::dropout, {0, 1, false, true}, "P", "",
     "share of activations left out at random, against learning by heart"},
    {"bias", Group::model, in_train, &Settings::bias, {}, "true|false", "",
     "biases in linear layers and norms"},
    {"activation", Group::model, in_train, &Settings::activation, {}, "gelu|gelu_tanh|relu", "",
     "gelu, gelu_tanh or relu"},

    {"max_iters", Group::training, in_train, &Settings::max_iters, {0, many}, "N", by_text,
     "updates to make"},
    {"batch_size", Group::training, in_train, &Settings::batch_size, {1, 1'048'576}, "N", by_text,
     "sequences of block_size tokens in one forward and backward"},
    {"gradient_accumulation_steps", Group::training, in_train,
     &Settings::gradient_accumulation_steps, {1, many}, "N", "",
     "such batches in one update"},
    {"weight_decay", Group::training, in_train, &Settings::weight_decay, {0, 1000}, "X", "",
     "pull of the weight matrices towards zero"},
    {"beta1", Group::training, in_train, &Settings::beta1, {0, 1, false, true}, "X", "",
     "memory of AdamW's mean of the gradients"},
    {"beta2", Group::training, in_train, &Settings::beta2, {0, 1, false, true}, "X", "",
     "memory of AdamW's mean of their squares"},
    {"grad_clip", Group::training, in_train, &Settings::grad_clip, {0, many}, "X", "",
     "longest gradient, as one vector; 0: any"},

    {"learning_rate", Group::rate, in_train, &Settings::learning_rate, {0, 1000}, "X",
     "by the model's size", "size of an update, at its highest"},
    {"warmup_iters", Group::rate, in_train, &Settings::warmup_iters, {0, many}, "N", by_iters,
     "updates in which the rate rises to it"},
    {"decay_lr", Group::rate, in_train, &Settings::decay_lr, {}, "true|false", "",
     "whether it rises and falls at all"},
    {"lr_decay_iters", Group::rate, in_train, &Settings::lr_decay_iters, {0, many}, "N",
     "max_iters", "updates after which it has fallen, along a cosine, to min_lr"},
    {"min_lr", Group::rate, in_train, &Settings::min_lr, {0, 1000}, "X", "learning_rate / 10",
     "and there it stays"},

    {"eval_interval", Group::reports, in_train, &Settings::eval_interval, {1, many}, "N", by_iters,
     "updates between evaluations; the model of the best one is kept"},
    {"eval_iters", Group::reports, in_train, &Settings::eval_iters, {0, many}, "N", "",
     "random batches of an evaluation; 0: the whole validation part instead"},
    {"log_interval", Group::reports, in_train, &Settings::log_interval, {1, many}, "N", by_iters,
     "updates between lines on the loss"},
    {"save_interval", Group::reports, in_train, &Settings::save_interval, {0, many}, "N", "",
     "updates between checkpoints, beside those after evaluations; 0: only those"},

    {"prompt", Group::sampling, in_sample, &Settings::prompt, {}, "TEXT", "a line end",
     "what the text begins with; FILE:NAME takes it from a file, - from standard input", "start"},
    {"unknown", Group::sampling, in_sample, &Settings::unknown, {}, "error|skip", "",
     "what to do about symbols in the prompt that the model has never seen: error or skip"},
    {"interactive", Group::sampling, in_sample, &Settings::interactive, {}, "", "",
     "read prompt after prompt from standard input, one a line"},
    {"num_samples", Group::sampling, in_sample, &Settings::num_samples, {1, many}, "N", "",
     "texts to write"},
    {"max_new_tokens", Group::sampling, in_sample, &Settings::max_new_tokens, {0, many}, "N", "",
     "length of each, without the prompt"},
    {"stop", Group::sampling, in_sample, &Settings::stop, {}, "TEXT", "",
     "end a sample where TEXT appears; may be given several times"},

    {"temperature", Group::choice, in_sample, &Settings::temperature, {0, 1000}, "X", "",
     "below 1 bolder in its preferences, above 1 more even; 0: always the likeliest token"},
    {"top_k", Group::choice, in_sample, &Settings::top_k, {0, many}, "N", "",
     "only the N likeliest tokens; 0: all"},
    {"top_p", Group::choice, in_sample, &Settings::top_p, {0, 1, true}, "P", "",
     "only the likeliest tokens that together reach probability P"},
    {"min_p", Group::choice, in_sample, &Settings::min_p, {0, 1}, "P", "",
     "only tokens at least P times as likely as the likeliest"},
    {"repetition_penalty", Group::choice, in_sample, &Settings::repetition_penalty,
     {0, 1000, true}, "X", "",
     "above 1: tokens that were there already become less likely"},
};
// clang-format on

std::string whole_range_text(const Range& range) {
  return text(static_cast<Index>(range.least), "..", static_cast<Index>(range.most));
}

// `[0, 1)`; the bounds in the table are whole numbers.
std::string range_text(const Range& range) {
  return text(range.without_least ? '(' : '[', static_cast<Index>(range.least), ", ",
              static_cast<Index>(range.most), range.without_most ? ')' : ']');
}

bool contains(const Range& range, double value) {
  return (range.without_least ? value > range.least : value >= range.least) &&
         (range.without_most ? value < range.most : value <= range.most);
}

// `choices` with something else in place of their bars.
std::string joined(std::string_view choices, std::string_view between) {
  std::string out;
  for (const char c : choices) c == '|' ? out += between : out += c;
  return out;
}

// `one|two` of a flag that offers these and maybe directories; empty if it offers no choice.
std::string_view choices_of(const Flag& flag) {
  constexpr std::string_view directory = "|DIR";
  if (flag.value.find('|') == std::string_view::npos) return {};
  return flag.value.substr(
      0, flag.value.size() - (flag.value.ends_with(directory) ? directory.size() : 0));
}

// One reader and one writer for every type a setting can have.
struct Reader {
  const Flag& flag;
  std::string_view value;
  std::string_view called;

  [[noreturn]] void refuse(const std::string& why) const {
    throw UsageError(text(called, ": ", in_quotes(value), " is ", why));
  }

  void read(bool& out) const {
    std::string lower(value);
    for (char& c : lower)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (lower != "true" && lower != "false") refuse("not true or false");
    out = lower == "true";
  }

  void read(Index& out) const {
    const std::string range = whole_range_text(flag.range);
    const Parsed parsed = engine::parse_number(value, out);
    if (parsed == Parsed::malformed) refuse("not a whole number (" + range + ")");
    if (parsed == Parsed::out_of_range || !contains(flag.range, static_cast<double>(out)))
      refuse("not in " + range);
  }

  void read(double& out) const {
    const std::string range = range_text(flag.range);
    const Parsed parsed = engine::parse_number(value, out);
    if (parsed == Parsed::malformed) refuse("not a number in " + range);
    if (parsed == Parsed::out_of_range || !contains(flag.range, out)) refuse("not in " + range);
  }

  // Any 64 bits, with or without a sign: -1 is 2^64 - 1, as for PyTorch.
  void read(std::uint64_t& out) const {
    std::int64_t negative = 0;
    if (engine::parse_number(value, out) == Parsed::ok) return;
    if (engine::parse_number(value, negative) != Parsed::ok)
      refuse("not a whole number of at most 64 bits");
    out = static_cast<std::uint64_t>(negative);
  }

  void read(std::string& out) const {
    if (value.empty()) refuse("empty, expected at least one character");
    if (const std::string_view choices = choices_of(flag);
        !choices.empty() && !flag.offers(value)) {
      const bool or_directory = choices.size() < flag.value.size();
      if (!or_directory || !is_directory(std::string(value)))
        refuse("not one of " + joined(choices, ", ") + (or_directory ? ", nor a directory" : ""));
    }
    out = value;
  }

  void read(std::vector<std::string>& out) const { read(out.emplace_back()); }

  template <class T>
  void read(std::optional<T>& out) const {
    T read_value{};
    read(read_value);
    out = read_value;
  }
};

struct Writer {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(double value) const { return number_text(value); }
  std::string operator()(Index value) const { return text(value); }
  std::string operator()(std::uint64_t value) const { return text(value); }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(const std::vector<std::string>& value) const {
    return value.empty() ? "" : value.back();
  }
  template <class T>
  std::string operator()(const std::optional<T>& value) const {
    return value ? (*this)(*value) : "";
  }
};

}  // namespace

void Flag::set(Settings& settings, std::string_view text, std::string_view called) const {
  const Reader reader{*this, text, called};
  std::visit([&](auto member) { reader.read(settings.*member); }, field);
  if (!settings.was_given(name)) settings.given.push_back(name);
}

std::string Flag::get(const Settings& settings) const {
  return std::visit([&](auto member) { return Writer{}(settings.*member); }, field);
}

bool Flag::takes_text() const {
  return std::holds_alternative<std::string Settings::*>(field) ||
         std::holds_alternative<std::optional<std::string> Settings::*>(field) ||
         std::holds_alternative<std::vector<std::string> Settings::*>(field);
}

bool Flag::offers(std::string_view choice) const {
  return choice.find('|') == std::string_view::npos &&
         text('|', choices_of(*this), '|').find(text('|', choice, '|')) != std::string::npos;
}

bool Settings::was_given(std::string_view name) const {
  return std::find(given.begin(), given.end(), name) != given.end();
}

std::span<const Flag> flags() { return table; }

const Flag* find_flag(std::string_view name) {
  for (const Flag& flag : table)
    if (!name.empty() && (flag.name == name || flag.alias == name)) return &flag;
  return nullptr;
}

void check_together(const Settings& s) {
  const auto demand = [](bool condition, const auto&... parts) {
    if (!condition) throw UsageError(text(parts...));
  };
  if (s.n_embd && s.n_head)
    demand(*s.n_embd % *s.n_head == 0, "--n_head: ", *s.n_embd, " channels are not divisible by ",
           *s.n_head, " heads");
  if (s.learning_rate && s.min_lr && s.decay_lr)
    demand(*s.min_lr <= *s.learning_rate, "--min_lr: ", *s.min_lr, " is above --learning_rate ",
           *s.learning_rate);
  demand(!s.vocab_size || s.tokenizer == "bpe" || s.tokenizer == "auto",
         "--vocab_size: is for --tokenizer bpe or auto, found ", s.tokenizer);
  demand(!s.val_text || !s.was_given("val_fraction"),
         "--val_text: takes the place of --val_fraction, found both");
  demand(!s.minutes || !s.was_given("max_iters"),
         "--minutes: decides max_iters, found --max_iters ", s.max_iters.value_or(0), " as well");
  demand(!s.resume || !s.force, "--force: replaces a run, --resume continues it; expected one");
  demand(!s.resume || !s.out_dir || s.resume == s.out_dir, "--out_dir: a resumed run stays in ",
         in_quotes(s.resume.value_or("")), ", found ", in_quotes(s.out_dir.value_or("")));
}

}  // namespace train
