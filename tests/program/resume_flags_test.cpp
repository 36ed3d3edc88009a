// What --resume may change and what not, for every flag of train: as its row says.
#include <map>
#include <set>

#include "tests/program/rewrite.h"
#include "tests/program/run.h"
#include "tests/unit/train/run/other_value.h"
#include "train/cli/settings.h"

namespace {

using Values = std::map<std::string, std::string>;

// Values for flags that are no settings of the plan or the model, or need one of these. A resumed run may
// not be given them,
const Values kept = {{"tokenizer", "byte"},     {"vocab_size", "300"},
                     {"val_text", "other.txt"}, {"document_separator", "x"},
                     {"arch", "gpt2"},          {"init_from", "run"},
                     {"out_dir", "elsewhere"},  {"force", ""},
                     {"n_embd", "64"},          {"dtype", "auto"}};
// and these it may.
const Values free_to_change = {
    {"minutes", "5"}, {"threads", "1"}, {"log_interval", "3"}, {"max_iters", "7"}};
// Flags with the values of other flags, or of this call.
const std::set<std::string> others = {"resume", "config", "unknown"};

// What the run of this checkpoint was trained with.
train::Settings settings_of(const std::filesystem::path& checkpoint) {
  train::Settings settings;
  for (const train::Flag& flag : train::flags())
    if (const std::string value = program::setting_of(checkpoint, std::string(flag.name));
        flag.is_for(train::Command::train) && flag.name != "vocab_size" && value != "(none)")
      flag.set(settings, value, flag.name);
  return settings;
}

// Flags of train that a resumed run may be given another value of, or none, with such a value.
Values changes(const train::Settings& run, bool may_change) {
  Values values = may_change ? free_to_change : kept;
  for (const train::Flag& flag : train::flags()) {
    const std::string name(flag.name);
    if (!flag.is_for(train::Command::train) || flag.heading == train::Heading::hidden ||
        others.contains(name))
      continue;
    const bool may =
        flag.holds == train::Holds::for_a_call || flag.holds == train::Holds::until_resumed;
    INFO("--" << name << " holds for another time than the list above says");
    CHECK_FALSE((may ? kept : free_to_change).contains(name));
    if (may == may_change) values.emplace(name, train::other_value(flag, run));
  }
  return values;
}

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

  const train::Settings settings = settings_of(box / "run/checkpoint.safetensors");
  // What info lists is what the checkpoint holds.
  const std::string info = box.gradus("info run/checkpoint.safetensors").out;
  for (const train::PlanSetting& setting : train::plan_settings) {
    std::string name(setting.name);
    const bool is_listed = setting.holds == train::Holds::for_the_run;
    const std::string value = setting.get(settings.train);
    name.resize(std::max<std::size_t>(name.size(), 16), ' ');
    CAPTURE(name, value, info);
    CHECK((info.find("\n  " + name + "  " + value + '\n') != info.npos) == is_listed);
  }

  for (const auto& [name, value] : changes(settings, false)) {
    const auto run = box.gradus("train --resume run --max_iters 6 --" + name + ' ' + value);
    CAPTURE(name, value, run.err);
    // A flag that contradicts --resume is a wrong command line, for any run.
    CHECK(run.status == (name == "force" || name == "init_from" || name == "out_dir" ? 2 : 1));
    CHECK_THAT(run.err, Catch::StartsWith("gradus train: --" + name + ": "));
    CHECK((program::read(box / "run/checkpoint.safetensors") == checkpoint));
    CHECK((program::read(box / "run/model.safetensors") == model));
  }
  for (const auto& [name, value] : changes(settings, true)) {
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
  box.done(small + "--max_iters 1 --out_dir usual");
  for (const auto& flag : changes(settings_of(box / "usual/checkpoint.safetensors"), false))
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
