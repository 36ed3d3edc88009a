// What --resume may change and what not: every flag of train is in a list here, so that the test fails
// for a new flag until it is in one.
#include <map>
#include <set>
#include <sstream>

#include "tests/program/run.h"

namespace {

using Values = std::map<std::string, std::string>;

// Values by the names of their flags.
Values values_of(const std::string& flags) {
  Values values;
  std::istringstream in(flags);
  std::string name;
  for (std::string word; in >> word;)
    if (word.starts_with("--"))
      values[name = word.substr(2)];
    else
      values[name] = word;
  return values;
}

// Another value than that of the run below; none of them may be given.
const Values kept = values_of(
    "--n_layer 3 --n_head 1 --n_embd 64 --block_size 8 --dropout 0.5 --bias true "
    "--activation relu --position learned --norm layernorm --qk_norm false --n_kv_head 1 "
    "--tie_weights false --head_dim 4 --n_inner 8 --norm_eps 1e-3 --rope_theta 5 "
    "--attention_scale none --causal false --seed 7 --dtype auto --tokenizer byte "
    "--vocab_size 300 --val_text other.txt --document_separator x --val_fraction 0.3 "
    "--arch gpt2 --batch_size 5 --gradient_accumulation_steps 2 --batches random "
    "--init_std 0.5 --optimizer adamw --momentum 0.5 --weight_decay 0.7 --beta1 0.5 "
    "--beta2 0.5 --init_from run --grad_clip 5 --learning_rate 0.5 --warmup_iters 7 "
    "--decay_lr false --lr_schedule cosine --lr_decay_iters 70 --min_lr 0.5 --eval_iters 3 "
    "--eval_tokens 7 --out_dir elsewhere --force");
const Values free_to_change = values_of(
    "--max_iters 7 --minutes 5 --threads 1 --log_interval 3 --eval_interval 2 "
    "--save_interval 2 --sample_interval 2");
// Flags with the values of other flags, or of this call.
const std::set<std::string> others = {"resume", "config", "help", "unknown"};

// A sandbox with the two texts that the values name.
struct WithTexts : program::Sandbox {
  WithTexts() {
    std::string text;
    for (int i = 0; i < 200; ++i) text += "row " + std::to_string(i * i) + "\n";
    for (const char* name : {"t.txt", "other.txt"}) program::write(*this / name, text);
  }
};

}  // namespace

TEST_CASE("resume: of every flag it is known whether a resumed run may be given another value") {
  const WithTexts box;
  box.done(
      "train t.txt --n_layer 2 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 "
      "--max_iters 5 --lr_decay_iters 100 --dtype float32 --out_dir run");
  const std::string checkpoint = program::read(box / "run/checkpoint.safetensors"),
                    model = program::read(box / "run/model.safetensors");

  std::istringstream help(box.gradus("train --help").out);
  int flags = 0;
  for (std::string line; std::getline(help, line);) {
    const std::size_t at = line.find("--");
    if (at > 8 || line.find_first_not_of(" ") > 4) continue;  // a flag's own line
    const std::string name = line.substr(at + 2, line.find_first_of(" =,", at) - at - 2);
    INFO("--" << name << " is new: may a resumed run be given another value?");
    CHECK(kept.contains(name) + free_to_change.contains(name) + others.contains(name) == 1);
    ++flags;
  }
  CHECK(flags >= 55);

  for (const auto& [name, value] : kept) {
    const auto run = box.gradus("train --resume run --max_iters 6 --" + name + ' ' + value);
    CAPTURE(name, value, run.err);
    // A flag that contradicts --resume is a wrong command line, for any run.
    CHECK(run.status == (name == "force" || name == "init_from" || name == "out_dir" ? 2 : 1));
    CHECK_THAT(run.err, Catch::StartsWith("gradus train: --" + name + ": "));
    CHECK((program::read(box / "run/checkpoint.safetensors") == checkpoint));
    CHECK((program::read(box / "run/model.safetensors") == model));
  }
  for (const auto& [name, value] : free_to_change) {
    program::write(box / "run/checkpoint.safetensors", checkpoint);
    const auto run = box.gradus("train --resume run " +
                                std::string(name == "max_iters" ? "" : "--max_iters 7 ") + "--" +
                                name + ' ' + value);
    CAPTURE(name, value, run.err);
    CHECK(run.status == 0);
    CHECK_THAT(run.err, Catch::Contains("done: 7 steps"));
  }
}

TEST_CASE("resume: every flag that a run was started with may be given again with its value") {
  const WithTexts box;
  program::write(box / "c.py", "n_layer = 1\nn_embd = 8\nn_head = 1\nlearning_rate = 1e-2\n");
  const std::string small = "train t.txt --n_embd 32 --n_head 2 --n_layer 1 --block_size 16 ";
  Values starts = {{"tokenizer", "auto --dtype float32"},
                   {"vocab_size", "270 --tokenizer bpe --arch llama"},
                   {"document_separator", "row --tokenizer word"},
                   {"config", "c.py"}};
  for (const auto& flag : kept)
    if (flag.first != "force" && flag.first != "init_from") starts.insert(flag);
  for (const auto& [name, value] : starts) {
    const std::string flags = "--" + name + ' ' + value,
                      directory = name == "out_dir" ? value : name;
    const std::string length = name == "decay_lr" ? "" : "--lr_decay_iters 9 ";
    const std::string start =
        small + length + flags + (name == "out_dir" ? "" : " --out_dir " + name);
    const auto begun = box.gradus(start + " --max_iters 1");
    CAPTURE(start, begun.err);
    REQUIRE(begun.status == 0);
    const auto rest = box.gradus(start + " --max_iters 2 --resume " + directory);
    CAPTURE(rest.err);
    CHECK(rest.status == 0);
    CHECK_THAT(rest.err, Catch::Contains("done: 2 steps"));
  }
  // Without the record of its sessions, the run does not know what was given.
  std::filesystem::remove(box / "arch/sessions.jsonl");
  const auto unknown = box.gradus("train --resume arch --arch gpt2 --max_iters 3");
  CHECK(unknown.err ==
        "gradus train: --arch: the run in arch has no record of its value, so it cannot be gpt2; "
        "a resumed run keeps its settings\n");
}
