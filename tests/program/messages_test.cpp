// What the program says: files are named, commands that it proposes can be pasted and work, and a
// fact has one form in help, notes and errors.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "model/base/system.h"
#include "tests/program/rewrite.h"
#include "tests/program/run.h"

using program::Sandbox;

namespace {

const std::string small =
    " --n_layer 1 --n_head 1 --n_embd 8 --block_size 8 --batch_size 2 --warmup_iters 0 --arch gpt2";

const std::string tale = [] {
  std::string text;
  for (int i = 0; i < 60; ++i)
    text += "The fox said " + std::to_string(i * i % 97) + " words to the hen.\n";
  return text;
}();

// A run of 4 steps in `run`, trained once; the tests leave its model and its log as they are.
const Sandbox& trained() {
  static const Sandbox& box = []() -> const Sandbox& {
    static const Sandbox sandbox;
    program::write(sandbox / "tale.txt", tale);
    const auto run = sandbox.gradus("train tale.txt --max_iters 4 --out_dir run" + small);
    INFO(run.err);
    REQUIRE(run.status == 0);
    return sandbox;
  }();
  return box;
}

void check_line(const program::Result& run, int status, const std::string& says) {
  INFO(run.status << ": " << run.err);
  CHECK(run.status == status);
  CHECK_THAT(run.err, Catch::Contains(says));
  CHECK(std::ranges::count(run.err, '\n') == 1);
}

// The file with another text under a metadata key.
std::string with_value(const std::string& bytes, const std::string& key, const std::string& value) {
  return program::rewritten(
      bytes, [&](const std::string& k, const std::string& old) { return k == key ? value : old; },
      [](const std::string&, std::vector<float>&) {});
}

// What stands between two texts; empty if they do not.
std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string::npos) return "";
  const std::size_t end = text.find(after, begin + before.size());
  return text.substr(begin + before.size(), end - begin - before.size());
}

}  // namespace

TEST_CASE("messages: a damaged value in a model or a checkpoint is said with the file's name",
          "[shell]") {
  const Sandbox& box = trained();
  const std::string model = program::read(box / "run/model.safetensors"),
                    checkpoint = program::read(box / "run/checkpoint.safetensors");
  box.shell("rm -rf bad; mkdir bad; cp run/*.csv run/samples.txt bad");
  const struct {
    const char *command, *key;
  } of_model[] = {
      {"info bad", "note.ngram_0"},          {"info bad", "note.ngrams_of"},
      {"info bad", "weight_decay"},          {"info bad", "note.end_token"},
      {"eval bad tale.txt", "note.ngram_0"}, {"export bad hf exported", "note.end_token"},
      {"report bad", "weight_decay"}};
  for (const auto& [command, key] : of_model) {
    INFO(command << ", " << key);
    program::write(box / "bad/model.safetensors", with_value(model, key, "x"));
    const auto run = box.gradus(command);
    CHECK(run.status == 1);
    CHECK_THAT(run.err, Catch::Contains("bad/model.safetensors: metadata \"" + std::string(key) +
                                        "\": \"x\" is not a "));
    CHECK(std::ranges::count(run.err, '\n') == 1);
  }
  program::write(box / "bad/model.safetensors", model);
  for (const char* command : {"train --resume bad", "report bad", "export bad bin exported"})
    for (const char* key : {"note.ngram_0", "note.ngrams_of", "weight_decay", "note.end_token"}) {
      INFO(command << ", " << key);
      program::write(box / "bad/checkpoint.safetensors", with_value(checkpoint, key, "x"));
      check_line(box.gradus(command), 1,
                 "bad/checkpoint.safetensors: metadata \"" + std::string(key) + "\": \"x\" is not");
    }
}

