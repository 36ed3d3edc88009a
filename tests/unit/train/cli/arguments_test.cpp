// The command line and --config: what they set, and for every mistake the one line that is said.
#include "train/cli/arguments.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "model/base/system.h"
#include "tests/catch.h"

using train::Command;
using train::Invocation;
using train::Plan;
using train::SampleSettings;
using train::Settings;
using train::TrainSettings;

namespace {

std::string config;  // what --config reads, whatever its path

Invocation read(const std::vector<std::string_view>& words) {
  return train::read_arguments(words, [](const std::string&) { return config; });
}

std::vector<std::string> said;  // notes on the words that were read last

Settings settings(const std::vector<std::string_view>& words) {
  const Invocation invocation = read(words);
  said = invocation.notes.waiting();
  return invocation.settings;
}
TrainSettings of_train(const std::vector<std::string_view>& words) { return settings(words).train; }
SampleSettings of_sample(const std::vector<std::string_view>& words) {
  return settings(words).sample;
}

// The error, marked if it is not one of the command line's.
std::string error_of(const std::vector<std::string_view>& words) {
  try {
    read(words);
  } catch (const train::UsageError& error) {
    return error.what();
  } catch (const engine::Error& error) {
    return std::string("(1) ") + error.what();
  }
  return "accepted";
}

std::string config_error(const std::string& text) {
  config = text;
  const std::string error = error_of({"train", "a.txt", "--config", "c.py"});
  config.clear();
  return error;
}

std::string line_of(const std::vector<std::string_view>& words) {
  std::string out = "gradus";
  for (const std::string_view word : words) out += ' ' + std::string(word);
  return out;
}

}  // namespace

TEST_CASE("arguments: nothing given leaves the documented defaults") {
  const TrainSettings s = of_train({"train", "my.txt"});
  CHECK(s.texts == std::vector<std::string>{"my.txt"});
  CHECK(s.seed == 1337);
  CHECK_FALSE(s.bias);
  CHECK(s.dropout == 0);
  CHECK(s.beta1 == 0.9);
  CHECK(s.beta2 == 0.99);
  CHECK(s.weight_decay == 0.1);
  CHECK(s.grad_clip == 1);
  CHECK(s.tokenizer == "auto");
  CHECK(s.val_fraction == 0.1);
  CHECK(s.eval_iters == 0);
  CHECK(s.decay_lr);
  CHECK_FALSE(s.was_given<&Plan::n_layer>());
  CHECK(s.out_dir.empty());
  const SampleSettings t = of_sample({"sample", "out/my"});
  CHECK(t.model_path == "out/my");
  CHECK(t.num_samples == 1);
  CHECK(t.max_new_tokens == 500);
  CHECK(t.temperature == 0.8);
  CHECK(t.top_k == 200);
  CHECK(t.top_p == 1);
  CHECK_FALSE(t.unknown);
}

TEST_CASE("arguments: either spelling, in any order, the last one counting") {
  const TrainSettings s =
      of_train({"train", "--n_layer=6", "a.txt", "--n-head", "8", "b.txt", "--bias", "TRUE",
                "--decay_lr=FALSE", "--force", "--n_layer", "2", "--learning_rate", "1e-3"});
  CHECK(s.texts == std::vector<std::string>{"a.txt", "b.txt"});
  CHECK(s.n_layer == 2);
  CHECK(s.n_head == 8);
  CHECK(s.bias);
  CHECK_FALSE(s.decay_lr);
  CHECK(s.force);
  CHECK(s.learning_rate == 1e-3);
  CHECK(s.was_given<&Plan::n_layer>());
  CHECK(s.was_given<&Plan::bias>());
  CHECK(s.was_given<&TrainSettings::force>());
  CHECK_FALSE(s.was_given<&Plan::n_embd>());
}

TEST_CASE("arguments: after -- nothing is a flag, and a lone dash never is") {
  CHECK(of_train({"train", "--", "--n_layer", "-"}).texts ==
        std::vector<std::string>{"--n_layer", "-"});
  const SampleSettings s = of_sample({"sample", "--start=--dashes", "--stop", "a", "--stop=b",
                                      "--interactive", "--top_p", "1", "-"});
  CHECK(s.model_path == "-");
  CHECK(s.prompt == "--dashes");
  CHECK(s.stop == std::vector<std::string>{"a", "b"});
  CHECK(s.interactive);
}

TEST_CASE("arguments: seeds are any 64 bits") {
  CHECK(of_train({"train", "a", "--seed", "18446744073709551615"}).seed == ~std::uint64_t{0});
  CHECK(of_train({"train", "a", "--seed=-1"}).seed == ~std::uint64_t{0});
  CHECK(of_train({"train", "a", "--seed", "-9223372036854775808"}).seed == std::uint64_t{1} << 63);
}

TEST_CASE("arguments: values that may not mean what was meant are said") {
  const auto notes = [](std::vector<std::string_view> words) {
    return read(words).notes.waiting();
  };
  using Lines = std::vector<std::string>;
  CHECK(notes({"train", "a", "--seed", "-1"}) ==
        Lines{"--seed: -1 is an ordinary seed: the same numbers each time"});
  CHECK(notes({"train", "a", "--lr", "1", "--learning_rate", "2", "--lr=3"}) ==
        Lines{R"(--lr: "1" and later "2"; the last one counts)",
              R"(--learning_rate: "2" and later "3"; the last one counts)"});
  CHECK(notes({"sample", "m", "--stop", "a", "--stop", "b", "-n", "5", "-n", "5"}).empty());
}

TEST_CASE("arguments: --resume needs no text, eval has a model and a text") {
  CHECK(of_train({"train", "--resume", "out/a", "--max_iters", "10"}).resume == "out/a");
  const Settings given = settings({"eval", "out/a", "b.txt", "--threads", "2"});
  const train::EvalSettings& s = given.eval;
  CHECK(s.model_path == "out/a");
  CHECK(s.text == "b.txt");
  CHECK(given.threads == 2);
  CHECK(settings({"info", "out/a"}).info.model_path == "out/a");
}

