#include "train/cli/arguments.h"

#include <algorithm>
#include <vector>

#include "engine/base/number.h"
#include "model/base/utf8.h"
#include "train/cli/config_file.h"
#include "train/cli/foreign_words.h"
#include "train/cli/suggestion.h"
#include "train/cli/version.h"
#include "train/system/words.h"

namespace train {

namespace {

constexpr std::string_view formats = "hf, gguf or bin";

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  throw UsageError(joined(parts...));
}

std::string_view name_of(Command command) { return info_of(command).name; }

// "train, sample, ... or export"
std::string command_names() {
  std::string names;
  for (const CommandInfo& command : commands())
    names += joined(names.empty()                            ? ""
                    : command.name == commands().back().name ? " or "
                                                             : ", ",
                    command.name);
  return names;
}

bool is_false(std::string_view text) { return text == "False" || text == "false"; }

// Reads one command's arguments in two passes: read_all() checks every word and every flag's value,
// settings() then applies them in order and opens the files of --config.
class Reader {
 public:
  Reader(Command command, std::span<const std::string_view> arguments, Notes& notes)
      : command_(command), arguments_(arguments), rest_(arguments), notes_(notes) {}

  // False if help was asked for.
  bool read_all() {
    bool only_positional = false;
    while (!rest_.empty()) {
      const std::string_view word = rest_.front();
      rest_ = rest_.subspan(1);
      if (only_positional || word.size() < 2 || word[0] != '-')
        add_positional(word, only_positional);
      else if (word == "--")
        only_positional = true;
      else if (word == "--help" || word == "-h")
        return false;
      else
        read_flag(word);
    }
    return true;
  }

  // After read_all().
  std::vector<std::string> edited(std::span<const std::string_view> without,
                                  std::span<const std::string> added) const {
    std::vector<std::string> words(arguments_.begin(), arguments_.end());
    const auto end_of_flags = std::ranges::find(words, "--") - words.begin();
    words.insert(words.begin() + end_of_flags, added.begin(), added.end());
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step)
      if (std::ranges::find(without, step->flag->name) != without.end() || is_overridden(*step))
        words.erase(words.begin() + step->begin, words.begin() + step->end);
    return words;
  }

  Settings settings(std::string (*read)(const std::string& path)) {
    Settings settings;
    take_positional(settings);
    if (!skipped_.empty()) notes_.add(skipped_);
    for (const Step& step : steps_) {
      note_on(step);
      step.flag->give(settings, step.value, step.called);
      if (step.flag->name == "config")
        apply_config(step.value, read(step.value), command_, settings, notes_);
    }
    if (resumes_out_dir_ && command_ == Command::train) {
      if (settings.out_dir.empty())
        refuse("--init_from: resume needs --out_dir, the run's directory");
      find_flag("resume")->give(settings, settings.out_dir, "--out_dir");
    }
    settings.document_separator =
        unescaped("--document_separator", settings.document_separator, notes_);
    for (std::string& stop : settings.stop) stop = unescaped("--stop", stop, notes_);
    settings.interactive = settings.interactive || command_ == Command::chat;
    if (settings.is_nanogpt() && !settings.was_given("tokenizer")) settings.tokenizer = "char";
    check_together(settings);
    return settings;
  }

 private:
  struct Step {
    const Flag* flag;
    std::string value, called;
    std::size_t begin, end;  // of its words among the arguments
  };
  std::size_t place() const { return arguments_.size() - rest_.size(); }

  const Step& last_of(const Flag* flag) const {
    const auto is_of_flag = [&](const Step& step) { return step.flag == flag; };
    return *std::find_if(steps_.rbegin(), steps_.rend(), is_of_flag);
  }
  // By a later one of the same flag.
  bool is_overridden(const Step& step) const {
    const bool many = step.flag->name == "stop" || step.flag->name == "config";
    return !many && &step != &last_of(step.flag);
  }

  // Values that may not mean what was meant.
  void note_on(const Step& step) {
    const Step& last = last_of(step.flag);
    if (is_overridden(step) && step.value != last.value)
      notes_.add(step.called, ": ", in_quotes(step.value), " and later ", in_quotes(last.value),
                 "; the last one counts");
    if (step.flag->name == "seed" && step.value.starts_with('-'))
      notes_.add(step.called, ": ", step.value,
                 " is a seed like any other: the same numbers each time");
  }