TEST_CASE("messages: a damaged log is said with the file's name", "[shell]") {
  const Sandbox& box = trained();
  box.shell("rm -rf torn; cp -r run torn");
  std::string log = program::read(box / "run/log.csv");
  const std::size_t second = log.find('\n') + 1;
  log[second] = 'x';
  program::write(box / "torn/log.csv", log);
  for (const char* command : {"train --resume torn", "report torn"}) {
    INFO(command);
    // Only a run that goes on reads its log.
    program::write(box / "torn/checkpoint.safetensors",
                   with_value(program::read(box / "run/checkpoint.safetensors"), "max_iters", "9"));
    check_line(box.gradus(command), 1, "torn/log.csv: line 2: \"x\", expected a number");
  }
}

TEST_CASE("messages: a text without characters is named, for every tokenizer and command") {
  const Sandbox& box = trained();
  program::write(box / "bom16.txt", "\xff\xfe");
  program::write(box / "bom.txt", "\xef\xbb\xbf");
  program::write(box / "ends.txt", "<|e|><|e|>");
  for (const std::string kind : {"auto", "char", "word", "bpe", "byte"})
    for (const std::string text : {"bom.txt", "bom16.txt"})
      check_line(box.gradus("train " + text + " --out_dir no --tokenizer " + kind), 1,
                 text + ": is empty");
  for (const std::string kind : {"auto", "char", "word"}) {
    INFO(kind);
    check_line(
        box.gradus("train ends.txt --out_dir no --document_separator '<|e|>' --tokenizer " + kind),
        1, "ends.txt: no ");
  }
  // A model whose tokenizer has a separator once looked at the last of no tokens.
  REQUIRE(box.gradus("train tale.txt --document_separator '<|e|>' --max_iters 0 --out_dir apart" +
                     small)
              .status == 0);
  check_line(box.gradus("eval apart bom.txt"), 1, "bom.txt: is empty");
  check_line(box.gradus("eval apart bom16.txt"), 1, "bom16.txt: is empty");
}

TEST_CASE("messages: texts and models that change places say so, and what to do", "[shell]") {
  const Sandbox& box = trained();
  for (const char* command :
       {"sample tale.txt", "eval tale.txt run", "train tale.txt --init_from tale.txt"})
    check_line(box.gradus(command), 1,
               "tale.txt: is a text, expected a model; gradus train tale.txt makes a model of it");
  check_line(box.gradus("train run/model.safetensors"), 1,
             "run/model.safetensors: is a model; a text is needed; gradus sample "
             "run/model.safetensors writes with the model, gradus train TEXT --init_from "
             "run/model.safetensors begins with its weights\n");
  REQUIRE(box.gradus("export run gguf run.gguf").status == 0);
  check_line(box.gradus("train run.gguf"), 1,
             "run.gguf: is no text: byte 0 at offset 5; --tokenizer byte ");
  REQUIRE(box.gradus("export run hf run_hf").status == 0);
  check_line(box.gradus("train run_hf"), 1,
             "run_hf: is the directory of a model; a text is needed");
  program::write(box / "ckpt.pt", "PK\x03\x04 ckpt/data.pkl");
  check_line(box.gradus("train ckpt.pt"), 1, "ckpt.pt: is a zip archive, ");
  check_line(box.gradus("train run"), 1,
             "run: is a directory without a text in it, that of a run; gradus train --resume run "
             "goes on with it\n");
  box.shell("mkdir -p given out; cp run/model.safetensors given; cp -r run 'out/my run'");
  check_line(box.gradus("train given"), 1, "; gradus sample given writes with the model");
  for (const char* command : {"train --resume", "sample", "report"})
    check_line(box.gradus(command + std::string(" 'my run'")), 1, "; did you mean 'out/my run'?");
}

TEST_CASE("messages: what is no file at all is told apart from one that is missing") {
  const Sandbox& box = trained();
  for (const char* command : {"train 'http://a.b/c?d=1&e'", "sample 'http://a.b/c?d=1&e'"})
    check_line(box.gradus(command), 1,
               "No such file or directory; gradus downloads nothing, curl -LO " +
                   model::system::shell_quotes("http://a.b/c?d=1&e") + " does\n");
  for (const char* command : {"train -", "eval run -", "sample -"})
    check_line(box.gradus(command), 1,
               "-: cannot open: No such file or directory; standard input is not read here, write "
               "it to a file first\n");
  check_line(box.gradus("train gone.txt"), 1, "gone.txt: cannot open: No such file or directory\n");
}