TEST_CASE("arguments: a value is read back from its text") {
  Settings s;
  for (const train::Flag& flag : train::flags()) {
    const bool is_number = flag.value.size() == 1, is_truth = flag.value == "true|false";
    if (!is_number && !is_truth && !flag.is_switch()) continue;
    INFO(flag.name);
    std::string value = !is_number                                   ? "true"
                        : flag.range.open_max || flag.range.open_min ? "0.25"
                                                                     : "7";
    if (flag.name == "vocab_size") value = "300";
    if (flag.name == "min_p") value = "0.125";
    flag.set(s, value, flag.name);
    CHECK(flag.get(s) == value);
    CHECK(std::ranges::any_of(train::commands(), [&](const train::CommandInfo& info) {
      return train::find_flag(flag.name, info.command) == &flag;
    }));
  }
  CHECK(train::find_flag("start") == train::find_flag("prompt"));
  CHECK(train::find_flag("-o", Command::train) == train::find_flag("out_dir"));
  CHECK(train::find_flag("-o", Command::sample) == train::find_flag("output"));
  CHECK(train::find_flag("") == nullptr);
}

TEST_CASE("arguments: the factor of attention scores is a word or a number") {
  const struct {
    const char *given, *in_config;
    double factor;
    const char* text;
  } cases[] = {{"sqrt", "'sqrt'", 0, "sqrt"},
               {"none", "\"none\"", 1, "none"},
               {"1.0", "2 * 0.5", 1, "none"},
               {"0.01", "0.01", 0.01, "0.01"},
               {"1e3", "'1000'", 1000, "1000"}};
  for (const auto& [given, in_config, factor, text] : cases) {
    INFO(given << ", " << in_config);
    const Settings all = settings({"train", "a", "--attention_scale", given, "--causal=false"});
    const TrainSettings& s = all.train;
    CHECK(s.attention_scale == nn::AttentionScale{factor});
    CHECK(train::find_flag("attention_scale")->get(all) == text);
    CHECK_FALSE(s.causal);
    config = std::string("attention_scale = ") + in_config + "\ncausal = False";
    const TrainSettings c = of_train({"train", "a", "--config", "c.py"});
    config.clear();
    CHECK(c.attention_scale == s.attention_scale);
    CHECK_FALSE(c.causal);
  }
  CHECK(of_train({"train", "a"}).attention_scale == nn::AttentionScale{0});
  CHECK(of_train({"train", "a"}).causal);
}

TEST_CASE("arguments: the habits of nanoGPT and llama.cpp are met") {
  CHECK(of_sample({"sample", "--out_dir=out/x", "--init_from=resume"}).model_path == "out/x");
  const TrainSettings resumed = of_train({"train", "--init_from=resume", "--out_dir=out/x"});
  CHECK(resumed.resume == "out/x");
  CHECK(resumed.was_given<&TrainSettings::resume>());
  CHECK(of_train({"train", "a", "--init_from", "scratch"}).resume.empty());
  CHECK(of_train({"train", "a", "--init_from", "m", "--init_from", "scratch"}).init_from.empty());
  const SampleSettings s =
      of_sample({"sample", "m", "Hello", "-n", "5", "-o", "f", "--temp", "0.5"});
  CHECK(s.prompt == "Hello");
  CHECK(s.max_new_tokens == 5);
  CHECK(s.output == "f");
  CHECK(s.temperature == 0.5);
  CHECK(of_sample({"sample", "m", "-p", "Hello", "-i"}).interactive);
  // What begins with a hyphen is a value where it can be no flag, and where = says so.
  for (const std::string_view text : {"-p=-n", "--prompt=-n", "--start=-n"})
    CHECK(of_sample({"sample", "m", text}).prompt == "-n");
  for (const std::string_view text : {"-", "-5", "- a", "-nothing", "-the fox"})
    CHECK(of_sample({"sample", "m", "-p", text}).prompt == text);
  CHECK(of_sample({"sample", "m", "Hello", "-p", "Hello"}).prompt == "Hello");
  CHECK(of_train({"train", "a", "-o", "d", "--lr", "0.5"}).learning_rate == 0.5);
  CHECK(of_train({"train", "a", "-o", "d"}).out_dir == "d");
  CHECK(of_sample({"chat", "m"}).interactive);
  CHECK(of_train({"train", "--resume", "d", "--minutes", "3", "--max_iters", "9"}).minutes == 3);
}

TEST_CASE("arguments: a line feed may be written with a backslash, as a word of LaTeX is not") {
  const SampleSettings s =
      of_sample({"sample", "m", "--stop", R"(\n\nUser:)", "--stop", R"(\\nabla\alpha)"});
  CHECK(s.stop == std::vector<std::string>{"\n\nUser:", R"(\nabla\alpha)"});
  CHECK(said.empty());
  train::Notes notes;
  for (const std::string text :
       {"", "\\", "\\n", "a\\n", "\\\\nabla", "\\alpha", "\\nX", "\\\\\\n", "\\n\\t"})
    CHECK(train::unescaped("--stop", text, notes) == model::unescaped(text));
  CHECK(notes.waiting().empty());
  CHECK(train::unescaped("--prompt", R"(a \theta)", notes) == "a \theta");
  CHECK(train::unescaped("--stop", R"(\\\nabla)", notes) == "\\\nabla");
  CHECK(notes.waiting() == std::vector<std::string>{
                               R"(--prompt: a \theta: \n is a line feed, \t a tab, \r a carriage )"
                               R"(return; \\ is a backslash)",
                               R"(--stop: \\\nabla: \n is a line feed, \t a tab, \r a carriage )"
                               R"(return; \\ is a backslash)"});
}

TEST_CASE("arguments: nanoGPT's README command is understood") {
  config =
      "# a character-level model, good to debug with\n"
      "out_dir = 'out-shakespeare-char'\n"
      "eval_interval = 250 # keep frequent\n"
      "eval_iters = 200\n"
      "log_interval = 10\n"
      "always_save_checkpoint = False\n"
      "\n"
      "wandb_log = False\n"
      "wandb_run_name = 'run-' + str(time.time()) # not read\n"
      "dataset = 'shakespeare_char'\n"
      "gradient_accumulation_steps = 1\n"
      "batch_size = 64\n"
      "block_size = 256\n"
      "n_layer = 6\nn_head = 6\nn_embd = 384\ndropout = 0.2\n"
      "learning_rate = 1e-3\nmax_iters = 5000\nlr_decay_iters = 5000\n"
      "min_lr = 1e-4\nbeta2 = 0.99\nwarmup_iters = 100\n"
      "# device = 'cpu'\n# compile = False\n";
  const TrainSettings s =
      of_train({"train", "input.txt", "--config", "config/train_shakespeare_char.py",
                "--device=cpu", "--compile=False", "--eval_iters=20", "--log_interval=1",
                "--block_size=64", "--batch_size=12", "--n_layer=4", "--n_head=4", "--n_embd=128",
                "--max_iters=2000", "--lr_decay_iters=2000", "--dropout=0.0"});
  config.clear();
  CHECK(s.out_dir == "out-shakespeare-char");
  CHECK(s.eval_interval == 250);
  CHECK(s.eval_iters == 20);
  CHECK(s.n_embd == 128);
  CHECK(s.dropout == 0);
  CHECK(s.learning_rate == 1e-3);
  CHECK(s.min_lr == 1e-4);
  CHECK(s.max_iters == 2000);
  CHECK(s.warmup_iters == 100);
  CHECK(said ==
        std::vector<std::string>{"config/train_shakespeare_char.py: no meaning here, skipped: "
                                 "always_save_checkpoint, wandb_log, wandb_run_name, dataset",
                                 "--device cpu: skipped; gradus computes on the CPU; "
                                 "--compile False: no meaning here, skipped"});
}

