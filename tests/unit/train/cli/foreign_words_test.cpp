#include "train/cli/foreign_words.h"

#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "tests/catch.h"

using namespace train;

namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  return {std::istream_iterator<std::string>(in), {}};
}
std::vector<std::string> names_of(const ForeignWord& word) { return words_of(word.names); }

constexpr Command all[] = {Command::train, Command::sample, Command::eval,        Command::info,
                           Command::chat,  Command::report, Command::export_model};

}  // namespace

TEST_CASE("foreign words: each can be reached, and the flags that are named are there") {
  std::set<std::string> known_commands;
  for (const ForeignWord& word : foreign_words())
    for (const std::string& name : names_of(word)) {
      INFO(name << ": " << word.say);
      if (word.commands == 0) {
        CHECK(find_foreign_command(name) == &word);
        CHECK(known_commands.insert(name).second);
      }
      CHECK((name[0] != '-' || name.size() == 2));
      for (const Command command : all) {
        if (!(word.commands & static_cast<unsigned>(command))) continue;
        const std::string typed = name.ends_with('*') ? name + "x" : name;
        const Flag* const own = find_flag(typed, command);
        CHECK_FALSE((own != nullptr && own->is_for(command)));
        CHECK(find_foreign_flag(typed, command) == &word);
        // "--flag" alone, or at the beginning of a sentence.
        if (!word.say.starts_with("--")) continue;
        const std::string flag(word.say.substr(2, word.say.find(' ') - 2));
        const Flag* const ours = find_flag(flag, command);
        CHECK((ours != nullptr && ours->is_for(command)));
      }
    }
  CHECK(find_foreign_flag("wandb", Command::train) == nullptr);
  CHECK(find_foreign_flag("", Command::train) == nullptr);
  CHECK(find_foreign_flag("generate", Command::train) == nullptr);
  CHECK(find_foreign_command("epochs") == nullptr);
  CHECK(find_foreign_command("fine-tune") == find_foreign_command("finetune"));
}

TEST_CASE("foreign words: the explanation is a sentence that begins with the word") {
  const auto explanation = [](const char* name, Command command, const char* called) {
    return what_to_say(*find_foreign_flag(name, command), called);
  };
  CHECK(explanation("num_layers", Command::train, "train") == "is called --n_layer here");
  CHECK(explanation("-m", Command::chat, "chat") ==
        "the model is given without a flag, gradus chat MODEL");
  CHECK(explanation("epochs", Command::train, "train") ==
        "gradus counts updates of the weights, --max_iters N, or minutes, --minutes M");
}

