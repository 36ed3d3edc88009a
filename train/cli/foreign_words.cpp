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
    // Flags that change nothing
    {"device ngl n_gpu_layers gpu_layers", everywhere, "skipped; gradus computes on the CPU", true},
    {"compile backend always_save_checkpoint wandb_*", everywhere, "no meaning here, skipped",
     true},
    {"dataset", everywhere, "skipped; gradus trains on the text files that it is given", true},

    // The arguments without a flag
    {"-f file input data data_dir data_path train_file train_data text corpus", in_train,
     "a text is given without a flag, gradus train FILE"},
    {"-f file input data text val_text eval_file", in_eval,
     "the text is given without a flag, gradus eval MODEL TEXT"},
    {"-m model model_name model_path model_name_or_path pretrained", in_train,
     "--init_from MODEL begins with the weights of a model, --arch chooses an architecture"},
    {"-m model model_name model_path model_name_or_path checkpoint ckpt", of_model,
     "the model is given without a flag, gradus % MODEL"},
    {"-m model run checkpoint", in_report, "the run is given without a flag, gradus report RUN"},
    {"-o output output_dir outfile output_file out", in_export,
     "what to write is given without a flag, gradus export MODEL FORMAT PATH"},
    {"-f format to", in_export,
     "the format is given without a flag, gradus export MODEL FORMAT PATH"},

    // Flags with another name in gradus
    {"output output_dir save_dir", in_train, "--out_dir"},
    {"num_layers num_hidden_layers layers depth", in_train, "--n_layer"},
    {"num_heads num_attention_heads heads", in_train, "--n_head"},
    {"num_key_value_heads num_kv_heads", in_train, "--n_kv_head"},
    {"hidden_size d_model embed_dim embedding_dim emb_dim dim width", in_train, "--n_embd"},
    {"ffn_dim d_ff mlp_dim", in_train, "--n_inner"},
    {"-c ctx_size ctx n_ctx context context_size context_length seq_len seq_length max_seq_len "
     "max_seq_length max_length max_position_embeddings length",
     in_train, "--block_size"},
    {"bs batch per_device_train_batch_size train_batch_size", in_train, "--batch_size"},
    {"grad_accum gradient_accumulation", in_train, "--gradient_accumulation_steps"},
    {"max_steps num_steps train_steps num_iters iterations updates", in_train, "--max_iters"},
    {"time max_time time_limit", in_train, "--minutes"},
    {"wd", in_train, "--weight_decay"},
    {"adam_beta1", in_train, "--beta1"},
    {"adam_beta2", in_train, "--beta2"},
    {"max_grad_norm clip gradient_clip", in_train, "--grad_clip"},
    {"warmup warmup_steps num_warmup_steps", in_train, "--warmup_iters"},
    {"lr_scheduler lr_scheduler_type scheduler", in_train, "--lr_schedule"},
    {"eval_steps eval_every", in_train, "--eval_interval"},
    {"save_steps save_every", in_train, "--save_interval"},
    {"logging_steps log_every", in_train, "--log_interval"},
    {"val_split validation_split val_ratio test_size", in_train, "--val_fraction"},
    {"val_file val_data validation_file eval_file", in_train, "--val_text"},
    {"checkpoint ckpt resume_from resume_from_checkpoint", in_train, "--resume"},
    {"tokenizer_name tokenizer_path tokenizer_type", in_train, "--tokenizer"},
    {"precision mixed_precision", in_train | writing | in_eval, "--dtype"},
    {"-j jobs num_threads n_threads num_workers", in_train | writing | in_eval | in_report,
     "--threads"},
    {"-s random_seed random_state", in_train | writing, "--seed"},
    {"length max_length num_tokens tokens", writing, "--max_new_tokens"},
    {"num_return_sequences n_samples samples", in_sample, "--num_samples"},
    {"text", in_sample, "--prompt"},
    {"-r reverse_prompt stop_token eos_token", writing, "--stop"},
    {"presence_penalty frequency_penalty", writing, "--repetition_penalty"},
    {"outfile output_file", in_sample | in_report, "--output"},
    {"outtype -q quantize quantization", in_export, "--dtype"},

    // Things that gradus does in another way
    {"epochs epoch num_epochs num_train_epochs n_epochs", in_train,
     "gradus counts updates of the weights, --max_iters N, or minutes, --minutes M"},
    {"patience early_stopping", in_train,
     "there is no such flag; the model of the lowest validation loss is kept in any case"},
    {"-f file input prompt_file", in_sample | in_report,
     "--prompt FILE:NAME reads the prompt from a file"},
    {"-c ctx_size ctx n_ctx context context_size context_length block_size", writing,
     "there is no such flag; the context is as long as the model's, its block_size"},
    {"do_sample greedy", writing, "--temperature 0 always takes the most likely token"},
    {"num_beams", writing,
     "gradus has no beam search; --temperature 0 always takes the most likely token"},
    {"fp16 bf16 half", in_train | writing | in_eval,
     "--dtype bfloat16 computes products in it, --dtype float32 does not"},
    {"gpu cuda", everywhere, "there is no such flag; gradus computes on the CPU"},
    {"verbose quiet silent", everywhere,
     "there is no such flag; results go to standard output, all else to standard error"},
    {"eval_only", everywhere, "gradus eval MODEL TEXT measures a model's loss on a text"},
    {"-v -V version", everywhere, "gradus --version prints the version"},

    // Commands
    {"generate gen run predict complete inference", a_command, "gradus sample MODEL writes text"},
    {"pretrain fit learn", a_command, "gradus train TEXT trains a model"},
    {"resume continue", a_command, "gradus train --resume DIR continues a run"},
    {"finetune fine_tune", a_command,
     "gradus train TEXT --init_from MODEL begins with the weights of a model"},
    {"evaluate test perplexity", a_command,
     "gradus eval MODEL TEXT measures a model's loss on a text"},
    {"convert quantize", a_command,
     "gradus export MODEL FORMAT PATH writes a model for another program"},
    {"show inspect describe", a_command, "gradus info MODEL says what a model is"},
    {"plot view visualize", a_command, "gradus report RUN makes a page to look at"},
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

const ForeignWord* find_foreign_command(std::string_view name) {
  std::string word(name);
  std::ranges::replace(word, '-', '_');
  return find(word, a_command);
}

std::string what_to_say(const ForeignWord& word, std::string_view command) {
  const std::string_view say = word.say;
  if (say.starts_with("--") && say.find(' ') == std::string_view::npos)
    return joined("is called ", say, " here");
  const std::size_t place = say.find('%');
  if (place == std::string_view::npos) return std::string(say);
  return joined(say.substr(0, place), command, say.substr(place + 1));
}

}  // namespace train
