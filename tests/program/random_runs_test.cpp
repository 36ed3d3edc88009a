// What README promises of every run, tried on runs that are drawn at random: a run that is stopped,
// killed, moved and resumed ends in the bytes of one that never stopped; a config means the flags of the
// same names; an exported model computes what the run's model does; damage to a file is one line.
//
// A case draws all it does from its seed. `make test` tries a few of each property; SEEDS=1000 as many,
// SEED=7 that one alone (a failure prints its seed and its commands):
//
//     SEED=7 GRADUS=./gradus .build/g++-native-float/gradus-tests '[random]'
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <random>

#include "tests/program/rewrite.h"
#include "tests/program/run.h"

using namespace program;

namespace {

class Draw {
 public:
  explicit Draw(unsigned seed) : bits_(seed) {}
  int between(int low, int high) {
    return low + static_cast<int>(bits_() % static_cast<unsigned>(high - low + 1));
  }
  bool heads() { return between(0, 1) == 1; }
  std::string one_of(std::initializer_list<const char*> words) {
    return words.begin()[between(0, static_cast<int>(words.size()) - 1)];
  }

 private:
  std::mt19937 bits_;  // its numbers are the same in every library; those of distributions are not
};

// f(draw), for each seed.
template <class F>
void each_seed(unsigned usual, F f) {
  const char *const seed = std::getenv("SEED"), *const seeds = std::getenv("SEEDS");
  const auto number = [](const char* text) { return static_cast<unsigned>(std::atoi(text)); };
  const unsigned first = seed != nullptr ? number(seed) : 1;
  const unsigned last = seed != nullptr ? first : seeds != nullptr ? number(seeds) : usual;
  for (unsigned now = first; now <= last; ++now) {
    INFO("SEED=" << now);
    f(Draw(now));
  }
}

// Settings as (name, value), of a model of a thousand weights that takes milliseconds an update.
using Settings = std::vector<std::pair<std::string, std::string>>;
Settings settings(Draw& draw) {
  return {{"n_layer", draw.one_of({"1", "2"})},
          {"n_head", "2"},
          {"n_embd", "16"},
          {"block_size", "8"},
          {"batch_size", draw.one_of({"2", "3"})},
          {"arch", draw.one_of({"gpt2", "llama", "qwen3"})},
          {"n_kv_head", draw.one_of({"1", "2"})},
          {"bias", draw.one_of({"true", "false"})},
          {"causal", draw.one_of({"true", "true", "false"})},
          {"tie_weights", draw.one_of({"true", "false"})},
          {"tokenizer", draw.one_of({"char", "byte", "word"})},
          {"optimizer", draw.one_of({"muon", "adamw"})},
          {"dropout", draw.one_of({"0", "0.2"})},
          {"gradient_accumulation_steps", draw.one_of({"1", "3"})},
          {"batches", draw.one_of({"random", "shuffled"})},
          {"eval_iters", draw.one_of({"0", "1", "2"})},
          {"eval_interval", draw.one_of({"2", "3", "5"})},
          {"sample_interval", draw.one_of({"3", "10"})},
          {"lr_schedule", draw.one_of({"cosine", "linear"})},
          {"lr_decay_iters", "60"},
          {"warmup_iters", draw.one_of({"0", "4"})},
          {"learning_rate", draw.one_of({"1e-3", "1e-2", "0.3"})},
          {"min_lr", "1e-4"},
          {"seed", std::to_string(draw.between(0, 999))},
          {"dtype", "float32"}};
}

std::string flags_of(const Settings& settings) {
  std::string flags;
  for (const auto& [name, value] : settings) flags += " --" + name + ' ' + value;
  return flags;
}

std::string value_of(const Settings& settings, const std::string& name) {
  return std::ranges::find(settings, name, &Settings::value_type::first)->second;
}

// What decides all later updates: weights, moments, generators, the next batch.
void check_same_state(const Sandbox& box, const std::string& one, const std::string& other) {
  const std::string a_bytes = read(box / one / "checkpoint.safetensors"),
                    b_bytes = read(box / other / "checkpoint.safetensors");
  const model::SafetensorsFile a(a_bytes), b(b_bytes);
  REQUIRE(a.tensors().size() == b.tensors().size());
  for (const model::TensorEntry& tensor : a.tensors())
    if (b.find(tensor.name) == nullptr || tensor.data != b.find(tensor.name)->data)
      FAIL_CHECK(tensor.name << " differs");
  for (const char* key : {"step", "generator", "next_batch"})
    CHECK(a.metadata().find(key)->second == b.metadata().find(key)->second);
}

// Ends the run with this signal after the evaluation of step 0 or an update drawn; it may be done before
// that.
void stop(const Sandbox& box, const std::string& command, int signal, Draw& draw) {
  Running run = box.start(command);
  run.wait_for("iter " + std::to_string(draw.between(0, 20)) + ":");
  run.signal(signal);
  const Result result = run.end();
  INFO(command << '\n' << result.err);
  CHECK((result.status == 0 || result.status == 128 + signal));
}

}  // namespace