TEST_CASE("messages: the commands that a run proposes can be pasted into a shell", "[shell]") {
  const Sandbox box;
  program::write(box / "tale.txt", tale);
  for (const std::string name : {"my run; it's $HOME", "-x", "Übung"}) {
    INFO(name);
    program::write(box / "name", name);
    const auto run =
        box.shell("\"$GRADUS\" train tale.txt --max_iters 4 --out_dir=\"$(cat name)\"" + small);
    INFO(run.err);
    REQUIRE(run.status == 0);
    REQUIRE(std::filesystem::exists(box / name / "model.safetensors"));
    const std::string sample = between(run.err, "to read what it writes: gradus ", "; to look"),
                      report = between(run.err, "; to look at the run: gradus ", "\n");
    CHECK(box.gradus(report).status == 0);
    CHECK(std::filesystem::exists(box / name / "report.html"));
    CHECK(box.gradus(sample).status == 0);
    const auto again = box.shell("\"$GRADUS\" train tale.txt --out_dir=\"$(cat name)\"" + small);
    CHECK(again.status == 1);
    const std::string resume = between(again.err, "there is a run already; ", " goes on with it");
    CHECK(box.gradus("train " + resume).status == 0);
  }
}

TEST_CASE("messages: a run that was stopped is resumed by the command that it says", "[signal]") {
  const Sandbox box;
  program::write(box / "tale.txt", tale);
  auto run = box.start(
      "train tale.txt --max_iters 1000000 --eval_interval 1000000 --log_interval 1"
      " --out_dir 'my run'" +
      small);
  REQUIRE(run.wait_for("iter 3:"));
  run.signal(SIGINT);
  const auto stopped = run.end();
  const std::string resume = between(stopped.err, "; to go on: gradus ", "\n");
  INFO(stopped.err);
  CHECK(resume == "train --resume 'my run'");
}

TEST_CASE("messages: what --help proposes for a finished run works") {
  const Sandbox box;
  program::write(box / "my.txt", tale);
  // All defaults but the length: the learning rate ends at 0.
  REQUIRE(box.gradus("train my.txt --max_iters 2").status == 0);
  const std::string help = box.gradus("train --help").out;
  int proposed = 0;
  for (std::size_t at = 0; (at = help.find("\n  gradus train --resume out/my", at)) != help.npos;
       ++proposed) {
    const std::string line = between(help.substr(at++), "gradus ", "\n");
    INFO(line);
    CHECK(box.gradus(line).status == 0);
  }
  CHECK(proposed == 1);
}

TEST_CASE("messages: help, a config and fine-tuning agree on the optimizer and its momentum") {
  const Sandbox& box = trained();
  const std::string help = box.gradus("train --help").out;
  // Help is wrapped: one space stands for each break.
  std::string line;
  for (const char c : help)
    if (c != ' ' && c != '\n')
      line += c;
    else if (!line.ends_with(' '))
      line += ' ';
  CHECK_THAT(line, Catch::Contains("running mean of the gradient (default: 0.9) --weight_decay"));
  CHECK_THAT(line, Catch::Contains("(default: muon; with --config or --init_from adamw)"));
  program::write(box / "c.py", "max_iters = 1\n");
  const std::string muon = "  optimizer         muon\n  momentum          0.9\n";
  const auto info = [&](const std::string& flags) {
    const auto run = box.gradus("train tale.txt --force --out_dir new --max_iters 1 " + flags);
    INFO(run.err);
    CHECK(run.status == 0);
    return box.gradus("info new").out;
  };
  CHECK_THAT(info(small), Catch::Contains(muon));
  CHECK_THAT(info(small + " --config c.py"), Catch::Contains("  optimizer         adamw\n"));
  CHECK_THAT(info(small + " --config c.py --optimizer muon"), Catch::Contains(muon));
  CHECK_THAT(info("--init_from run"), Catch::Contains("  optimizer         adamw\n"));
  CHECK_THAT(info("--init_from run --optimizer muon"), Catch::Contains(muon));
}