TEST_CASE("arguments: what changes nothing here is skipped, with its value and a note") {
  const SampleSettings s =
      of_sample({"sample", "m", "-ngl", "99", "--device", "cuda", "--eval_only=False",
                 "--wandb_log=True", "--backend", "-n", "5"});
  CHECK(s.max_new_tokens == 5);
  CHECK(said == std::vector<std::string>{"-ngl 99: skipped; gradus computes on the CPU; "
                                         "--device cuda: skipped; gradus computes on the CPU; "
                                         "--eval_only False: no meaning here, skipped; "
                                         "--wandb_log True: no meaning here, skipped; "
                                         "--backend: no meaning here, skipped"});
  // A file, and words that look like flags but are not: a sample may begin with them.
  CHECK(of_train({"train", "--", "n_layer=4"}).texts == std::vector<std::string>{"n_layer=4"});
  CHECK(of_train({"train", "x=4"}).texts == std::vector<std::string>{"x=4"});
  CHECK(of_sample({"sample", "m", "n_layer=4"}).prompt == "n_layer=4");
  CHECK(of_sample({"sample", "m", "\u2014 Yes"}).prompt == "\u2014 Yes");
}

TEST_CASE("config: keys of other programs are answered like flags, eval_only = False is skipped") {
  config = "eval_only = False # a training run\nn_layer = 2";
  const TrainSettings s = of_train({"train", "a", "--config", "c.py"});
  config.clear();
  CHECK(s.n_layer == 2);
  CHECK(said == std::vector<std::string>{"c.py: no meaning here, skipped: eval_only"});
  CHECK(config_error("eval_only = True") ==
        "(1) c.py: line 1: eval_only: gradus eval MODEL TEXT measures a model's loss on a text");
  CHECK(config_error("n_layer = 2\nnum_train_epochs = 3") ==
        "(1) c.py: line 2: num_train_epochs: gradus counts updates of the weights, --max_iters N, "
        "or minutes, --minutes M");
  CHECK(config_error("hidden_size = 64") ==
        "(1) c.py: line 1: hidden_size: is called --n_embd here");
}

TEST_CASE("arguments: a config overrides what is before it, not what is after") {
  config = "n_layer = 6\nn_head = 6";
  const TrainSettings s = of_train(
      {"train", "a", "--n_layer", "1", "--config=c.py", "--n_head", "2", "--n_embd", "64"});
  config.clear();
  CHECK(s.n_layer == 6);
  CHECK(s.n_head == 2);
}

TEST_CASE("config: escapes stand for the bytes that they stand for on the command line") {
  config = "document_separator = '<e>\\n'";
  const TrainSettings s = of_train({"train", "a", "--config", "c.py"});
  config.clear();
  CHECK(s.document_separator == "<e>\n");
  CHECK(of_train({"train", "a", "--document_separator", "<e>\\n"}).document_separator == "<e>\n");
}

TEST_CASE("config: values of every kind, line ends and all") {
  config =
      "\xEF\xBB\xBFimport time\r\n"
      "from os import path\r\n"
      "  batch_size=12 * 1024 # indented, tight\r\n"
      "max_iters = 6000\t\n"
      "learning_rate = 6e-4 * 0.5\n"
      "dropout = .25#comment\n"
      "bias = True\n"
      "tokenizer = \"byte\"\n"
      "out_dir = 'a\"b # c' # d\n"
      "eval_iters = 2 * 3 * 7\n"
      "import sys\n"
      "init_from = 'scratch'\n"
      "seed = -1\n"
      "force = True";
  const TrainSettings s = of_train({"train", "a", "--config", "c.py"});
  config.clear();
  CHECK(s.batch_size == 12288);
  CHECK(s.max_iters == 6000);
  CHECK(s.learning_rate == 6e-4 * 0.5);
  CHECK(s.dropout == 0.25);
  CHECK(s.bias);
  CHECK(s.tokenizer == "byte");
  CHECK(s.out_dir == "a\"b # c");
  CHECK(s.eval_iters == 42);
  CHECK(s.seed == ~std::uint64_t{0});
  CHECK(s.force);
  CHECK(said == std::vector<std::string>{"c.py: no meaning here, skipped: import"});
}

TEST_CASE("config: whole numbers are computed exactly, as in Python, where 64 bits hold them") {
  for (const auto& [text, value] : std::vector<std::pair<std::string, std::uint64_t>>{
           {"9007199254740993", 9007199254740993},
           {"3 * 3002399751580331", 9007199254740993},
           {"9007199254740992 + 1", 9007199254740993},
           {"9007199254740994 - 1", 9007199254740993},
           {"-(1 - 9007199254740994)", 9007199254740993},
           {"9223372036854775807", 9223372036854775807}}) {
    config = "seed = " + text;
    INFO(text);
    CHECK(of_train({"train", "a", "--config", "c.py"}).seed == value);
  }
  config.clear();
}

TEST_CASE("config: what people compute in theirs") {
  config =
      "n_layer=2;n_head=4 ; n_embd = n_head * (6 - 2) # n_embd = 3; n_head = 5\n"
      "wandb_run_name = 'a;b' + str(n_layer); max_iters = 5e3\n"
      "lr_decay_iters = max_iters\n"
      "learning_rate = 1e-3\n"
      "min_lr = learning_rate / 10\n"
      "warmup_iters = 100 if max_iters > 1000 else 10\n"
      "eval_interval = 7 if max_iters < 1000 else 8 if n_layer != 2 else 3 - -max_iters / 50 - 2\n"
      "tokenizer = 'byte' if n_layer >= 2 else 'char'; out_dir = tokenizer\n"
      "bias = n_layer == 2";
  const TrainSettings s = of_train({"train", "a", "--config", "c.py"});
  config.clear();
  CHECK(s.n_head == 4);
  CHECK(s.n_embd == 16);
  CHECK(s.max_iters == 5000);
  CHECK(s.lr_decay_iters == 5000);
  CHECK(s.min_lr == 1e-3 / 10);
  CHECK(s.warmup_iters == 100);
  CHECK(s.eval_interval == 101);
  CHECK(s.out_dir == "byte");
  CHECK(s.bias);
  // What flags before it gave counts as well.
  config = "n_head = n_layer + 1";
  CHECK(of_train({"train", "a", "--n_layer", "3", "--config", "c.py"}).n_head == 4);
  config.clear();
}

