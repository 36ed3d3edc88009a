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

// Reads one command's arguments, each word once and in order.
class Reader {
 public:
  Reader(Command command, std::span<const std::string_view> arguments, Notes& notes)
      : command_(command), rest_(arguments), notes_(notes) {}

  Settings settings() {
    bool only_positional = false;
    while (!rest_.empty()) {
      const std::string_view word = rest_.front();
      rest_ = rest_.subspan(1);
      if (only_positional || word.size() < 2 || word[0] != '-')
        positional_.emplace_back(word);
      else if (word == "--")
        only_positional = true;
      else
        read_flag(word);
    }
    TrainSettings& train = settings_.train;
    if (resumes_out_dir_ && command_ == Command::train) {
      if (train.out_dir.empty()) refuse("--init_from: resume needs --out_dir, the run's directory");
      find_flag("resume")->give(settings_, train.out_dir, "--out_dir");
    }
    take_positional();
    if (!skipped_.empty()) notes_.add(skipped_);
    if (command_ == Command::chat) settings_.sample.interactive = true;
    if (command_ == Command::sample && settings_.output == "-") settings_.output.clear();
    if (train.is_nanogpt() && !train.was_given<&TrainSettings::tokenizer>())
      train.tokenizer = "char";
    check_together(settings_, command_);
    return settings_;
  }

 private:
  struct Step {
    const Flag* flag;
    std::string value, called;
  };

  void read_flag(std::string_view word) {
    const std::size_t equals = word.find('=');
    const std::string called = printable(word.substr(0, equals));
    std::string name(word.substr(0, equals).substr(word[1] == '-' ? 2 : 1));
    std::ranges::replace(name, '-', '_');
    const auto value = [&](std::string_view kind) {
      return equals == std::string_view::npos ? next_value(called, kind) : word.substr(equals + 1);
    };
    const Flag* const flag = flag_in(word, command_);
    if (flag && flag->is_for(command_)) {
      const bool is_bare = flag->is_switch() && equals == std::string_view::npos;
      const std::string_view text = is_bare ? "true" : value(flag->value);
      take({flag, std::string(text), called});
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
      refuse(called, ": unknown flag", flag_meant_by(word, name, command_));
    }
  }