  // Flags without their dashes, or with the long ones of a typeset page, are no files.
  void add_positional(std::string_view word, bool after_dashes) {
    std::string_view name = word;
    for (const std::string_view dash : {"\u2012", "\u2013", "\u2014", "\u2212", "-"})
      if (name.starts_with(dash)) name.remove_prefix(dash.size());
    const bool is_assignment = name.find('=') != name.npos && command_ == Command::train;
    std::string flag(name.substr(0, name.find('=')));
    std::replace(flag.begin(), flag.end(), '-', '_');
    if (!after_dashes && (name.size() < word.size() || is_assignment) &&
        find_flag(flag, command_) != nullptr && !file_exists(std::string(word)))
      refuse(in_quotes(word), ": flags begin with two hyphens; did you mean --", printable(name),
             '?');
    positional_.emplace_back(word);
  }

  void read_flag(std::string_view word) {
    const std::size_t equals = word.find('=');
    const std::string called = printable(word.substr(0, equals));
    std::string name(word.substr(0, equals).substr(word[1] == '-' ? 2 : 1));
    std::replace(name.begin(), name.end(), '-', '_');  // --block-size is --block_size
    const auto value = [&](std::string_view kind) {
      return equals == std::string_view::npos ? next_value(called, kind) : word.substr(equals + 1);
    };
    const bool is_long = word[1] == '-';
    const std::size_t begin = place() - 1;
    if (called == "--init_from") return init_from(called, std::string(value("MODEL")), begin);
    const Flag* const flag = find_flag(is_long ? name : called, command_);
    if (flag && flag->is_for(command_)) {
      const bool is_bare = flag->is_switch() && equals == std::string_view::npos;
      const std::string given(is_bare ? "true" : value(flag->value));
      steps_.push_back({flag, given, called, begin, place()});
      if (name == "config" && steps_.back().value.empty())
        refuse(called, ": \"\" is empty, expected a file");
      Settings tried;
      flag->give(tried, steps_.back().value, called);
    } else if (called == "--out_dir" && command_ != Command::train) {
      model_dir_ = value("DIR");  // nanoGPT's sample.py finds the model so
    } else if (const ForeignWord* const foreign =
                   find_foreign_flag(name.size() > 1 ? name : called, command_)) {
      const bool is_off = equals != word.npos && is_false(word.substr(equals + 1));
      if (!foreign->is_skipped && !is_off)
        refuse(called, ": ", what_to_say(*foreign, name_of(command_)));
      const bool is_bare = equals == word.npos && (rest_.empty() || rest_.front().starts_with('-'));
      const std::string_view given = is_bare ? "" : value("VALUE");
      skipped_ +=
          joined(skipped_.empty() ? "" : "; ", called, given.empty() ? "" : " ", printable(given),
                 ": ", foreign->is_skipped ? foreign->say : "no meaning here, skipped");
      names_a_dataset_ = names_a_dataset_ || name == "dataset";
    } else if (flag) {
      refuse(called, ": is not for gradus ", name_of(command_), ", see gradus ", name_of(command_),
             " --help");
    } else {
      refuse(called, ": unknown flag", flag_meant_by(word, name));
    }
  }

  // What an unknown flag was meant to be: -n4 is -n 4, --no-bias is --bias false.
  std::string flag_meant_by(std::string_view word, const std::string& name) const {
    const auto our_flag = [&](std::string_view called) {
      const Flag* const flag = find_flag(called, command_);
      return flag && flag->is_for(command_) ? flag : nullptr;
    };
    if (word[1] != '-' && file_exists(std::string(word)))
      return joined("; the file is given as ./", printable(word));
    if (word[1] != '-' && our_flag(word.substr(0, 2)) && word.size() > 2 &&
        engine::is_digit(word[2]))
      return joined("; did you mean ", word.substr(0, 2), ' ', printable(word.substr(2)), '?');
    if (name.starts_with("no_"))
      if (const Flag* const flag = our_flag(name.substr(3)); flag && flag->value == "true|false")
        return joined("; did you mean --", flag->name, " false?");
    std::vector<std::string_view> names = flag_names(command_);
    names.push_back("help");
    const std::string nearest = suggestion(name, names, "--");
    return nearest.empty() ? joined("; gradus ", name_of(command_), " --help lists all flags")
                           : nearest;
  }

