// The command line and --config: what they set. Messages about mistakes are in
// tests/program/mistakes.t.
#include "train/cli/arguments.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.h"
#include "tests/temporary.h"
#include "tests/unit/train/loop/settings.h"
#include "train/system/text.h"

using namespace train;
using Words = std::vector<std::string_view>;
using Lines = std::vector<std::string>;

namespace {

Lines last_notes;  // on the words that were read last

Settings settings(const Words& words) {
  const Invocation invocation = read_arguments(words);
  last_notes = invocation.notes.waiting();
  return invocation.settings;
}
TrainSettings of_train(const Words& words) { return settings(words).train; }

// With a config of this text.
TrainSettings of_config(const std::string& text, Words before = {}, const Words& after = {}) {
  static const TemporaryDirectory directory;
  static const std::string path = directory / "c.py";
  std::ofstream(path, std::ios::binary) << text;
  before.insert(before.begin(), {"train", "a"});
  before.insert(before.end(), {"--config", path});
  before.insert(before.end(), after.begin(), after.end());
  TrainSettings read = of_train(before);
  for (std::string& note : last_notes)
    if (note.starts_with(path)) note.erase(0, directory.path().size() + 1);
  return read;
}

}  // namespace

TEST_CASE("arguments: either spelling, in any order, the last one counting") {
  const TrainSettings s =
      of_train({"train", "--n_layer=6", "a.txt", "--n-head", "8", "b.txt", "--bias", "TRUE",
                "--decay_lr=FALSE", "--force", "--n_layer", "2", "--learning_rate", "1e-3"});
  CHECK(s.texts == Lines{"a.txt", "b.txt"});
  check_settings(s, "n_layer=2 n_head=8 bias=true decay_lr=false learning_rate=0.001");
  CHECK(s.force);
  CHECK(s.was_given<&Plan::n_layer>());
  CHECK(s.was_given<&Plan::bias>());
  CHECK(s.was_given<&TrainSettings::force>());
  CHECK_FALSE(s.was_given<&Plan::n_embd>());
}

TEST_CASE("arguments: after -- nothing is a flag, and a lone dash never is") {
  CHECK(of_train({"train", "--", "--n_layer", "-"}).texts == Lines{"--n_layer", "-"});
  const Settings s = settings({"sample", "--start=--dashes", "--stop", "a", "--stop=b",
                               "--interactive", "--top_p", "1", "-"});
  CHECK(s.model_path == "-");
  CHECK(s.prompt == "--dashes");
  CHECK(s.sample.stop == Lines{"a", "b"});
  CHECK(s.sample.interactive);
}

TEST_CASE("arguments: seeds are any 64 bits") {
  CHECK(of_train({"train", "a", "--seed", "18446744073709551615"}).seed == ~std::uint64_t{0});
  CHECK(of_train({"train", "a", "--seed=-1"}).seed == ~std::uint64_t{0});
  CHECK(of_train({"train", "a", "--seed", "-9223372036854775808"}).seed == std::uint64_t{1} << 63);
}

TEST_CASE("arguments: a note on values that may not mean what was meant") {
  const auto notes = [](const Words& words) { return read_arguments(words).notes.waiting(); };
  CHECK(notes({"train", "a", "--lr", "1", "--learning_rate", "2", "--lr=3"}) ==
        Lines{R"(--lr: "1" and later "2"; the last one counts)",
              R"(--learning_rate: "2" and later "3"; the last one counts)"});
  CHECK(notes({"sample", "m", "--stop", "a", "--stop", "b", "-n", "5", "-n", "5"}).empty());
}

TEST_CASE("arguments: the factor of attention scores is a word or a number") {
  const struct {
    const char *given, *in_config;
    std::optional<double> factor;
    const char* text;
  } cases[] = {{"sqrt", "'sqrt'", {}, "sqrt"},
               {"none", "\"none\"", 1, "none"},
               {"1.0", "2 * 0.5", 1, "none"},
               {"0.01", "0.01", 0.01, "0.01"},
               {"1e3", "'1000'", 1000, "1000"}};
  for (const auto& [given, in_config, factor, text] : cases) {
    INFO(given << ", " << in_config);
    const Settings all = settings({"train", "a", "--attention_scale", given});
    CHECK(all.train.attention_scale == factor);
    CHECK(find_flag("attention_scale")->get(all) == text);
    CHECK(of_config(engine::joined("attention_scale = ", in_config)).attention_scale == factor);
  }
}