TEST_CASE("random: a run that is stopped, killed, moved, cut and resumed never stopped",
          "[random][signal]") {
  each_seed(12, [](Draw draw) {
    const WithTale box(40);
    const Settings drawn = settings(draw);
    const int interval = std::atoi(value_of(drawn, "eval_interval").c_str());
    // The end is on the grid of evaluations: what is evaluated there is part of both runs.
    const int end = 30,
              first_end = draw.heads() ? draw.between(1, 5) * interval : draw.between(1, 29);
    const std::string flags = flags_of(drawn) + " --log_interval 1";
    box.done("train tale.txt --out_dir whole --max_iters 30" + flags);

    std::string text = "tale.txt";
    int ended_early = 0;  // after this step, before it was made longer; 0: it was not
    bool whole_log = true;
    for (int session = 0; session < 4; ++session) {
      const bool begun = std::filesystem::exists(box / "parts/checkpoint.safetensors");
      // A run that ended early is made longer by the next session.
      const int last = session == 0 && first_end < end ? first_end : end;
      std::string command = " --max_iters " + std::to_string(last) + " --threads " +
                            std::to_string(draw.between(1, 3)) + " --save_interval " +
                            draw.one_of({"1", "4", "1000"});
      command = begun ? "train --resume parts " + text + command + " --log_interval 1"
                      : "train " + text + " --force --out_dir parts" + command + flags;
      switch (session == 3 ? 0 : draw.between(0, 2)) {
        case 0: box.done(command); break;
        case 1: stop(box, command, SIGINT, draw); break;
        case 2: stop(box, command, SIGKILL, draw); break;
      }
      if (session == 0 && std::filesystem::exists(box / "parts/checkpoint.safetensors") &&
          step_of(box / "parts/checkpoint.safetensors") == std::to_string(first_end))
        ended_early = first_end;
      if (session < 3 && draw.heads()) {
        const std::string moved = "moved" + std::to_string(session) + ".txt";
        std::filesystem::rename(box / text, box / moved);
        text = moved;
      }
      if (session < 3 && draw.between(0, 3) == 0 &&
          std::filesystem::exists(box / "parts/log.csv")) {
        const auto log = box / "parts/log.csv";
        std::filesystem::resize_file(log, std::filesystem::file_size(log) / 2);
        whole_log = false;  // with it goes which evaluation was the best
      }
    }
    check_same_state(box, "whole", "parts");
    if (!whole_log) return;
    std::string log = read(box / "parts/log.csv");
    // Where a run ends, it evaluates and writes a sample, as the other did only on its grid.
    if (ended_early % std::atoi(value_of(drawn, "sample_interval").c_str()) == 0)
      CHECK(read(box / "whole/samples.txt") == read(box / "parts/samples.txt"));
    if (ended_early % interval == 0) {
      CHECK((read(box / "whole/model.safetensors") == read(box / "parts/model.safetensors")));
    } else {
      const std::size_t row = log.find('\n' + std::to_string(ended_early) + ',') + 1,
                        losses = log.rfind(',', log.rfind(',', log.find('\n', row)) - 1);
      log.replace(losses, log.find('\n', row) - losses, ",,");
    }
    CHECK(log == read(box / "whole/log.csv"));
  });
}