TEST_CASE("messages: notes on skipped flags come from every command that skips them", "[shell]") {
  const Sandbox& box = trained();
  const std::string note = "--compile False: no meaning here, skipped\n", flag = " --compile=False";
  box.shell("rm -rf longer; cp -r run longer");
  program::write(box / "longer/checkpoint.safetensors",
                 with_value(program::read(box / "run/checkpoint.safetensors"), "max_iters", "6"));
  for (const char* command :
       {"train --resume run", "train --resume longer", "sample run", "eval run tale.txt",
        "info run", "export run bin noted", "export run hf noted_hf", "report run"}) {
    INFO(command);
    const auto run = box.gradus(command + flag);
    CHECK(run.status == 0);
    CHECK_THAT(run.err, Catch::Contains(note));
  }
}

TEST_CASE("messages: a command is called by its own name, and gives its own advice", "[shell]") {
  const Sandbox box;
  program::write(box / "tale.txt", tale);
  REQUIRE(box.gradus("train tale.txt --max_iters 4 --out_dir run" + small).status == 0);
  CHECK_THAT(box.shell("echo % | \"$GRADUS\" chat run --unknown error -n 2").err,
             Catch::Contains("gradus chat: prompt: byte 0: "));
  CHECK_THAT(box.shell("echo % | \"$GRADUS\" sample run -i -n 2").err,
             Catch::Contains("gradus chat: prompt: "));

  // How to go on with another text is for train alone.
  program::write(box / "checkpoint", program::read(box / "run/checkpoint.safetensors"));
  program::write(box / "run/checkpoint.safetensors",
                 with_value(program::read(box / "checkpoint"), "max_iters", "9"));
  const std::string advice =
      "; a run goes on with its own text only, --force begins anew with another";
  program::write(box / "tale.txt", tale + "more\n");
  const std::string changed = "is not the text the run was started on";
  CHECK_THAT(box.gradus("train --resume run").err,
             Catch::Contains(changed) && Catch::EndsWith(advice + "\n"));
  for (const char* command : {"report run", "export run bin exported"})
    CHECK_THAT(box.gradus(command).err, Catch::Contains(changed) && !Catch::Contains("--force"));
  CHECK(program::read(box / "run/report.html").find("--force") == std::string::npos);
  // No more is read than the run did, whatever is there by now.
  std::filesystem::resize_file(box / "tale.txt", 6'000'000'000);  // zeros that take no disk
  CHECK_THAT(box.gradus("train --resume run").err,
             Catch::Contains(changed) && Catch::Contains("): 6,000,000,000 bytes; "));
  std::filesystem::remove(box / "tale.txt");
  std::filesystem::create_directory(box / "tale.txt");
  program::write(box / "tale.txt/other.txt", tale);
  CHECK_THAT(
      box.gradus("train --resume run").err,
      Catch::Contains("tale.txt: " + changed) && Catch::EndsWith("): a directory" + advice + "\n"));
  for (const char* command : {"report run", "export run bin other"})
    CHECK_THAT(box.gradus(command).err, Catch::Contains("): a directory\n"));
  std::filesystem::remove_all(box / "tale.txt");
  CHECK_THAT(box.gradus("train --resume run").err,
             Catch::Contains("tale.txt: cannot open: ") &&
                 Catch::EndsWith("; if it has moved, name it again beside --resume\n"));
  CHECK_THAT(box.gradus("train --resume run none.txt").err,
             Catch::EndsWith("none.txt: cannot open: No such file or directory\n"));
  program::write(box / "moved.txt", tale);
  CHECK(box.gradus("train --resume run moved.txt").status == 0);
}

TEST_CASE("messages: one of a thing is one thing, and a loss of 0 is no other kind of text") {
  const Sandbox box;
  program::write(box / "one.txt", std::string(3000, 'a'));
  const auto run = box.gradus("train one.txt --max_iters 1 --out_dir run" + small);
  INFO(run.err);
  CHECK_THAT(run.err, Catch::Contains("done: 1 step, ") &&
                          Catch::Contains("The validation loss is 0: every token"));
  CHECK_THAT(box.gradus("train one.txt --n_embd 1 --n_head 3").err,
             Catch::Contains("--n_head: 1 channel is not divisible by 3 heads"));
}

TEST_CASE("messages: the completion offers commands, flags, and the values of a flag", "[shell]") {
  const Sandbox box;
  REQUIRE(box.gradus("--bash_completion > completion").status == 0);
  // The words of a command line, the last one being typed.
  const auto offers = [&](const std::string& words) {
    return box
        .shell("bash -c '. ./completion; COMP_WORDS=(gradus " + words +
               "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _gradus; echo ${COMPREPLY[@]}'")
        .out;
  };
  CHECK(offers("re") == "report\n");
  CHECK(offers("train --out") == "--out_dir\n");
  CHECK(offers("train a.txt --arch \"\"") == "gpt2 llama qwen3\n");
  CHECK(offers("train a.txt --arch = ll") == "llama\n");
  CHECK(offers("train a.txt --arch =") == "gpt2 llama qwen3\n");
  CHECK(offers("train --tokenizer b") == "byte bpe\n");
  CHECK(offers("train --causal \"\"") == "true false\n");
  CHECK(offers("export RUN \"\"") == "hf gguf bin\n");
  CHECK(offers("export RUN gguf \"\"") == "\n");  // a file: as bash completes it
  CHECK(offers("export RUN gguf x --dtype q") == "q8_0\n");
  CHECK(offers("train te") == "\n");
}

TEST_CASE("messages: a text whose name begins with a hyphen is given with its directory") {
  const Sandbox box;
  program::write(box / "-dash.txt", "a text");
  const auto refused = box.gradus("train -dash.txt");
  CHECK(refused.status == 2);
  CHECK(refused.err == "gradus train: -dash.txt: unknown flag; the file is given as ./-dash.txt\n");
}

TEST_CASE("messages: settings that may not mean what was meant are said at the start", "[shell]") {
  const Sandbox box;
  program::write(box / "tale.txt", std::string(40, 'a') + "b c d. " + std::string(200, 'e'));
  const std::string flags = "train tale.txt --force --n_layer 1 --block_size 8 --out_dir run ";
  CHECK_THAT(box.gradus(flags + "--max_iters 3 --learning_rate 0").err,
             Catch::Contains("learning_rate 0: no update changes the weights\n") &&
                 Catch::EndsWith("With a learning rate of 0 nothing was learned.\n"));
  CHECK_THAT(
      box.gradus(flags + "--max_iters 3 --warmup_iters 5 --learning_rate 0.01").err,
      Catch::Contains("warmup_iters 5: the learning rate does not reach 0.01 in 3 updates\n"));
  CHECK_THAT(box.gradus(flags + "--max_iters 1 --n_embd 9 --n_head 3").err,
             Catch::Contains("heads of 3 channels, an odd number, cannot have rotary positions"));
  CHECK_THAT(box.gradus(flags + "--max_iters 1 --n_embd 9 --n_head 3 --arch gpt2").err,
             !Catch::Contains("odd number"));
  // Started by a path, it is called by it.
  CHECK_THAT(
      box.shell("ln -s \"$(command -v \"$GRADUS\")\" here; ./here " + flags + "--max_iters 1").err,
      Catch::Contains("to read what it writes: ./here sample run;"));
}