TEST_CASE("arguments: the habits of nanoGPT and llama.cpp are met") {
  CHECK(settings({"sample", "--out_dir=out/x", "--init_from=resume"}).model_path == "out/x");
  const TrainSettings resumed = of_train({"train", "--init_from=resume", "--out_dir=out/x"});
  CHECK(resumed.resume == "out/x");
  CHECK(resumed.was_given<&TrainSettings::resume>());
  CHECK(of_train({"train", "a", "--init_from", "scratch"}).resume.empty());
  CHECK(of_train({"train", "a", "--init_from", "m", "--init_from", "scratch"}).init_from.empty());
  // What begins with a hyphen is a value where it can be no flag, and where = says so.
  for (const std::string_view text : {"-p=-n", "--prompt=-n", "--start=-n"})
    CHECK(settings({"sample", "m", text}).prompt == "-n");
  for (const std::string_view text : {"-", "-5", "- a", "-nothing", "-the fox"})
    CHECK(settings({"sample", "m", "-p", text}).prompt == text);
  CHECK(settings({"sample", "m", "Hello", "-p", "Hello"}).prompt == "Hello");
}

TEST_CASE("arguments: a line feed may be written with a backslash, as a word of LaTeX is not") {
  const Settings s =
      settings({"sample", "m", "--stop", R"(\n\nUser:)", "--stop", R"(\\nabla\alpha)"});
  CHECK(s.sample.stop == Lines{"\n\nUser:", R"(\nabla\alpha)"});
  Notes notes;
  for (const std::string text :
       {"", "\\", "\\n", "a\\n", "\\\\nabla", "\\alpha", "\\nX", "\\\\\\n", "\\n\\t"})
    CHECK(unescaped("--stop", text, notes) == train::unescaped(text));
  CHECK(notes.waiting().empty());
  CHECK(unescaped("--prompt", R"(a \theta)", notes) == "a \theta");
  CHECK(unescaped("--stop", R"(\\\nabla)", notes) == "\\\nabla");
  REQUIRE(notes.waiting().size() == 2);
  CHECK_THAT(notes.waiting()[0], Catch::StartsWith(R"(--prompt: a \theta: )"));
  CHECK_THAT(notes.waiting()[1], Catch::StartsWith(R"(--stop: \\\nabla: )"));
}

TEST_CASE("arguments: what changes nothing here is skipped, with its value and a note") {
  const Settings s = settings({"sample", "m", "--device", "cuda", "--eval_only=False",
                               "--wandb_log=True", "--backend", "-n", "5"});
  CHECK(s.sample.max_new_tokens == 5);
  CHECK(last_notes == Lines{"--device cuda: skipped; gradus computes on the CPU; "
                            "--eval_only False: no meaning here, skipped; "
                            "--wandb_log True: no meaning here, skipped; "
                            "--backend: no meaning here, skipped"});
  // A file, and words that look like flags but are not: a sample may begin with them.
  CHECK(of_train({"train", "--", "n_layer=4"}).texts == Lines{"n_layer=4"});
  CHECK(of_train({"train", "x=4"}).texts == Lines{"x=4"});
  CHECK(settings({"sample", "m", "n_layer=4"}).prompt == "n_layer=4");
  CHECK(settings({"sample", "m", "\u2014 Yes"}).prompt == "\u2014 Yes");
}

TEST_CASE("config: keys without a meaning here are skipped, unread, and named once") {
  CHECK(of_config("eval_only = False # a training run\nn_layer = 2\nwandb_log = False\n"
                  "wandb_run_name = 'a;b' + str(time.time()); wandb_log = True")
            .n_layer == 2);
  CHECK(last_notes ==
        Lines{"c.py: no meaning here, skipped: eval_only, wandb_log, wandb_run_name"});
}

TEST_CASE("arguments: a config overrides what is before it, not what is after") {
  check_settings(
      of_config("n_layer = 6\nn_head = 6", {"--n_layer", "1"}, {"--n_head", "2", "--n_embd", "64"}),
      "n_layer=6 n_head=2");
}