TEST_CASE("arguments: every mistake has its line") {
  struct Case {
    std::vector<std::string_view> words;
    std::string error;
  };
  const std::string long_value(1000, '9');
  const std::vector<Case> cases = {
      // The command
      {{},
       "no command, expected train, sample, chat, eval, info, report or export; gradus --help says "
       "more"},
      {{"trian"},
       R"("trian": unknown command, expected train, sample, chat, eval, info, report or export; did you mean train?)"},
      {{"--n_layer", "4"},
       R"("--n_layer": unknown command, expected train, sample, chat, eval, info, report or export)"},
      {{"Sample", "m"},
       R"("Sample": unknown command, expected train, sample, chat, eval, info, report or export; did you mean sample?)"},
      {{"", "m"},
       R"("": unknown command, expected train, sample, chat, eval, info, report or export)"},
      {{"generate", "m"},
       R"("generate": unknown command, expected train, sample, chat, eval, info, report or export; gradus sample MODEL writes text)"},
      {{"fine-tune", "m"},
       R"("fine-tune": unknown command, expected train, sample, chat, eval, info, report or export; gradus train TEXT --init_from MODEL begins with the weights of a model)"},
      {{"tests"},
       R"("tests": unknown command, expected train, sample, chat, eval, info, report or export; )"
       "gradus\u00A0sample\u00A0tests writes with a model"},
      {{"tests/main.cpp"},
       R"("tests/main.cpp": unknown command, expected train, sample, chat, eval, info, report or export; )"
       "gradus\u00A0train\u00A0tests/main.cpp trains on a text"},
      {{"a\nb"},
       R"("a\nb": unknown command, expected train, sample, chat, eval, info, report or export)"},

      // Arguments without a flag
      {{"train"}, "TEXT: missing, expected a text file or a directory of them"},
      {{"train", "--n_layer", "2"}, "TEXT: missing, expected a text file or a directory of them"},
      {{"train", ""}, R"("": an argument is empty, expected a file)"},
      {{"sample"}, "MODEL: missing, expected a run's directory or a model's file"},
      {{"info"}, "MODEL: missing, expected a run's directory or a model's file"},
      {{"eval"}, "MODEL: missing, expected a run's directory or a model's file"},
      {{"eval", "m"}, "TEXT: missing, expected a text file or a directory of them"},
      {{"sample", "m", ""}, R"(PROMPT: "" is empty; without a prompt, the model begins by itself)"},
      {{"sample", "", "p"}, R"("": an argument is empty, expected a file)"},
      {{"sample", "--out_dir", "m", ""},
       R"(PROMPT: "" is empty; without a prompt, the model begins by itself)"},
      {{"sample", "m", "n", "o"},
       R"("o": one argument too many, expected MODEL [PROMPT]; a prompt with spaces goes in quotes)"},
      {{"chat", "m", "n"}, R"("n": one argument too many, expected MODEL)"},
      {{"info", "m", "n"}, R"("n": one argument too many, expected MODEL)"},
      {{"eval", "m", "a", "b"}, R"("b": one argument too many, expected MODEL TEXT)"},

      // Flags that are none
      {{"train", "a", "--n_layr", "4"}, "--n_layr: unknown flag; did you mean --n_layer?"},
      {{"train", "a", "--block-sise=4"}, "--block-sise: unknown flag; did you mean --block_size?"},
      {{"train", "a", "--block-size=x"}, R"(--block-size: "x" is not a whole number (1..1048576))"},
      {{"train", "a", "--lr", "1x"}, R"(--lr: "1x" is not a number in [0, 1000])"},
      {{"train", "a", "--forse"}, "--forse: unknown flag; gradus train --help lists all flags"},
      {{"train", "a", "--qqqq"}, "--qqqq: unknown flag; gradus train --help lists all flags"},
      {{"train", "a", "--eval_only=True"},
       "--eval_only: gradus eval MODEL TEXT measures a model's loss on a text"},
      {{"train", "--init_from=resume"}, "--init_from: resume needs --out_dir, the run's directory"},
      {{"sample", "m", "--interactive", "-o", "f"},
       "--output: holds samples; with --interactive they go to standard output"},
      {{"train", "a", "--confg=c"}, "--confg: unknown flag; did you mean --config?"},
      {{"train", "a", "--hlep"}, "--hlep: unknown flag; did you mean --help?"},
      {{"train", "a", "--=4"}, "--: unknown flag; gradus train --help lists all flags"},
      {{"train", "a", "-n", "4"}, "-n: is not for gradus train, see gradus train --help"},
      {{"train", "a", "-n_layer", "4"}, "-n_layer: unknown flag; did you mean --n_layer?"},
      {{"train", "a", "--N_LAYER", "4"}, "--N_LAYER: unknown flag; did you mean --n_layer?"},
      {{"sample", "m", "--temprature=1"},
       "--temprature: unknown flag; did you mean --temperature?"},
      {{"train", "a", "--top_k", "4"}, "--top_k: is not for gradus train, see gradus train --help"},
      {{"sample", "m", "--n_layer", "4"},
       "--n_layer: is not for gradus sample, see gradus sample --help"},
      {{"sample", "m", "--config", "c.py"},
       "--config: is not for gradus sample, see gradus sample --help"},
      {{"info", "m", "--threads", "1"},
       "--threads: is not for gradus info, see gradus info --help"},
      {{"train", "a", "--epochs", "3"},
       "--epochs: gradus counts updates of the weights, --max_iters N, or minutes, --minutes M"},
      {{"train", "a", "--per-device-train-batch-size=3"},
       "--per-device-train-batch-size: is called --batch_size here"},
      {{"train", "a", "--output", "d"}, "--output: is called --out_dir here"},
      {{"train", "-f", "a"}, "-f: a text is given without a flag, gradus train FILE"},
      {{"train", "a", "--model", "gpt2"},
       "--model: --init_from MODEL begins with the weights of a model, --arch chooses an "
       "architecture"},
      {{"sample", "m", "-c", "512"},
       "-c: there is no such flag; the context is as long as the model's, its block_size"},
      {{"sample", "m", "--length", "20"}, "--length: is called --max_new_tokens here"},
      {{"export", "m", "gguf", "p", "--outtype", "q8_0"}, "--outtype: is called --dtype here"},
      {{"train", "a", "-v"}, "-v: gradus --version prints the version"},
      {{"sample", "m", "-n4"}, "-n4: unknown flag; did you mean -n 4?"},
      {{"train", "a", "--no-qk-norm"}, "--no-qk-norm: unknown flag; did you mean --qk_norm false?"},
      {{"train", "a", "--no-text"}, "--no-text: unknown flag; gradus train --help lists all flags"},
      {{"train", "a", "--\x1b[31m\n"},
       R"(--\x1b[31m\n: unknown flag; gradus train --help lists all flags)"},

      // Values that are missing
      {{"train", "a", "--n_layer"}, "--n_layer: the value is missing, expected N"},
      {{"train", "a", "--bias"}, "--bias: the value is missing, expected true|false"},
      {{"train", "a", "--config"}, "--config: the value is missing, expected FILE"},
      {{"train", "a", "--config="}, R"(--config: "" is empty, expected at least one character)"},
      {{"train", "a", "--n_layer", "--n_head", "4"},
       R"(--n_layer: the value is missing, expected N, found "--n_head")"},
      {{"sample", "m", "-p", "-n", "5"},
       R"(-p: the value is missing, expected TEXT, found "-n"; if that is the value, write -p=-n)"},
      {{"sample", "m", "--stop", "-n", "40"},
       R"(--stop: the value is missing, expected TEXT, found "-n"; if that is the value, write --stop=-n)"},
      {{"sample", "m", "-o", "-f"},
       R"(-o: the value is missing, expected FILE, found "-f"; if that is the value, write -o=-f)"},
      {{"train", "a", "-o", "-t=4"},
       R"(-o: the value is missing, expected DIR, found "-t=4"; if that is the value, write -o=)" +
           model::system::shell_quotes("-t=4")},
      {{"sample", "m", "-n", "-top_k"}, R"(-n: the value is missing, expected N, found "-top_k")"},
      {{"sample", "m", "The", "--prompt", "Fox"},
       R"(--prompt: "Fox", but PROMPT is "The"; expected one of them)"},
      {{"report", "a", "--out_dir", "b"},
       R"(--out_dir: "b", but RUN is "a"; expected one of them)"},
      {{"sample", "m", "--prompt", "--"},
       R"(--prompt: the value is missing, expected TEXT, found "--"; )"
       "if that is the value, write --prompt=--"},
      {{"train", "--dataset", "a.txt"},
       "TEXT: missing, expected a text file or a directory of them; --dataset is not used, "
       "write gradus train FILE"},
      {{"train", "a", "--eval-only"},
       "--eval-only: gradus eval MODEL TEXT measures a model's loss on a text"},
      {{"sample", "-m", "model"}, "-m: the model is given without a flag, gradus sample MODEL"},
      {{"resume", "out/a"},
       R"("resume": unknown command, expected train, sample, chat, eval, info, report or export; )"
       "gradus train --resume DIR continues a run"},
      {{"train", "--resume"}, "--resume: the value is missing, expected DIR"},

      // Whole numbers
      {{"train", "a", "--max_iters", "10x"},
       R"(--max_iters: "10x" is not a whole number (0..1000000000))"},
      {{"train", "a", "--max_iters="}, R"(--max_iters: "" is not a whole number (0..1000000000))"},
      {{"train", "a", "--max_iters=1e3"},
       R"(--max_iters: "1e3" is not a whole number (0..1000000000))"},
      {{"train", "a", "--max_iters=10.0"},
       R"(--max_iters: "10.0" is not a whole number (0..1000000000))"},
      {{"train", "a", "--max_iters", "-5"}, R"(--max_iters: "-5" is not in 0..1000000000)"},
      {{"train", "a", "--max_iters", "1000000001"},
       R"(--max_iters: "1000000001" is not in 0..1000000000)"},
      {{"train", "a", "--max_iters", "12345678901234567890"},
       R"(--max_iters: "12345678901234567890" is not in 0..1000000000)"},
      {{"train", "a", "--max_iters", long_value},
       "--max_iters: \"" + std::string(100, '9') + "...\" is not in 0..1000000000"},
      {{"train", "a", "--max_iters", "1\n2"},
       R"(--max_iters: "1\n2" is not a whole number (0..1000000000))"},
      {{"train", "a", "--max_iters", "\xff"},
       R"(--max_iters: "\xff" is not a whole number (0..1000000000))"},
      {{"train", "a", "--max_iters", " 5"},
       R"(--max_iters: " 5" is not a whole number (0..1000000000))"},
      {{"train", "a", "--max_iters", "+5"},
       R"(--max_iters: "+5" is not a whole number (0..1000000000))"},
      {{"train", "a", "--max_iters", "0x10"},
       R"(--max_iters: "0x10" is not a whole number (0..1000000000))"},
      {{"train", "a", "--n_layer", "0"}, R"(--n_layer: "0" is not in 1..1000)"},
      {{"train", "a", "--batch_size", "0"}, R"(--batch_size: "0" is not in 1..1048576)"},
      {{"train", "a", "--block_size", "9999999"},
       R"(--block_size: "9999999" is not in 1..1048576)"},
      {{"train", "a", "--eval_interval", "0"}, R"(--eval_interval: "0" is not in 1..1000000000)"},
      {{"train", "a", "--threads", "0"}, R"(--threads: "0" is not in 1..256)"},
      {{"train", "a", "--threads", "257"}, R"(--threads: "257" is not in 1..256)"},
      {{"train", "a", "--vocab_size", "255", "--tokenizer", "bpe"},
       R"(--vocab_size: "255" is not in 256..1000000)"},
      {{"train", "a", "--seed", "18446744073709551616"},
       R"(--seed: "18446744073709551616" is not a whole number of at most 64 bits)"},
      {{"train", "a", "--seed", "-9223372036854775809"},
       R"(--seed: "-9223372036854775809" is not a whole number of at most 64 bits)"},
      {{"train", "a", "--seed", "1.5"},
       R"(--seed: "1.5" is not a whole number of at most 64 bits)"},
      {{"sample", "m", "--num_samples", "0"}, R"(--num_samples: "0" is not in 1..1000000000)"},
      {{"sample", "m", "--top_k", "-1"}, R"(--top_k: "-1" is not in 0..1000000000)"},

      // Numbers
      {{"train", "a", "--dropout", "1"}, R"(--dropout: "1" is not in [0, 1))"},
      {{"train", "a", "--dropout", "-0.1"}, R"(--dropout: "-0.1" is not in [0, 1))"},
      {{"train", "a", "--dropout", "nan"}, R"(--dropout: "nan" is not a number in [0, 1))"},
      {{"train", "a", "--dropout", "0,1"}, R"(--dropout: "0,1" is not a number in [0, 1))"},
      {{"train", "a", "--learning_rate", "inf"},
       R"(--learning_rate: "inf" is not a number in [0, 1000])"},
      {{"train", "a", "--learning_rate", "1e400"},
       R"(--learning_rate: "1e400" is not in [0, 1000])"},
      {{"train", "a", "--learning_rate", "-1e-3"},
       R"(--learning_rate: "-1e-3" is not in [0, 1000])"},
      {{"train", "a", "--learning_rate", "fast"},
       R"(--learning_rate: "fast" is not a number in [0, 1000])"},
      {{"train", "a", "--beta2", "1"}, R"(--beta2: "1" is not in [0, 1))"},
      {{"train", "a", "--grad_clip", "-1"}, R"(--grad_clip: "-1" is not in [0, 1000000000])"},
      {{"train", "a", "--val_fraction", "1"}, R"(--val_fraction: "1" is not in [0, 1))"},
      {{"train", "a", "--minutes", "0"}, R"(--minutes: "0" is not in (0, 100000])"},
      {{"sample", "m", "--temperature", "-1"}, R"(--temperature: "-1" is not in [0, 1000])"},
      {{"sample", "m", "--temperature", "0x1p3"},
       R"(--temperature: "0x1p3" is not a number in [0, 1000])"},
      {{"sample", "m", "--top_p", "0"}, R"(--top_p: "0" is not in (0, 1])"},
      {{"sample", "m", "--top_p", "1.01"}, R"(--top_p: "1.01" is not in (0, 1])"},
      {{"sample", "m", "--min_p", "2"}, R"(--min_p: "2" is not in [0, 1])"},
      {{"sample", "m", "--repetition_penalty", "0"},
       R"(--repetition_penalty: "0" is not in (0, 1000])"},

      // Words
      {{"train", "a", "--bias", "yes"}, R"(--bias: "yes" is not true or false)"},
      {{"train", "a", "--bias", "1"}, R"(--bias: "1" is not true or false)"},
      {{"train", "a", "--decay_lr="}, R"(--decay_lr: "" is not true or false)"},
      {{"train", "a", "--force=maybe"}, R"(--force: "maybe" is not true or false)"},
      {{"train", "a", "--tokenizer", "chr"},
       R"(--tokenizer: "chr" is not one of char, byte, word, bpe, auto, nor a directory with vocab.json and merges.txt)"},
      {{"train", "a", "--tokenizer", "char|byte"},
       R"(--tokenizer: "char|byte" is not one of char, byte, word, bpe, auto, nor a directory with vocab.json and merges.txt)"},
      {{"train", "a", "--activation", "GELU"},
       R"(--activation: "GELU" is not one of gelu, gelu_tanh, relu, relu2, swiglu)"},
      {{"train", "a", "--attention_scale", "x"},
       R"(--attention_scale: "x" is not sqrt, none or a number (0, 1000])"},
      {{"train", "a", "--attention_scale=0"},
       R"(--attention_scale: "0" is not sqrt, none or a number (0, 1000])"},
      {{"train", "a", "--attention_scale=1001"},
       R"(--attention_scale: "1001" is not sqrt, none or a number (0, 1000])"},
      {{"train", "a", "--attention_scale="},
       R"(--attention_scale: "" is not sqrt, none or a number (0, 1000])"},
      {{"train", "a", "--attention_scale"},
       "--attention_scale: the value is missing, expected sqrt|none|X"},
      {{"train", "a", "--causal", "no"}, R"(--causal: "no" is not true or false)"},
      {{"sample", "m", "--causal", "false"},
       "--causal: is not for gradus sample, see gradus sample --help"},
      {{"sample", "m", "--unknown", "ignore"}, R"(--unknown: "ignore" is not one of error, skip)"},
      {{"train", "a", "--out_dir="}, R"(--out_dir: "" is empty, expected at least one character)"},
      {{"sample", "m", "--prompt", ""},
       R"(--prompt: "" is empty, expected at least one character)"},
      {{"sample", "m", "--stop="}, R"(--stop: "" is empty, expected at least one character)"},
      {{"train", "a", "--init_from="},
       R"(--init_from: "" is empty, expected at least one character)"},
      {{"sample", "m", "--init_from=x"},
       "--init_from: the model is given without a flag, gradus sample MODEL"},
      {{"export"}, "MODEL: missing, expected a run's directory or a model's file"},
      {{"export", "m"}, "FORMAT: missing, expected hf, gguf or bin"},
      {{"export", "m", "onnx", "p"}, R"(FORMAT: "onnx", expected hf, gguf or bin)"},
      {{"export", "m", "hf"},
       "PATH: missing, expected what to write: a file for gguf, else a directory"},
      {{"export", "m", "hf", "p", "q"},
       R"("q": one argument too many, expected MODEL FORMAT PATH)"},
      {{"export", "m", "hf", "p", "--dtype", "q8_0"}, "--dtype: is for gguf; hf holds float32"},
      {{"export", "m", "bin", "p", "--dtype", "q8_0"}, "--dtype: is for gguf; bin holds tokens"},
      {{"export", "m", "gguf", "p", "--dtype", "q4_0"},
       R"(--dtype: "q4_0" is not one of float32, float16, bfloat16, q8_0)"},
      {{"train", "a", "--init_from", "m", "--arch", "llama"},
       "--arch: with --init_from, it is that of the model"},
      {{"train", "a", "--init_from", "m", "--tokenizer", "byte"},
       "--tokenizer: with --init_from, it is that of the model"},
      {{"train", "--resume", "d", "--init_from", "m"},
       "--init_from: begins a run, --resume continues one; expected one of them"},

      // Several together
      {{"train", "a", "--n_embd", "128", "--n_head", "3"},
       "--n_head: 128 channels are not divisible by 3 heads"},
      {{"train", "a", "--learning_rate", "1e-5", "--min_lr", "1e-4"},
       "--min_lr: 0.0001 is above --learning_rate 1e-05"},
      {{"train", "a", "--tokenizer", "char", "--vocab_size", "1000"},
       "--vocab_size: is for --tokenizer bpe or auto, found char"},
      {{"train", "a", "--minutes", "5", "--max_iters", "10"},
       "--minutes: decides max_iters, found --max_iters 10 as well"},
      {{"report", "a", "--watch"}, "accepted"},
      {{"report", "a", "--watch", "--prompt", "x", "--output", "p"}, "accepted"},
      {{"report", "a", "--watch", "--prompt", "-"},
       "--watch: reads the prompt again and again, found --prompt -"},
      {{"report", "a", "--watch", "--output", "-"},
       "--watch: writes a file again and again, found --output -"},
      {{"report", "a", "b", "--watch"}, "--watch: is for the report of one run, found 2 runs"},
      {{"report", "a", "--prompt", "-"}, "accepted"},
      {{"report", "a", "b", "--prompt", "x"},
       "--prompt: is for the report of one run, found 2 runs"},
      {{"train", "--resume", "d", "--force"},
       "--force: replaces a run, --resume continues it; expected one"},
      {{"train", "--resume", "d", "--out_dir", "e"},
       R"(--out_dir: a resumed run stays in "d", found "e")"},
  };
  for (const Case& c : cases) {
    INFO(line_of(c.words));
    CHECK(error_of(c.words) == c.error);
    CHECK(c.error.find('\n') == std::string::npos);
  }
  CHECK(cases.size() >= 60);
}

