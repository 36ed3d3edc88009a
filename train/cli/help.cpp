// The texts of --help, made from the table of flags.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/op.h"
#include "train/cli/arguments.h"
#include "train/cli/command_list.h"
#include "train/cli/settings.h"
#include "train/system/words.h"

namespace train {

namespace {

constexpr std::size_t help_column = 30;

constexpr std::string_view before_commands =
    "gradus trains a small GPT on your text and writes more of it.\n\n";
constexpr std::string_view after_commands = R"(
MODEL is a run's directory, a .safetensors file, or what other programs saved:
a directory of transformers (GPT-2, Llama, Qwen3). To begin:

  gradus train my.txt          takes a few minutes; its files go to out/my
  gradus sample out/my

gradus COMMAND --help explains a command and its flags; gradus --version says
what this program was built from.
)";

// The words of reports, for `train` and `eval`.
constexpr std::pair<std::string_view, std::string_view> glossary[] = {
    {"step, iter", "step N: after N updates of the weights; iter N: the update that follows it"},
    {"token",
     "piece of text that the model reads and writes as a unit: a character, or several (see "
     "tokenizer)"},
    {"loss",
     "how much the next token surprises the model, in nats (1 nat is 1.44 bits); lower is "
     "better"},
    {"train loss",
     "training loss: the mean over the updates since the last evaluation, with dropout; at first "
     "well above val loss, since the model was worse during those updates; iter lines show the "
     "loss of one update"},
    {"val loss", "validation loss: the loss on text that is not trained on; the one that counts"},
    {"perplexity",
     "e to the power of the loss: at 8, the model is as unsure as with a fair choice among 8 "
     "tokens"},
    {"bits per character",
     "the loss in bits for each character, comparable between tokenizers; a document separator "
     "does not count as a character"},
    {"channels", "numbers by which the model describes each token (n_embd)"},
    {"peak", "the fastest arithmetic that was measured on this machine, in the run's dtype"},
    {"n-gram",
     "a prediction by counting which token followed the last ones before; a model should beat it"},
};

struct Section {
  Heading heading;
  std::string_view title;
};
constexpr Section sections[] = {
    {Heading::common, "Flags used most"},
    {Heading::run, "The run"},
    {Heading::text, "The text"},
    {Heading::model, "The model"},
    {Heading::training, "Training"},
    {Heading::rate, "Learning rate"},
    {Heading::reports, "Reports and checkpoints"},
    {Heading::sampling, "Samples"},
    {Heading::choice, "How a token is chosen"},
};

// `left`, then `right` from help_column on, wrapped at `width` columns.
std::string entry(std::string_view left, std::string_view right, std::size_t width) {
  std::string out, line = joined("  ", left);
  if (line.size() >= help_column) {
    out = line + '\n';
    line.clear();
  }
  line.resize(help_column, ' ');
  while (!right.empty()) {
    const std::size_t end = std::min(right.find(' '), right.size());
    const bool begins = line.size() == help_column;
    if (!begins && line.size() + 1 + end > width) {
      out += line + '\n';
      line = std::string(help_column, ' ');
    } else if (!begins) {
      line += ' ';
    }
    line += right.substr(0, end);
    right.remove_prefix(std::min(end + 1, right.size()));
  }
  return out + line + '\n';
}

// "muon; with --config or --init_from adamw"
std::string default_of(const Flag& flag) {
  if (!flag.otherwise.empty()) return std::string(flag.otherwise);
  const auto value = [&](Recipe recipe) {
    const std::string_view text = flag.in_new_runs.of(recipe);
    return text.empty() ? flag.get(Settings{}) : std::string(text);
  };
  const std::string best = value(Recipe::best), nanogpt = value(Recipe::nanogpt),
                    fine_tuning = value(Recipe::fine_tuning);
  if (nanogpt == fine_tuning)
    return nanogpt == best ? best : joined(best, "; with --config or --init_from ", nanogpt);
  return joined(best, nanogpt == best ? "" : "; with --config " + nanogpt,
                fine_tuning == best ? "" : "; with --init_from " + fine_tuning);
}

std::string flag_entry(const Flag& flag, std::size_t width) {
  std::string left = "--" + std::string(flag.name);
  if (!flag.is_switch()) left += ' ' + std::string(flag.value);
  std::string right(flag.help);
  const std::string otherwise = default_of(flag);
  if (otherwise != model::no_default) right += " (default: " + otherwise + ')';
  for (std::string_view rest = flag.aliases; !rest.empty();) {
    const std::string_view alias = rest.substr(0, rest.find(' '));
    right += (alias[0] == '-' ? "; also " : "; also --") + std::string(alias);
    rest.remove_prefix(std::min(alias.size() + 1, rest.size()));
  }
  return entry(left, right, width);
}

std::string overview() {
  std::string out(before_commands);
  for (const CommandInfo& command : commands()) {
    out += entry(joined("gradus ", command.name, ' ', command.arguments), command.summary, 80);
    if (command.command == Command::train)
      out += entry("gradus train --resume DIR", "continue a run that was stopped", 80);
  }
  return out.append(after_commands);
}

}  // namespace