  void take(const Step& step) {
    const Flag& flag = *step.flag;
    const auto before = std::find_if(steps_.rbegin(), steps_.rend(),
                                     [&](const Step& earlier) { return earlier.flag == &flag; });
    if (before != steps_.rend() && !flag.repeats && before->value != step.value)
      notes_.add(before->called, ": ", in_quotes(before->value), " and later ",
                 in_quotes(step.value), "; the last one counts");
    if (!flag.of_negative.empty() && step.value.starts_with('-'))
      notes_.add(step.called, ": ", step.value, " is ", flag.of_negative);
    steps_.push_back(step);
    if (flag.special == Special::init_from) {
      if (step.value == "resume") resumes_out_dir_ = true;
      if (step.value == "scratch") settings_.train.init_from.clear();
      if (step.value == "resume" || step.value == "scratch") return;
      if (command_ != Command::train)
        refuse(step.called, ": the model is given without a flag, gradus ", name_of(command_),
               " MODEL");
    }
    flag.give(
        settings_,
        flag.special == Special::escapes ? unescaped(step.called, step.value, notes_) : step.value,
        step.called);
    if (flag.special == Special::config)
      apply_config(step.value, read_config(step.value), command_, settings_, notes_);
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

  // Whether the word, with one hyphen, is a flag of this command or of other programs: -n, -t=4.
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

  // The arguments without a flag: TEXT..., MODEL, RUN..., or MODEL TEXT.
  void take_positional() {
    auto next = positional_.begin();
    const auto end = positional_.end();
    const auto take = [&](std::string_view name, std::string_view expected) {
      if (next == end) refuse(name, ": missing, expected ", expected);
      if (next->empty()) refuse("\"\": an argument is empty, expected a file");
      return *next++;
    };
    const auto take_all = [&](std::vector<std::string>& list, std::string_view name,
                              std::string_view expected) {
      do list.push_back(take(name, expected));
      while (next != end);
    };
    const auto take_model = [&](std::string& path) {
      if (path.empty()) path = take("MODEL", "a run's directory or a model's file");
    };
    const std::string text =
        joined("a text file or a directory of them",
               names_a_dataset_ ? "; --dataset is not used, write gradus train FILE" : "");
    TrainSettings& train = settings_.train;
    switch (command_) {
      case Command::train:
        if (next != end || !train.resumes()) take_all(train.texts, "TEXT", text);
        break;
      case Command::sample:
      case Command::chat:
        take_model(settings_.model_path);
        if (command_ == Command::chat || next == end) break;
        if (next->empty())
          refuse("PROMPT: \"\" is empty; without a prompt, the model begins by itself");
        if (!settings_.prompt.empty() && settings_.prompt != *next)
          refuse("--prompt: ", in_quotes(settings_.prompt), ", but PROMPT is ", in_quotes(*next),
                 "; expected one of them");
        settings_.prompt = *next++;
        break;
      case Command::eval:
        take_model(settings_.model_path);
        settings_.eval.text = take("TEXT", text);
        break;
      case Command::info: take_model(settings_.model_path); break;
      case Command::export_model: {
        ExportSettings& to = settings_.exported;
        take_model(settings_.model_path);
        const std::string format = take("FORMAT", formats);
        const std::optional<Format> known = engine::value_named<Format>(format);
        if (!known) refuse("FORMAT: ", in_quotes(format), ", expected ", formats);
        to.format = *known;
        to.path = take("PATH", "what to write: a file for gguf, else a directory");
        break;
      }
      case Command::report: {
        std::vector<std::string>& runs = settings_.report.runs;
        if (!runs.empty() && next != end)
          refuse("--out_dir: ", in_quotes(runs[0]), ", but RUN is ", in_quotes(*next),
                 "; expected one of them");
        if (runs.empty()) take_all(runs, "RUN", "the directory of a run");
      }
    }
    if (next != end)
      refuse(in_quotes(*next), ": one argument too many, expected ", info_of(command_).arguments,
             command_ == Command::sample ? "; a prompt with spaces goes in quotes" : "");
  }

  const Command command_;
  std::span<const std::string_view> rest_;
  Notes& notes_;
  Settings settings_;
  std::vector<Step> steps_;
  std::vector<std::string> positional_;
  std::string skipped_;           // flags of other programs that change nothing here, and why
  bool names_a_dataset_ = false;  // --dataset is among them
  bool resumes_out_dir_ = false;  // --init_from=resume
};

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
  return unescaped(text);
}

const Flag* flag_in(std::string_view word, Command command) {
  std::string name(word.substr(0, word.find('=')));
  if (!name.starts_with('-')) return nullptr;
  if (name.starts_with("--")) {
    name.erase(0, 2);
    std::ranges::replace(name, '-', '_');  // --block-size is --block_size
  }
  return find_flag(name, command);
}

std::string speaker(std::span<const std::string_view> arguments) {
  const bool has_command = !arguments.empty() && find_command(arguments[0]);
  return has_command ? joined("gradus ", arguments[0]) : "gradus";
}

Invocation read_arguments(std::span<const std::string_view> arguments) {
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
    refuse(in_quotes(name), ": unknown command, expected ", command_names(),
           command_meant_by(name));
  invocation.command = command->command;
  arguments = arguments.subspan(1);
  const auto end_of_flags = std::ranges::find(arguments, "--");
  for (const std::string_view help : {"--help", "-h"})
    if (std::find(arguments.begin(), end_of_flags, help) != end_of_flags) invocation.help = true;
  if (!invocation.help)
    invocation.settings = Reader(*invocation.command, arguments, invocation.notes).settings();
  return invocation;
}

}  // namespace train