TEST_CASE("config: values of every kind, line ends and all") {
  const TrainSettings s = of_config(
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
      "document_separator = '<e>\\n'\n"
      "force = True");
  check_settings(s, "batch_size=12288 max_iters=6000 dropout=0.25 bias=true eval_iters=42");
  CHECK(s.learning_rate == 6e-4 * 0.5);
  CHECK(s.tokenizer == "byte");
  CHECK(s.out_dir == "a\"b # c");
  CHECK(s.document_separator == "<e>\n");
  CHECK(s.seed == ~std::uint64_t{0});
  CHECK(s.force);
  CHECK(last_notes == Lines{"c.py: no meaning here, skipped: import"});
}

TEST_CASE("config: whole numbers are computed exactly, as in Python, where 64 bits hold them") {
  for (const auto& [text, value] : std::vector<std::pair<std::string, std::uint64_t>>{
           {"9007199254740993", 9007199254740993},
           {"3 * 3002399751580331", 9007199254740993},
           {"9007199254740992 + 1", 9007199254740993},
           {"9007199254740994 - 1", 9007199254740993},
           {"-(1 - 9007199254740994)", 9007199254740993},
           {"9223372036854775807", 9223372036854775807}}) {
    INFO(text);
    CHECK(of_config("seed = " + text).seed == value);
  }
}

TEST_CASE("config: a line has several statements, and a key stands for its value") {
  const TrainSettings s = of_config(
      "n_layer=2;n_head=4 ; n_embd = n_head * (6 - 2) # n_embd = 3; n_head = 5\n"
      "tokenizer = 'byte'; out_dir = tokenizer");
  check_settings(s, "n_layer=2 n_head=4 n_embd=16");
  CHECK(s.out_dir == "byte");
  // What flags before it gave counts as well.
  CHECK(of_config("n_head = n_layer + 1", {"--n_layer", "3"}).n_head == 4);
}

TEST_CASE("arguments: a report that is watched may have a prompt and a file") {
  CHECK_NOTHROW(read_arguments(Words{"report", "a", "--watch", "--prompt", "x", "--output", "p"}));
  CHECK_NOTHROW(read_arguments(Words{"report", "a", "--prompt", "-"}));
}

TEST_CASE("arguments: --version in each spelling is printed and nothing else") {
  REQUIRE(read_arguments(Words{"--version"}).print != nullptr);
  for (const char* version : {"-v", "-V", "version"})
    CHECK(read_arguments(Words{version}).print == read_arguments(Words{"--version"}).print);
  CHECK_THAT(read_arguments(Words{"--version"}).print(),
             Catch::StartsWith("gradus ") && Catch::Contains(", commit ") &&
                 Catch::EndsWith(sizeof(engine::real) == 4 ? ", float\n" : ", double\n"));
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

TEST_CASE("help: every command lists each of its flags once, under its heading, in 80 columns") {
  for (const std::string_view word : {"--help", "-h", "help"}) {
    CHECK(read_arguments(Words{word}).help);
    CHECK_FALSE(read_arguments(Words{word}).command);
  }
  CHECK(read_arguments(Words{"help", "sample"}).command == Command::sample);
  CHECK(read_arguments(Words{"train", "--n_layer", "3", "--help", "--nonsense"}).help);
  check_width(help_text({}, 80), 80);
  std::map<Heading, std::string> titles;  // as the first flag under each has it
  for (const CommandInfo& info : commands()) {
    const std::string help = help_text(info.command, 80);
    std::map<std::string, std::string> listed;  // flags and their titles
    std::istringstream lines(help);
    for (std::string title, line; std::getline(lines, line);)
      if (!line.empty() && line[0] != ' ')
        title = line;
      else if (line.starts_with("  --"))
        CHECK(listed.emplace(line.substr(4, line.find(' ', 4) - 4), title).second);
    for (const Flag& flag : flags()) {
      if (!flag.is_for(info.command)) continue;
      INFO(info.name << " --" << flag.name);
      CHECK(find_flag(flag.name, info.command) == &flag);
      if (flag.heading == Heading::hidden) continue;
      const auto found = listed.find(std::string(flag.name));
      REQUIRE(found != listed.end());
      CHECK(titles.emplace(flag.heading, found->second).first->second == found->second);
      listed.erase(found);
    }
    CHECK(listed.empty());
    check_width(help, 80);
    // What is wrapped: all but the introduction.
    const std::string narrow = help_text(info.command, 50);
    check_width(narrow.substr(std::min(narrow.find("\nFlags used"), narrow.size())), 50);
  }
}
