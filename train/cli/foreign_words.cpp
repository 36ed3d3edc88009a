#include "train/cli/foreign_words.h"

#include <algorithm>

#include "train/system/words.h"

namespace train {
namespace {

constexpr unsigned writing = in_sample | in_chat,
                   of_model = writing | in_eval | in_export | in_info,
                   everywhere = in_train | of_model | in_report, a_command = 0;

// A text that begins with -- is the name of our flag for the same. % stands for the command. The
// first row with the word counts. clang-format off
constexpr ForeignWord word_table[] = {
    // nanoGPT's keys without a meaning here
    {"device", everywhere, "skipped; gradus computes on the CPU", true},
    {"compile backend always_save_checkpoint wandb_*", everywhere, "no meaning here, skipped",
     true},
    {"dataset", everywhere, "skipped; gradus trains on the text files that it is given", true},
    {"eval_only", everywhere, "gradus eval MODEL TEXT measures a model's loss on a text"},

    // The arguments without a flag
    {"-f file input data text", in_train, "a text is given without a flag, gradus train FILE"},
    {"-f file input data text", in_eval,
     "the text is given without a flag, gradus eval MODEL TEXT"},
    {"-m model", in_train,
     "--init_from MODEL begins with the weights of a model, --arch chooses an architecture"},
    {"-m model checkpoint", of_model, "the model is given without a flag, gradus % MODEL"},
    {"-o output", in_export,
     "what to write is given without a flag, gradus export MODEL FORMAT PATH"},

    // Flags with another name in gradus
    {"output output_dir", in_train, "--out_dir"},
    {"layers num_layers", in_train, "--n_layer"},
    {"heads num_heads", in_train, "--n_head"},
    {"dim d_model hidden_size", in_train, "--n_embd"},
    {"-c ctx context context_length seq_len", in_train, "--block_size"},
    {"bs", in_train, "--batch_size"},
    {"max_steps num_steps", in_train, "--max_iters"},
    {"time", in_train, "--minutes"},
    {"wd", in_train, "--weight_decay"},
    {"checkpoint", in_train, "--resume"},
    {"-j num_threads", in_train | writing | in_eval | in_report, "--threads"},
    {"length tokens", writing, "--max_new_tokens"},
    {"text", in_sample, "--prompt"},
    {"-q quantize", in_export, "--dtype"},

    // Things that gradus does in another way
    {"epochs epoch num_epochs num_train_epochs", in_train,
     "gradus counts updates of the weights, --max_iters N, or minutes, --minutes M"},
    {"-f file", in_sample | in_report, "--prompt FILE:NAME reads the prompt from a file"},
    {"fp16 bf16", in_train | writing | in_eval,
     "--dtype bfloat16 computes products in it, --dtype float32 does not"},
    {"gpu cuda", everywhere, "there is no such flag; gradus computes on the CPU"},

    // Commands
    {"generate run", a_command, "gradus sample MODEL writes text"},
    {"resume", a_command, "gradus train --resume DIR continues a run"},
    {"finetune", a_command,
     "gradus train TEXT --init_from MODEL begins with the weights of a model"},
    {"evaluate test", a_command, "gradus eval MODEL TEXT measures a model's loss on a text"},
    {"convert", a_command, "gradus export MODEL FORMAT PATH writes a model for another program"},
};
// clang-format on

bool has(std::string_view names, std::string_view word) {
  for (bool more = true; more;) {
    const std::size_t end = names.find(' ');
    const std::string_view name = names.substr(0, end);
    if (name == word || (name.ends_with('*') && word.starts_with(name.substr(0, name.size() - 1))))
      return true;
    more = end != std::string_view::npos;
    if (more) names.remove_prefix(end + 1);
  }
  return false;
}

const ForeignWord* find(std::string_view word, unsigned command) {
  const auto found = std::ranges::find_if(word_table, [&](const ForeignWord& row) {
    return (command == a_command ? row.commands == a_command : (row.commands & command) != 0) &&
           has(row.names, word);
  });
  return found == std::end(word_table) ? nullptr : found;
}

}  // namespace

std::span<const ForeignWord> foreign_words() { return word_table; }

const ForeignWord* find_foreign_flag(std::string_view name, Command command) {
  return find(name, static_cast<unsigned>(command));
}

const ForeignWord* find_foreign_command(std::string_view name) { return find(name, a_command); }

std::string what_to_say(const ForeignWord& word, std::string_view command) {
  const std::string_view say = word.say;
  if (say.starts_with("--") && say.find(' ') == std::string_view::npos)
    return joined("is called ", say, " here");
  const std::size_t place = say.find('%');
  if (place == std::string_view::npos) return std::string(say);
  return joined(say.substr(0, place), command, say.substr(place + 1));
}

}  // namespace train