// Each word with the flag for what it sets where it comes from: transformers' TrainingArguments and
// configurations (hidden_size, num_hidden_layers, max_position_embeddings, warmup_steps, ...), llama.cpp
// (ctx_size, reverse_prompt, outtype), PyTorch's AdamW, Keras and Lightning (patience, val_split).
TEST_CASE("foreign words: each names the flag of ours that sets the same") {
  const std::map<Command, std::map<std::string, std::string>> meanings = {
      {Command::train,
       {{"out_dir", "output output_dir save_dir"},
        {"n_layer", "num_layers num_hidden_layers layers depth"},
        {"n_head", "num_heads num_attention_heads heads"},
        {"n_kv_head", "num_key_value_heads num_kv_heads"},
        {"n_embd", "hidden_size d_model embed_dim embedding_dim emb_dim dim width"},
        {"n_inner", "ffn_dim d_ff mlp_dim"},
        {"block_size",
         "-c ctx_size ctx n_ctx context context_size context_length seq_len seq_length max_seq_len "
         "max_seq_length max_length max_position_embeddings length"},
        {"batch_size", "bs batch per_device_train_batch_size train_batch_size"},
        {"gradient_accumulation_steps", "grad_accum gradient_accumulation"},
        {"max_iters", "max_steps num_steps train_steps num_iters iterations updates"},
        {"minutes", "time max_time time_limit"},
        {"weight_decay", "wd"},
        {"beta1", "adam_beta1"},
        {"beta2", "adam_beta2"},
        {"grad_clip", "max_grad_norm clip gradient_clip"},
        {"warmup_iters", "warmup warmup_steps num_warmup_steps"},
        {"lr_schedule", "lr_scheduler lr_scheduler_type scheduler"},
        {"eval_interval", "eval_steps eval_every"},
        {"save_interval", "save_steps save_every"},
        {"log_interval", "logging_steps log_every"},
        {"val_fraction", "val_split validation_split val_ratio test_size"},
        {"val_text", "val_file val_data validation_file eval_file"},
        {"resume", "checkpoint ckpt resume_from resume_from_checkpoint"},
        {"tokenizer", "tokenizer_name tokenizer_path tokenizer_type"},
        {"dtype", "precision mixed_precision fp16 bf16 half"},
        {"threads", "-j jobs num_threads n_threads num_workers"},
        {"seed", "-s random_seed random_state"},
        {"init_from", "-m model model_name model_path model_name_or_path pretrained"}}},
      {Command::sample,
       {{"max_new_tokens", "length max_length num_tokens tokens"},
        {"num_samples", "num_return_sequences n_samples samples"},
        {"prompt", "text -f file input prompt_file"},
        {"stop", "-r reverse_prompt stop_token eos_token"},
        {"repetition_penalty", "presence_penalty frequency_penalty"},
        {"output", "outfile output_file"},
        {"temperature", "do_sample greedy"},
        {"dtype", "precision mixed_precision fp16 bf16 half"},
        {"threads", "-j jobs num_threads n_threads num_workers"},
        {"seed", "-s random_seed random_state"}}},
      {Command::report,
       {{"prompt", "-f file input prompt_file"},
        {"output", "outfile output_file"},
        {"threads", "-j jobs num_threads n_threads num_workers"}}},
      {Command::export_model, {{"dtype", "outtype -q quantize quantization"}}}};
  for (const auto& [command, flags] : meanings) {
    std::map<std::string, std::string> expected, found;
    for (const auto& [flag, words] : flags)
      for (const std::string& word : words_of(words)) expected[word] = "--" + flag;
    for (const ForeignWord& word : foreign_words())
      for (const std::string& name : names_of(word))
        if ((word.commands & static_cast<unsigned>(command)) != 0 && word.say.starts_with("--") &&
            find_foreign_flag(name, command) == &word) {
          const std::string answer = what_to_say(word, "train");
          found[name] = answer.substr(answer.find("--"));
          found[name].resize(std::min(found[name].find(' '), found[name].size()));
        }
    // --version is the program's, as are "--temperature 0 always ..." of chat and sample.
    std::erase_if(found, [](const auto& row) { return row.second == "--version"; });
    CHECK(found == expected);
  }
}

TEST_CASE("foreign words: a command of another program is answered with ours") {
  const std::map<std::string, std::string> ours = {
      {"sample", "generate gen run predict complete inference"},
      {"train", "pretrain fit learn resume continue finetune fine_tune"},
      {"eval", "evaluate test perplexity"},
      {"export", "convert quantize"},
      {"info", "show inspect describe"},
      {"report", "plot view visualize"}};
  std::map<std::string, std::string> expected, found;
  for (const auto& [command, words] : ours)
    for (const std::string& word : words_of(words)) expected[word] = "gradus " + command;
  for (const ForeignWord& word : foreign_words())
    for (const std::string& name : names_of(word))
      if (word.commands == 0) found[name] = word.say.substr(0, word.say.find(' ', 7));
  CHECK(found == expected);
  for (const char* const again : {"resume", "continue"})
    CHECK_THAT(std::string(find_foreign_command(again)->say), Catch::Contains("--resume"));
  for (const char* const tuned : {"finetune", "fine_tune"})
    CHECK_THAT(std::string(find_foreign_command(tuned)->say), Catch::Contains("--init_from"));
}
