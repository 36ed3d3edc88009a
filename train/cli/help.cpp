// The texts of --help, made from the table of flags.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/index.h"
#include "train/cli/arguments.h"
#include "train/cli/settings.h"

namespace train {

namespace {

constexpr std::size_t help_column = 30;

constexpr std::string_view overview =
    R"(gradus trains a small GPT on your text and writes more of it.

  gradus train TEXT...         train a model on text files
  gradus train --resume DIR    go on with a run that was stopped
  gradus sample MODEL          write text
  gradus chat MODEL            enter prompts and read how the model continues
  gradus eval MODEL TEXT       measure how well a model predicts a text
  gradus info MODEL            say what a model is and how it was trained
  gradus report RUN...         make a page to look at: curves, samples, heads
  gradus export MODEL FORMAT PATH
                               write it for transformers, llama.cpp or nanoGPT

MODEL is a run's directory or a .safetensors file; or what other programs saved:
a directory of transformers (GPT-2, Llama, Qwen3), a .gguf file, nanoGPT's
ckpt.pt. To begin with:

  gradus train my.txt          takes a few minutes; its files go to out/my
  gradus sample out/my

gradus COMMAND --help explains a command and its flags; gradus --version says
what this program was built from.
)";

constexpr std::string_view train_intro = R"(gradus train TEXT... [flags]
gradus train --resume DIR [flags]

Trains a GPT on one or more text files, one after another (a directory stands
for all files in it but hidden ones, by name), and writes to out_dir
  model.safetensors        the model of the best validation loss
  checkpoint.safetensors   all that is needed to go on where training stopped
  log.csv                  losses, learning rate, gradient at each evaluation
  times.csv, layers.csv, samples.txt
                           seconds; norms of each layer; what the model writes

Without flags, the model and its schedule follow from the text's size.
Ctrl-C finishes the step, saves, and says how to go on.

  gradus train my.txt
  gradus train a.txt b.txt --out_dir out/ab --minutes 10
  gradus train book/ --val_text other.txt --tokenizer bpe
  gradus train my.txt --n_layer 6 --n_head 6 --n_embd 384 --block_size 256
  gradus train my.txt --config config/train_shakespeare_char.py --max_iters=2000
  gradus train my.txt --init_from out/other
  gradus train --resume out/my
)";

constexpr std::string_view sample_intro = R"(gradus sample MODEL [PROMPT] [flags]

Writes text: the prompt and how the model continues it, samples separated by a
line of dashes. MODEL is a run's directory or a .safetensors file.

  gradus sample out/my
  gradus sample out/my "Once upon a time"
  gradus sample out/my --prompt "Once upon a time" --num_samples 3 --seed 7
  gradus sample out/my --temperature 0 --max_new_tokens 100
)";

constexpr std::string_view chat_intro = R"(gradus chat MODEL [flags]

Reads a prompt, writes how the model continues it, and reads the next. An empty
line lets the model begin by itself; Ctrl-D ends. MODEL is a run's directory or
a .safetensors file.

  gradus chat out/my
)";

constexpr std::string_view eval_intro = R"(gradus eval MODEL TEXT [flags]

Measures how well the model predicts the text: loss in nats per token,
perplexity, bits per character and per byte. Lower is better.

  gradus eval out/my other.txt
)";

constexpr std::string_view info_intro = R"(gradus info MODEL [flags]

Says what the model is: its architecture, parameters and tokenizer, and how it
was trained. MODEL is a run's directory or a .safetensors file.

  gradus info out/my
  gradus info out/my --tokenizer_dir my_tokenizer
)";

constexpr std::string_view export_intro = R"(gradus export MODEL FORMAT PATH [flags]

Writes the model for another program. PATH must not be there yet. FORMAT is
  hf         a directory that the library transformers opens
  gguf       a file that llama.cpp runs
  nanogpt    a directory with ckpt.pt, from which nanoGPT's train.py goes on,
             and meta.pkl; of a run, the state of its last checkpoint

  gradus export out/my gguf my.gguf --dtype q8_0
  gradus export out/my hf my_hf
  gradus export out/my nanogpt my_nanogpt
)";

constexpr std::string_view report_intro = R"(gradus report RUN... [flags]

Writes a page to look at in a browser, which needs no network: how the run
learned, what its loss means, what it wrote on the way, where it is surprised,
and which token looks at which. Several runs: their curves in one chart, and
what differs. RUN is the directory of a run.

  gradus report out/my
  gradus report out/my --prompt "Houston we have a problem"
  gradus report out/a out/b out/c --output abc.html
)";