  std::string_view next_value(std::string_view called, std::string_view kind) {
    if (rest_.empty()) refuse(called, ": the value is missing, expected ", kind);
    const std::string_view value = rest_.front();
    if (value.starts_with("--") || is_flag(value))
      refuse(called, ": the value is missing, expected ", kind, ", found ", in_quotes(value),
             kind.size() > 1 && value.size() <= 100  // N and X are numbers
                 ? joined("; if that is the value, write ", called, "=", shell_word(value))
                 : "");
    rest_ = rest_.subspan(1);
    return value;
  }

  // Whether the word, with one hyphen, is a flag of the command or one that others have: -n, -t=4.
  bool is_flag(std::string_view word) const {
    word = word.substr(0, word.find('='));
    if (word.size() < 2 || word[0] != '-') return false;
    std::string name(word.substr(1));
    std::replace(name.begin(), name.end(), '-', '_');
    const auto is_known = [&](std::string_view called) {
      const Flag* const flag = find_flag(called, command_);
      return (flag && flag->is_for(command_)) || find_foreign_flag(called, command_) != nullptr;
    };
    return word == "-h" || is_known(word) || (name.size() > 1 && is_known(name));
  }

  // nanoGPT's --init_from: scratch is what gradus does anyway, resume continues the run in out_dir,
  // anything else is a model.
  void init_from(const std::string& called, const std::string& given, std::size_t begin) {
    if (given == "resume")
      resumes_out_dir_ = true;
    else if (command_ != Command::train)
      refuse(called, ": the model is given without a flag, gradus ", name_of(command_), " MODEL");
    else if (given.empty())
      refuse(called, ": \"\" is empty, expected a model");
    else if (given != "scratch")
      steps_.push_back({find_flag("init_from"), given, called, begin, place()});
  }

  // The arguments without a flag: TEXT..., MODEL, or MODEL TEXT.
  void take_positional(Settings& settings) const {
    const auto is_resume = [](const Step& step) { return step.flag->name == "resume"; };
    const bool resumes = resumes_out_dir_ || std::any_of(steps_.begin(), steps_.end(), is_resume);
    for (std::size_t i = 0; i < positional_.size(); ++i)
      if (positional_[i].empty())
        refuse(command_ == Command::sample && i == (model_dir_.empty() ? 1u : 0u)
                   ? "PROMPT: \"\" is empty; without a prompt, the model begins by itself"
                   : "\"\": an argument is empty, expected a file");
    auto next = positional_.begin();
    if (command_ == Command::report) return take_runs(settings);
    if (command_ != Command::train && !model_dir_.empty()) {
      settings.model_path = model_dir_;
    } else if (command_ != Command::train) {
      if (next == positional_.end())
        refuse("MODEL: missing, expected a run's directory or a model's file");
      settings.model_path = *next++;
    }
    if (command_ == Command::export_model) {
      const auto take = [&](std::string_view name, std::string_view expected) {
        if (next == positional_.end()) refuse(name, ": missing, expected ", expected);
        return *next++;
      };
      const std::string format = take("FORMAT", formats);
      const std::optional<Format> known = engine::value_named<Format>(format);
      if (!known) refuse("FORMAT: ", in_quotes(format), ", expected ", formats);
      settings.format = *known;
      settings.export_path = take("PATH", "what to write: a file for gguf, else a directory");
    }
    if (command_ == Command::train || command_ == Command::eval) {
      if (next == positional_.end() && !resumes)
        refuse("TEXT: missing, expected a text file or a directory of them",
               names_a_dataset_ ? "; --dataset is not used, write gradus train FILE" : "");
      const auto end = command_ == Command::train ? positional_.end() : next + 1;
      settings.texts.assign(next, end);
      next = end;
    }
    if (command_ == Command::sample && next != positional_.end()) {
      for (const Step& step : steps_)
        if (step.flag->name == "prompt" && step.value != *next)
          refuse(step.called, ": ", in_quotes(step.value), ", but PROMPT is ", in_quotes(*next),
                 "; expected one of them");
      find_flag("prompt")->give(settings, *next++, "PROMPT");
    }
    if (next != positional_.end())
      refuse(in_quotes(*next), ": one argument too many, expected ", info_of(command_).arguments,
             command_ == Command::sample ? "; a prompt with spaces goes in quotes" : "");
  }

