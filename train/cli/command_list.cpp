#include "train/cli/command_list.h"

#include <algorithm>

namespace train {
namespace {

// clang-format off
constexpr CommandInfo command_table[] = {
    {Command::train, "train", "TEXT...", "train a model on text files", "training",
R"(gradus train --resume DIR [flags]

Trains a GPT on one or more text files, joined in the order given. A directory
stands for its texts, sorted by name, without hidden files and backups. Writes
to out_dir
  model.safetensors        the model with the lowest validation loss
  checkpoint.safetensors   all that --resume needs
  log.csv                  loss, learning rate and gradient norm of updates (in
                           long runs every n-th), and losses of evaluations
  times.csv, samples.txt   seconds; what the model writes
  sessions.jsonl           the commands that started and resumed the run

Without flags, the text's size decides the model and its schedule.
Ctrl-C finishes the step, saves, and says how to continue.

  gradus train my.txt
  gradus train a.txt b.txt --out_dir out/ab --minutes 10
  gradus train book/ --val_text other.txt --tokenizer bpe
  gradus train my.txt --n_layer 6 --n_head 6 --n_embd 384 --block_size 256
  gradus train my.txt --config config/train_shakespeare_char.py --max_iters=2000
  gradus train my.txt --init_from out/other
  gradus train --resume out/my
)"},
    {Command::sample, "sample", "MODEL [PROMPT]", "write text", "writing text",
R"(
Writes the prompt and how the model continues it. A line of dashes separates
samples. MODEL is a run's directory or a .safetensors file.

  gradus sample out/my
  gradus sample out/my "Once upon a time"
  gradus sample out/my --prompt "Once upon a time" --num_samples 3 --seed 7
  gradus sample out/my --temperature 0 --max_new_tokens 100
)"},
    {Command::chat, "chat", "MODEL", "enter prompts and read how the model continues",
     "writing text",
R"(
Reads a prompt, writes how the model continues it, and reads the next. An empty
line lets the model begin by itself; the line exit or Ctrl-D ends, on Windows
Ctrl-Z and Enter.
MODEL is a run's directory or a .safetensors file. With rlwrap, a separate
program, lines can be edited and repeated.

  gradus chat out/my
  rlwrap gradus chat out/my
)"},
    {Command::eval, "eval", "MODEL TEXT", "measure how well a model predicts a text",
     "measuring the loss",
R"(
Measures how well the model predicts the text: loss in nats per token,
perplexity, bits per character and per byte. Lower is better.

  gradus eval out/my other.txt
)"},
    {Command::info, "info", "MODEL", "say what a model is and how it was trained",
     "describing the model",
R"(
Says what the model is: its architecture, parameters and tokenizer, and how it
was trained. MODEL is a run's directory or a .safetensors file.

  gradus info out/my
)"},
    {Command::report, "report", "RUN...", "make a page to look at: curves, samples, heads",
     "making the page",
R"(
Writes a page for a browser; it needs no network. It shows how the run learned,
what its loss means, what it wrote on the way, where it is surprised, and which
token looks at which; for several runs, their curves in one chart and what
differs. RUN is the directory of a run.

  gradus report out/my
  gradus report out/my --prompt "Houston we have a problem"
  gradus report out/a out/b out/c --output abc.html
)"},
    {Command::export_model, "export", "MODEL FORMAT PATH",
     "write the model or its tokens for other programs", "writing the model",
R"(
Writes the model for another program. PATH must not exist. FORMAT is
  hf      a directory that the library transformers opens; train --tokenizer
          reads the tokenizer in it
  gguf    a file that llama.cpp runs
  bin     a directory with train.bin and val.bin: the tokens of the run's texts,
          16 bits each, as nanoGPT's data/NAME holds them

The document separator ends a text. A model trained without
--document_separator has none: hf names no end-of-text token; llama.cpp needs
one, gets the rarest token, and stops there unless given --ignore-eos.

nanoGPT can continue a run of train --arch gpt2 that nanogpt.py has converted to
ckpt.pt. The script needs PyTorch; it is in train/exchange of the sources, and
in share/gradus where gradus was installed:
  python3 nanogpt.py out/my DIR             ckpt.pt, meta.pkl and data
  python3 nanogpt.py --from ckpt.pt DIR     and back: DIR/model.safetensors

  gradus export out/my gguf my.gguf --dtype q8_0
  gradus export out/my hf my_hf
  gradus export out/my bin my_tokens
)"},
};
// clang-format on

}  // namespace

std::span<const CommandInfo> commands() { return command_table; }

const CommandInfo& info_of(Command command) {
  return *std::ranges::find(command_table, command, &CommandInfo::command);
}

const CommandInfo* find_command(std::string_view name) {
  const auto* const found = std::ranges::find(command_table, name, &CommandInfo::name);
  return found == std::end(command_table) ? nullptr : found;
}

}  // namespace train