// The words of reports, for `train` and `eval`.
constexpr std::pair<std::string_view, std::string_view> words[] = {
    {"step, iter", "step N: after N updates of the weights; iter N: the update that follows it"},
    {"token",
     "piece of text that the model reads and writes at once: a character, unless tokenizer "
     "says otherwise"},
    {"loss",
     "how much the next token surprises the model, in nats (1 nat is 1.44 bits); lower is "
     "better"},
    {"val loss", "validation loss: the loss on text that is not trained on, the one that counts"},
    {"perplexity",
     "e to the power of the loss: the model is as unsure as if it had to choose among so "
     "many tokens"},
    {"bits per character", "the loss in bits for each character, to compare tokenizers by"},
    {"channels", "numbers by which the model describes each token (n_embd)"},
    {"peak", "the most arithmetic that this machine was measured to do, in the run's dtype"},
    {"n-gram", "a guess by counting what followed the last tokens before: what a model must beat"},
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

std::string_view intro(Command command) {
  switch (command) {
    case Command::train: return train_intro;
    case Command::sample: return sample_intro;
    case Command::chat: return chat_intro;
    case Command::eval: return eval_intro;
    case Command::info: return info_intro;
    case Command::export_model: return export_intro;
    case Command::report: return report_intro;
  }
  return overview;
}

// `left`, then `right` from help_column on, wrapped at `width` columns.
std::string entry(std::string_view left, std::string_view right, std::size_t width) {
  std::string out, line = engine::joined("  ", left);
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

std::string flag_entry(const Flag& flag, Command command, std::size_t width) {
  std::string left = "--" + std::string(flag.name);
  if (!flag.is_switch()) left += ' ' + std::string(flag.value);
  std::string right(flag.help);
  std::string otherwise =
      flag.otherwise.empty() ? flag.get(Settings{}) : std::string(flag.otherwise);
  if (flag.name == "seed" && command != Command::train) otherwise = "another one each time";
  if (otherwise != model::no_default) right += " (default: " + otherwise + ')';
  for (std::string_view rest = flag.aliases; !rest.empty();) {
    const std::string_view alias = rest.substr(0, rest.find(' '));
    right += (alias[0] == '-' ? "; also " : "; also --") + std::string(alias);
    rest.remove_prefix(std::min(alias.size() + 1, rest.size()));
  }
  return entry(left, right, width);
}

}  // namespace

std::string help_text(std::optional<Command> command, int columns) {
  if (!command) return std::string(overview);
  const std::size_t width =
      std::clamp<std::size_t>(engine::unsigned_size(columns), help_column + 15, 80);
  std::string out(intro(*command));
  for (const Section& section : sections) {
    std::string entries;
    for (const Flag& flag : flags())
      if (flag.heading == section.heading && flag.is_for(*command))
        entries += flag_entry(flag, *command, width);
    if (*command == Command::train && section.heading == Heading::run)
      entries += entry("--config FILE",
                       "read flags from a file of nanoGPT's form: key = value, # comments; flags "
                       "after it override it",
                       width);
    if (!entries.empty()) out += engine::joined('\n', section.title, '\n', entries);
  }
  if (*command == Command::train || *command == Command::eval) {
    out += "\nThe words of its reports\n";
    for (const auto& [word, meaning] : words) out += entry(word, meaning, width);
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

std::string man_page() {
  std::string page =
      ".TH GRADUS 1\n.SH NAME\ngradus \\- train a small GPT on your text, on the CPU\n"
      ".SH DESCRIPTION\n.nf\n" +
      for_man(overview) + ".fi\n";
  for (const Command command : {Command::train, Command::sample, Command::chat, Command::eval,
                                Command::info, Command::report, Command::export_model}) {
    const std::string help = help_text(command, 80);
    const std::string title = help.substr(0, help.find(' ', help.find(' ') + 1));
    page += ".SH " + for_man(title) + "\n.nf\n" + for_man(help) + ".fi\n";
  }
  return page;
}

std::string bash_completion() {
  std::string script =
      "# Completion of gradus for bash, made by gradus --bash_completion.\n_gradus() {\n"
      "  local flags word=${COMP_WORDS[COMP_CWORD]}\n  COMPREPLY=()\n"
      "  if [ $COMP_CWORD = 1 ]; then\n"
      "    COMPREPLY=($(compgen -W 'train sample chat eval info report export --help --version' -- "
      "\"$word\"))\n"
      "    return\n  fi\n  case ${COMP_WORDS[1]} in\n";
  for (const auto& [name, command] : {std::pair("train", Command::train),
                                      {"sample", Command::sample},
                                      {"chat", Command::chat},
                                      {"eval", Command::eval},
                                      {"info", Command::info},
                                      {"report", Command::report},
                                      {"export", Command::export_model}}) {
    script += engine::joined("    ", name, ") flags='--help",
                             name == std::string_view("train") ? " --config" : "");
    for (const Flag& flag : flags())
      if (flag.is_for(command)) script += engine::joined(" --", flag.name);
    script += "' ;;\n";
  }
  return script +
         "  esac\n  case $word in -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$word\")) ;; "
         "esac\n}\n"
         "complete -o default -F _gradus gradus\n";
}

}  // namespace train