  void take_runs(Settings& settings) const {
    settings.texts = positional_;
    if (!settings.texts.empty() && !model_dir_.empty())
      refuse("--out_dir: ", in_quotes(model_dir_), ", but RUN is ", in_quotes(settings.texts[0]),
             "; expected one of them");
    if (!model_dir_.empty()) settings.texts.push_back(model_dir_);
    if (settings.texts.empty()) refuse("RUN: missing, expected the directory of a run");
  }

  const Command command_;
  const std::span<const std::string_view> arguments_;
  std::span<const std::string_view> rest_;
  Notes& notes_;
  std::vector<Step> steps_;
  std::vector<std::string> positional_;
  std::string skipped_;           // flags of other programs that change nothing here, and why
  bool names_a_dataset_ = false;  // --dataset is among them
  std::string model_dir_;         // --out_dir of a command other than train
  bool resumes_out_dir_ = false;  // --init_from=resume
};

// What may have been meant by a word that is no command: one of another program, a file, a slip.
std::string meant_by(std::string_view word) {
  if (const ForeignWord* const foreign = find_foreign_command(word))
    return joined("; ", what_to_say(*foreign, ""));
  const std::string path(word);
  if (file_exists(path)) {
    const bool is_model = is_directory(path) || path.ends_with(".safetensors") ||
                          path.ends_with(".gguf") || path.ends_with(".pt");
    return joined("; ",
                  unbroken(joined("gradus ", is_model ? "sample " : "train ", shell_quoted(path))),
                  is_model ? " writes with a model" : " trains on a text");
  }
  std::vector<std::string_view> names;
  for (const CommandInfo& command : commands()) names.push_back(command.name);
  return suggestion(word, names, "");
}

}  // namespace

std::string unescaped(std::string_view called, std::string_view text, Notes& notes) {
  for (std::size_t at = 0; at + 2 < text.size(); ++at) {
    if (text[at] != '\\') continue;
    const bool is_space = std::string_view("ntr").find(text[++at]) != text.npos;
    if (!is_space || text[at + 1] < 'a' || text[at + 1] > 'z') continue;
    notes.add(called, ": ", printable(text),
              ": \\n is a line feed, \\t a tab, \\r a carriage return; \\\\ is a backslash");
    break;
  }
  return model::unescaped(text);
}

std::vector<std::string> edited(std::span<const std::string> words,
                                std::span<const std::string_view> without,
                                std::span<const std::string> added) {
  const auto flags = words.begin() + 2;
  const std::vector<std::string_view> arguments(flags, words.end());
  Notes notes;
  Reader reader(Command::train, arguments, notes);
  (void)reader.read_all();
  std::vector<std::string> edited = reader.edited(without, added);
  edited.insert(edited.begin(), words.begin(), flags);
  return edited;
}

std::string speaker(std::span<const std::string_view> arguments) {
  const bool has_command = !arguments.empty() && find_command(arguments[0]);
  return has_command ? joined("gradus ", arguments[0]) : "gradus";
}

Invocation read_arguments(std::span<const std::string_view> arguments,
                          std::string (*read)(const std::string& path)) {
  Invocation invocation;
  if (!arguments.empty() && arguments[0] == "help") {
    invocation.help = true;
    arguments = arguments.subspan(1);
    if (arguments.empty()) return invocation;
  }
  if (arguments.empty())
    refuse("no command, expected ", command_names(), "; gradus --help says more");
  const std::string_view name = arguments[0];
  if (name == "--help" || name == "-h") {
    invocation.help = true;
    return invocation;
  }
  const bool asks_version =
      name == "--version" || name == "-v" || name == "-V" || name == "version";
  invocation.print = asks_version                  ? version_text
                     : name == "--man"             ? man_page
                     : name == "--bash_completion" ? bash_completion
                                                   : nullptr;
  if (invocation.print != nullptr) return invocation;
  const CommandInfo* const command = find_command(name);
  if (command == nullptr)
    refuse(in_quotes(name), ": unknown command, expected ", command_names(), meant_by(name));
  invocation.command = command->command;
  if (invocation.help) return invocation;
  Reader reader(*invocation.command, arguments.subspan(1), invocation.notes);
  invocation.help = !reader.read_all();
  if (!invocation.help) invocation.settings = reader.settings(read);
  return invocation;
}

}  // namespace train