TEST_CASE("config: every mistake has its line, and its number") {
  struct Case {
    std::string text;
    std::string error;
  };
  const std::string expected =
      "expected a number, a quoted string, True, False or a key that has a value, or + - * / ( ) "
      "if "
      "else of such, found ";
  const std::vector<Case> cases = {
      {"n_layer", R"(line 1: expected key = value, found "n_layer")"},
      {"\n\nn_layer 6", R"(line 3: expected key = value, found "n_layer 6")"},
      {"n_layer == 6", R"(line 1: expected key = value, found "n_layer == 6")"},
      {"n_layer += 6", R"(line 1: expected key = value, found "n_layer += 6")"},
      {"if True:\n  n_layer = 6", R"(line 1: expected key = value, found "if True:")"},
      {"6 = n_layer", R"(line 1: expected key = value, found "6 = n_layer")"},
      {"= 6", R"(line 1: expected key = value, found "= 6")"},
      {"importance", R"(line 1: expected key = value, found "importance")"},
      {"\"\"\" doc \"\"\"", R"(line 1: expected key = value, found "\"\"\" doc \"\"\"")"},
      {std::string("n_layer\0= 6", 11), R"(line 1: expected key = value, found "n_layer\x00= 6")"},
      {"n_layer =", "line 1: " + expected + R"("")"},
      {"n_layer = # 6", "line 1: " + expected + R"("")"},
      {"n_layer = six", "line 1: " + expected + R"("six")"},
      {"n_layer = None", "line 1: " + expected + R"("None")"},
      {"n_layer = true", "line 1: " + expected + R"("true")"},
      {"n_layer = 6 +", "line 1: " + expected + R"("6 +")"},
      {"n_layer = 2 *", "line 1: " + expected + R"("2 *")"},
      {"n_layer = * 2", "line 1: " + expected + R"("* 2")"},
      {"n_layer = 2 ** 2", "line 1: " + expected + R"("2 ** 2")"},
      {"n_layer = (2", "line 1: " + expected + "\"(2\""},
      {"n_layer = 2)", "line 1: " + expected + "\"2)\""},
      {"n_layer = ()", "line 1: " + expected + "\"()\""},
      {"n_layer = -", "line 1: " + expected + "\"-\""},
      {"n_layer = 2 if 1", "line 1: " + expected + R"("2 if 1")"},
      {"n_layer = 2 if 1 else", "line 1: " + expected + R"("2 if 1 else")"},
      {"n_layer = 2 if elsewhere", "line 1: " + expected + R"("2 if elsewhere")"},
      {"n_layer = 'a' < 2", "line 1: " + expected + R"("'a' < 2")"},
      {"n_layer = -'2'", "line 1: " + expected + "\"-'2'\""},
      {"n_layer = 0x10", "line 1: " + expected + R"("0x10")"},
      {"n_layer = 1 / 0", R"(line 1: n_layer: "inf" is not a whole number (1..1000))"},
      {"n_layer = 5 / 2", R"(line 1: n_layer: "2.5" is not a whole number (1..1000))"},
      {"min_lr = learning_rate / 10",
       R"(line 1: no value was given to learning_rate before "learning_rate / 10")"},
      {"n_layer = 1_", "line 1: " + expected + R"("1_")"},
      {"n_layer = 1__0", "line 1: " + expected + R"("1__0")"},
      {"n_layer = nan", "line 1: " + expected + R"("nan")"},
      {"learning_rate = 1e400", "line 1: " + expected + R"("1e400")"},
      {"n_layer = '6'", R"(line 1: n_layer: "6" is a string, expected none)"},
      {"n_layer = '\xfe\t'", R"(line 1: n_layer: "\xfe\t" is a string, expected none)"},
      {"n_layer = True", R"(line 1: n_layer: "true" is not a whole number (1..1000))"},
      {"attention_scale = 'X'",
       R"(line 1: attention_scale: "X" is not sqrt, none or a number (0, 1000])"},
      {"attention_scale = none", "line 1: " + expected + R"("none")"},
      {"attention_scale = True",
       R"(line 1: attention_scale: "true" is not sqrt, none or a number (0, 1000])"},
      {"causal = 'False'", R"(line 1: causal: "False" is a string, expected none)"},
      {"bias = 1", R"(line 1: bias: "1" is not true or false)"},
      {"bias = 'True'", R"(line 1: bias: "True" is a string, expected none)"},
      {"out_dir = 6", R"(line 1: out_dir: "6" is not a string, expected one in quotes)"},
      {"out_dir = out", "line 1: " + expected + R"("out")"},
      {"out_dir = 'out", R"(line 1: expected ' at the end of "'out")"},
      {"out_dir = 'out\"", R"(line 1: expected ' at the end of "'out\"")"},
      {"out_dir = 'a' 'b'", "line 1: " + expected + R"("'a' 'b'")"},
      {"out_dir = 'a' + 'b'", "line 1: " + expected + R"("'a' + 'b'")"},
      {"out_dir = '\\", R"(line 1: expected ' at the end of "'\\")"},
      {"out_dir = ''", R"(line 1: out_dir: "" is empty, expected at least one character)"},
      {"n_layer = 2.5", R"(line 1: n_layer: "2.5" is not a whole number (1..1000))"},
      {"n_layer = 2 * 0.75", R"(line 1: n_layer: "1.5" is not a whole number (1..1000))"},
      {"n_layer = 40 * 50", R"(line 1: n_layer: "2000" is not in 1..1000)"},
      {"max_iters = 9223372036854775807 * 2",
       R"(line 1: max_iters: "18446744073709551616" is not in 0..1000000000)"},
      {"learning_rate = 1e300 * 1e300",
       R"(line 1: learning_rate: "inf" is not a number in [0, 1000])"},
      {"n_layr = 6", "line 1: n_layr: unknown key; did you mean n_layer?"},
      {"top_k = 6", "line 1: top_k: unknown key"},
      {"config = 'c.py'", "line 1: config: unknown key"},
      {"# ok\ninit_from = 'resume'",
       R"(line 2: init_from: "resume" is not supported in a config: --resume DIR continues a run)"},
  };
  for (const Case& c : cases) {
    INFO(c.text);
    CHECK(config_error(c.text) == "(1) c.py: " + c.error);
  }
  // All of them at once, up to five.
  CHECK(config_error("n_layr = 6; bias = 1\nn_layer = 2\nn_head = 0") ==
        "(1) c.py: line 1: n_layr: unknown key; did you mean n_layer?; line 1: bias: \"1\" is not "
        "true "
        "or false; line 3: n_head: \"0\" is not in 1..65536");
  CHECK_THAT(config_error("a\nb\nc\nd\ne\nf\ng\nn_layer = 6"),
             Catch::EndsWith("found \"d\"; line 5: expected key = value, found \"e\"; and 2 more"));
  // Nested too deeply.
  CHECK_THAT(config_error("n_layer = " + std::string(100'000, '(')),
             Catch::Contains("line 1: expected"));
  config = "n_head = 3\nn_embd = 128";
  CHECK(error_of({"train", "a", "--config", "c.py"}) ==
        "--n_head: 128 channels are not divisible by 3 heads");
  // What is wrong with a word before it comes first: then the file is not even opened.
  const auto unopened = [](const std::string&) -> std::string { throw std::string("opened"); };
  const std::vector<std::string_view> words = {"train", "--n_layer", "x", "--config", "c.py", "a"};
  CHECK_THROWS_AS(train::read_arguments(words, unopened), train::UsageError);
}

TEST_CASE("arguments: --version, the man page and the completion are printed and nothing else") {
  REQUIRE(read({"--version"}).print != nullptr);
  for (const char* version : {"-v", "-V", "version"})
    CHECK(read({version}).print == read({"--version"}).print);
  CHECK_THAT(read({"--version"}).print(),
             Catch::StartsWith("gradus ") && Catch::Contains(", commit ") &&
                 Catch::EndsWith(sizeof(engine::real) == 4 ? ", float\n" : ", double\n"));
  for (const train::Flag& flag : train::flags()) {
    INFO(flag.name);
    std::string name(flag.name);
    CHECK_THAT(read({"--bash_completion"}).print(), Catch::Contains(" --" + name));
    CHECK_THAT(read({"--man"}).print(), Catch::Contains("\\-\\-" + name));
  }
}

namespace {

void check_width(const std::string& text, std::size_t width) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    INFO(text.substr(begin, end - begin));
    CHECK(end - begin <= width);
    begin = end + 1;
  }
}

}  // namespace

TEST_CASE("help: every command names its flags, within 80 columns") {
  for (const std::vector<std::string_view>& words :
       {std::vector<std::string_view>{"--help"}, {"-h"}, {"help"}}) {
    CHECK(read(words).help);
    CHECK_FALSE(read(words).command);
  }
  CHECK(read({"help", "sample"}).command == Command::sample);
  CHECK(read({"train", "--n_layer", "3", "--help", "--nonsense"}).help);
  CHECK(train::speaker({}) == "gradus");
  const std::vector<std::string_view> sample = {"sample", "m"}, nonsense = {"smaple"};
  CHECK(train::speaker(sample) == "gradus sample");
  CHECK(train::speaker(nonsense) == "gradus");

  for (const std::optional<Command> command :
       {std::optional<Command>(), std::optional(Command::train), std::optional(Command::sample),
        std::optional(Command::chat), std::optional(Command::eval), std::optional(Command::info),
        std::optional(Command::export_model)}) {
    const std::string help = train::help_text(command, 80);
    for (const train::Flag& flag : train::flags()) {
      const bool is_listed =
          help.find("\n  --" + std::string(flag.name) + " ") != std::string::npos;
      INFO(flag.name);
      const train::Flag& found = *train::find_flag(flag.name, command.value_or(Command::train));
      const bool has_it =
          command && found.is_for(*command) && found.heading != train::Heading::hidden;
      CHECK(is_listed == has_it);
    }
    check_width(help, 80);
    // What is wrapped: all but the introduction.
    const std::string narrow = train::help_text(command, 50);
    check_width(narrow.substr(std::min(narrow.find("\nFlags used"), narrow.size())), 50);
  }
}

TEST_CASE(
    "help: an entry has the flag, its value, its default in each recipe, and its other names") {
  std::string help;  // words, a space after each
  std::istringstream words(train::help_text(Command::train, 80));
  for (std::string word; words >> word;) help += word + ' ';
  for (const std::string entry :
       {" --learning_rate X learning rate after the warm-up, its largest value (default: from the "
        "model's size); also --lr ",
        " --out_dir DIR directory that the run's files are written to (default: out/NAME for "
        "NAME.txt); also -o ",
        " X added to the variance, or mean square, by which a norm divides (default: 1e-5); also "
        "--rms_norm_eps; also --layer_norm_epsilon",
        " (default: 0.04; with --config 0.02); also --initializer_range ",
        " (default: shuffled; with --config random) ",
        " (default: muon; with --config or --init_from adamw) ",
        " --force replace the run that is"})
    CHECK_THAT(help, Catch::Contains(entry));
  std::istringstream sample(train::help_text(Command::sample, 80));
  help.clear();
  for (std::string word; sample >> word;) help += word + ' ';
  CHECK_THAT(help, Catch::Contains("(default: another one each time)"));
}