TEST_CASE("random: a config is the flags of its names", "[random]") {
  each_seed(3, [](Draw draw) {
    const WithTale box(40);
    Settings drawn = settings(draw);
    drawn.emplace_back("max_iters", std::to_string(draw.between(1, 6)));
    std::string config;
    for (const auto& [name, value] : drawn) {
      const bool word = std::isalpha(value[0]) != 0 && value != "true" && value != "false";
      config += name + " = " +
                (word               ? '\'' + value + '\''
                 : value == "true"  ? "True"
                 : value == "false" ? "False"
                                    : value) +
                "\n";
    }
    write(box / "c.py", config);
    INFO(config);
    // What a config leaves out has nanoGPT's defaults: both runs begin with an empty one.
    write(box / "empty.py", "");
    box.done("train tale.txt --config c.py --out_dir one");
    box.done("train tale.txt --config empty.py --out_dir other" + flags_of(drawn));
    for (const char* file : {"model.safetensors", "checkpoint.safetensors", "log.csv"})
      CHECK((read(box / "one" / file) == read(box / "other" / file)));
  });
}

TEST_CASE("random: an exported model computes and writes what the run's model does", "[random]") {
  each_seed(4, [](Draw draw) {
    const WithTale box(40);
    Settings drawn = settings(draw);
    std::erase_if(drawn, [](const auto& setting) {  // as the models of transformers are
      return setting.first == "causal" || setting.first == "bias" || setting.first == "n_kv_head" ||
             setting.first == "tokenizer";
    });
    if (value_of(drawn, "arch") == "gpt2") drawn.emplace_back("bias", "true");
    drawn.emplace_back("tokenizer", "bpe");
    box.done("train tale.txt --out_dir run --max_iters 9 --vocab_size 270" + flags_of(drawn));
    box.done("export run hf exported");
    INFO(flags_of(drawn));
    const auto numbers = [](const std::string& eval) { return between(eval, "loss ", "\n"); };
    CHECK(numbers(box.done("eval run tale.txt").out) ==
          numbers(box.done("eval exported tale.txt").out));
    const std::string sample = " --max_new_tokens 40 --num_samples 2 --prompt The --seed " +
                               std::to_string(draw.between(0, 999));
    CHECK(box.done("sample run" + sample).out == box.done("sample exported" + sample).out);
  });
}

TEST_CASE("random: damage to a file is one line, and changes nothing", "[random]") {
  const WithTale box(40);
  box.done(
      "train tale.txt --out_dir run --max_iters 4 --tokenizer bpe --vocab_size 260 --n_layer 1"
      " --n_head 1 --n_embd 16 --block_size 8 --batch_size 2 --eval_interval 2");
  box.done("export run hf exported");
  struct Reader {
    const char *file, *command;
  };
  constexpr std::array readers = {Reader{"run/model.safetensors", "eval run tale.txt"},
                                  Reader{"run/checkpoint.safetensors", "train --resume run"},
                                  Reader{"exported/model.safetensors", "eval exported tale.txt"},
                                  Reader{"exported/config.json", "eval exported tale.txt"},
                                  Reader{"exported/vocab.json", "eval exported tale.txt"},
                                  Reader{"exported/merges.txt", "eval exported tale.txt"},
                                  Reader{"run/log.csv", "report run --output -"},
                                  Reader{"run/sessions.jsonl", "report run --output -"}};
  each_seed(40, [&](Draw draw) {
    const Reader& reader =
        readers[static_cast<std::size_t>(draw.between(0, static_cast<int>(readers.size()) - 1))];
    const std::string whole = read(box / reader.file);
    std::string damaged = whole;
    const auto at = static_cast<std::size_t>(draw.between(0, static_cast<int>(whole.size()) - 1));
    switch (draw.between(0, 2)) {
      case 0: damaged.resize(at); break;
      case 1: damaged[at] = static_cast<char>(draw.between(0, 255)); break;
      case 2: damaged.insert(at, std::string(1, static_cast<char>(draw.between(0, 255)))); break;
    }
    write(box / reader.file, damaged);
    const Result result = box.gradus(reader.command);
    INFO(reader.command << ", " << reader.file << " damaged at " << at << '\n' << result.err);
    // Our models and checkpoints have a checksum. In the other files a weight, a name or a number may
    // be another one without being wrong.
    const bool is_checked = std::string_view(reader.file).starts_with("run/") &&
                            std::string_view(reader.file).ends_with(".safetensors");
    CHECK((result.status == 1 || (result.status == 0 && (!is_checked || damaged == whole))));
    if (result.status == 1) {
      CHECK(std::ranges::count(result.err, '\n') == 1);
      CHECK_THAT(result.err, Catch::StartsWith("gradus "));
      CHECK((read(box / reader.file) == damaged));
    }
    write(box / reader.file, whole);
  });
}