std::string help_text(std::optional<Command> command, int columns) {
  if (!command) return overview();
  const std::size_t width =
      std::clamp<std::size_t>(engine::unsigned_size(columns), help_column + 15, 80);
  const CommandInfo& info = info_of(*command);
  std::string out = joined("gradus ", info.name, ' ', info.arguments, " [flags]\n", info.intro);
  for (const Section& section : sections) {
    std::string entries;
    for (const Flag& flag : flags())
      if (flag.heading == section.heading && flag.is_for(*command))
        entries += flag_entry(flag, width);
    if (!entries.empty()) out += joined('\n', section.title, '\n', entries);
  }
  if (*command == Command::train || *command == Command::eval) {
    out += "\nThe words of its reports\n";
    for (const auto& [word, meaning] : glossary) out += entry(word, meaning, width);
  }
  return out;
}

// man-page text: a backslash, and a dot or quote at the beginning of a line, have a meaning there.
static std::string for_man(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    if (c == '-') out += '\\';
    out += c;
    if (c == '\\') out += 'e';
  }
  return out;
}

constexpr std::string_view library_text =
    R"(The engine, its layers and the model are a C++20 library. A program includes what it uses,

    #include "engine/ops.h"    // tensors and the operations on them
    #include "engine/tape.h"   // what is computed while a Tape is open can be differentiated
    #include "nn/layers.h"     // Linear, LayerNorm, ...; optimizers: nn/adamw.h, nn/muon.h
    #include "model/gpt/gpt.h"

and is built with

    g++ -O2 prog.cpp $(pkg-config --cflags --libs gradus) -o prog

A wrong shape, value or file throws Error, a std::runtime_error. Its what() is one line.
share/doc/gradus has README.md, own_operation.md and the programs of the tour, to begin with.
)";

constexpr std::string_view status_text = R"(0    done
1    failed because of a file, the data or the system; one line says why
2    the command line is wrong; nothing was read or written
128 + N  stopped by signal N (Ctrl-C: 130): training is saved and can go on
)";
constexpr std::string_view files_text = R"(of a run, in out_dir:
model.safetensors       the model with the lowest validation loss
checkpoint.safetensors  all that train --resume needs
log.csv, times.csv      rows for updates and evaluations, and their times
samples.txt             what the model wrote along the way
sessions.jsonl          the commands that started and resumed the run
report.html             the page of gradus report
)";

std::string man_page() {
  std::string page =
      ".TH GRADUS 1\n.SH NAME\ngradus \\- train a small GPT on your text, on the CPU\n"
      ".SH SYNOPSIS\n.nf\n";
  for (const CommandInfo& command : commands())
    page += for_man(joined("gradus ", command.name, ' ', command.arguments, " [flags]\n"));
  page += ".fi\n.SH DESCRIPTION\n.nf\n" + for_man(overview()) + ".fi\n";
  for (const CommandInfo& command : commands())
    page += joined(".SH gradus ", command.name, "\n.nf\n", for_man(help_text(command.command, 80)),
                   ".fi\n");
  page += ".SH EXIT STATUS\n.nf\n" + for_man(status_text) + ".fi\n.SH FILES\n.nf\n" +
          for_man(files_text) + ".fi\n.SH THE LIBRARY\n.nf\n" + for_man(library_text) + ".fi\n";
  std::string operations;
  for (const std::string_view op : engine::names_of<engine::Op>) operations += joined(' ', op);
  return page +
         ".PP\nOperations on tensors, in engine/ops.h and attention.h:" + for_man(operations) +
         "\n.SH SEE ALSO\n" +
         for_man("share/doc/gradus, bash-completion, pkg-config(1), mpirun(1)\n");
}

// The values that a flag chooses from, `char byte word` of char|byte|word|DIR; empty if none.
static std::string choices_of(const Flag& flag) {
  std::string choices;
  if (flag.value.find('|') == flag.value.npos) return choices;
  for (std::string_view rest = flag.value; !rest.empty();) {
    const std::string_view choice = rest.substr(0, rest.find('|'));
    if (choice[0] >= 'a') choices += joined(choices.empty() ? "" : " ", choice);
    rest.remove_prefix(std::min(choice.size() + 1, rest.size()));
  }
  return choices;
}

std::string bash_completion() {
  std::string names, cases, written;
  for (const std::string_view format : engine::names_of<Format>) written += joined(' ', format);
  for (const CommandInfo& command : commands()) {
    names += joined(command.name, ' ');
    std::string all = "--help", chosen;
    for (const Flag& flag : flags()) {
      if (!flag.is_for(command.command) || flag.heading == Heading::hidden) continue;
      all += joined(" --", flag.name);
      if (const std::string choices = choices_of(flag); !choices.empty())
        chosen += joined("        --", flag.name, ") values='", choices, "' ;;\n");
    }
    if (command.command == Command::export_model)
      chosen += joined("        *) [ $COMP_CWORD = 3 ] && values='", written.substr(1), "' ;;\n");
    cases += joined("    ", command.name, ")\n      flags='", all, "'\n      case $last in\n",
                    chosen, "      esac ;;\n");
  }
  return joined(R"(# Completion of gradus for bash, made by gradus --bash_completion.
_gradus() {
  local flags= values= word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  if [ $COMP_CWORD = 1 ]; then
    COMPREPLY=($(compgen -W ')",
                names, R"(--help --version' -- "$word"))
    return
  fi
  # bash takes the = of --flag=value for a word.
  if [ "$word" = = ]; then word=; elif [ "$last" = = ]; then last=${COMP_WORDS[COMP_CWORD-2]}; fi
  case ${COMP_WORDS[1]} in
)",
                cases, R"(  esac
  case $word in -*) values=$flags ;; esac
  COMPREPLY=($(compgen -W "$values" -- "$word"))
}
complete -o default -F _gradus gradus
)");
}

}  // namespace train
