// gradus train, from outside: what it prints, what it leaves behind, and that a run which was
// stopped ends in the same bytes as one which was not.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "engine/base/text.h"
#include "model/format/checksum.h"
#include "tests/program/rewrite.h"
#include "tests/program/run.h"

using program::Sandbox;
using program::step_of;

namespace {

const std::string small =
    " --n_layer 2 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 --eval_interval 10"
    " --warmup_iters 3 --lr_decay_iters 30";

std::string prose(int sentences) {
  std::string text;
  for (int i = 0; i < sentences; ++i)
    text += "The " +
            std::string(i % 3 == 0   ? "fox"
                        : i % 3 == 1 ? "hen"
                                     : "mouse") +
            " said " + std::to_string(i * i % 97) + " words to the " +
            (i % 2 ? "miller" : "goose") + ".\n";
  return text;
}

}  // namespace

TEST_CASE("train: a run prints nanoGPT's lines and leaves model, checkpoint and log") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  const auto run = box.gradus("train tale.txt --max_iters 25" + small);
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK_THAT(run.out, Catch::StartsWith("step 0: train loss 3."));
  CHECK_THAT(run.out, Catch::Contains("\nstep 10: train loss ") && Catch::Contains(", val loss "));
  CHECK_THAT(run.out, Catch::Contains("\nstep 20: ") && Catch::Contains("\nstep 25: "));
  CHECK_THAT(run.err, Catch::Contains("tale.txt: ") && Catch::Contains("iter 0: loss 3."));
  CHECK(std::filesystem::exists(box / "out/tale/model.safetensors"));
  CHECK(std::filesystem::exists(box / "out/tale/checkpoint.safetensors"));
  CHECK_THAT(
      program::read(box / "out/tale/log.csv"),
      Catch::StartsWith("step,loss,learning_rate,gradient_norm,train_loss,val_loss\n0,,,,3."));

  CHECK_THAT(run.err, !Catch::Contains("evaluations read"));
  const auto some =
      box.gradus("train tale.txt --max_iters 1 --out_dir some --eval_tokens 100" + small);
  CHECK_THAT(some.err,
             Catch::Contains(" validation tokens, the same each time (--eval_tokens 0: all)\n") &&
                 Catch::Contains("evaluations read 100 of the "));

  const std::string before = program::read(box / "out/tale/model.safetensors");
  const auto again = box.gradus("train gone/tale.txt" + small);  // said before the text is read
  CHECK(again.status == 1);
  CHECK_THAT(again.err, Catch::Contains("out/tale: there is a run already"));
  CHECK(program::read(box / "out/tale/model.safetensors") == before);
  const auto finished = box.gradus("train --resume out/tale");
  CHECK(finished.status == 0);
  CHECK_THAT(finished.err, Catch::Contains("finished at step 25"));
}

TEST_CASE("train: n-grams are counted for texts of up to 20,000,000 tokens") {
  const Sandbox box;
  const std::string options = " --max_iters 1 --eval_iters 1 --force --out_dir run" + small;
  std::string text(20'000'000, 'a');
  for (std::size_t i = 0; i < text.size(); i += 3) text[i] = 'b';
  for (const bool is_counted : {true, false}) {
    program::write(box / "long.txt", text);
    const auto run = box.gradus("train long.txt" + options);
    INFO(run.err);
    REQUIRE(run.status == 0);
    CHECK((run.err.find("n-grams") != std::string::npos) == is_counted);
    text += 'a';
  }
}

TEST_CASE("train: finished at an evaluation and continued ends in the bytes of an unbroken run",
          "[shell]") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  const std::string flags =
      small + " --dropout 0.1 --gradient_accumulation_steps 2 --eval_iters 2 --bias true";
  REQUIRE(box.gradus("train tale.txt --max_iters 30 --out_dir whole" + flags).status == 0);
  for (const int stop : {10, 20}) {
    INFO("stopped after step " << stop);
    REQUIRE(box.gradus("train tale.txt --force --out_dir parts --max_iters " +
                       std::to_string(stop) + flags)
                .status == 0);
    const auto rest = box.shell(
        "mkdir -p elsewhere && cd elsewhere && "
        "\"$GRADUS\" train --resume ../parts --max_iters 30 --threads 1");
    INFO(rest.err);
    REQUIRE(rest.status == 0);
    for (const char* file :
         {"model.safetensors", "checkpoint.safetensors", "log.csv", "samples.txt"}) {
      INFO(file);
      CHECK(program::read(box / "whole" / file) == program::read(box / "parts" / file));
    }
  }
}

TEST_CASE("train: gradient accumulation is kept when a run is resumed, and cannot be changed") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  const std::string flags = small + " --gradient_accumulation_steps 3 --dropout 0 --out_dir ";
  REQUIRE(box.gradus("train tale.txt --max_iters 10" + flags + "parts").status == 0);
  const auto other =
      box.gradus("train --resume parts --max_iters 20 --gradient_accumulation_steps 1");
  CHECK(other.status == 1);
  CHECK_THAT(other.err, Catch::Contains("--gradient_accumulation_steps: the run in parts was "
                                        "started with 3, not 1"));
  REQUIRE(
      box.gradus("train --resume parts --max_iters 20 --gradient_accumulation_steps 3").status ==
      0);
  REQUIRE(box.gradus("train tale.txt --max_iters 20" + flags + "whole").status == 0);
  CHECK(program::read(box / "parts/log.csv") == program::read(box / "whole/log.csv"));
  CHECK(program::read(box / "parts/checkpoint.safetensors") ==
        program::read(box / "whole/checkpoint.safetensors"));
}

TEST_CASE("train: a text ends, for sampling, at the token that its training part has least of") {
  const Sandbox box;
  // 1000 letters: 900 are trained on, with 2 c and 2 d; validation has an e that training has not.
  std::string text;
  for (int i = 0; i < 498; ++i) text += i == 100 || i == 200 ? "cd" : i % 3 == 0 ? "ab" : "ba";
  const auto end_token = [&](const std::string& tail) {
    program::write(box / "letters.txt", text + tail);
    const auto run = box.gradus(
        "train letters.txt --tokenizer char --max_iters 1 --force --out_dir run" + small);
    INFO(run.err);
    REQUIRE(run.status == 0);
    const auto file = box / "run/checkpoint.safetensors";
    return program::setting_of(file, "note.end_token") + " occurs " +
           program::setting_of(file, "note.end_token_count");
  };
  CHECK(end_token("abab") == "2 occurs 2");  // the first of two
  CHECK(end_token("abae") == "4 occurs 0");
}

TEST_CASE("train: a closing evaluation counts like any other and changes nothing that follows") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  // Hardly a change in the weights: which evaluation, of one random batch, is best is chance.
  const std::string flags =
      small + " --eval_interval 4 --eval_iters 1 --learning_rate 1e-9 --dropout 0.1 --bias true" +
      " --gradient_accumulation_steps 2 --batches random";
  REQUIRE(box.gradus("train tale.txt --max_iters 26 --out_dir whole" + flags).status == 0);
  const auto lines = [&](const std::string& run) { return program::read(box / run / "log.csv"); };
  int best = 0;
  for (int stop = 5; stop < 26; stop += 2) {
    INFO("stopped after step " << stop);
    const std::string at = std::to_string(stop);
    REQUIRE(box.gradus("train tale.txt --force --out_dir parts --max_iters " + at + flags).status ==
            0);
    // The last evaluation is in the log, and its model is kept if it is the best.
    CHECK_THAT(lines("parts"), Catch::Contains("\n" + at + ","));
    best +=
        box.gradus("info parts").out.find("step              " + at + "\n") != std::string::npos;
    const auto rest = box.gradus("train --resume parts --max_iters 26");
    INFO(rest.err);
    REQUIRE(rest.status == 0);
    // Weights, moments, generators and the next batch are those of a run that never stopped.
    const std::string whole = program::read(box / "whole/checkpoint.safetensors"),
                      parts = program::read(box / "parts/checkpoint.safetensors");
    const model::SafetensorsFile a(whole), b(parts);
    REQUIRE(a.tensors().size() == b.tensors().size());
    for (const model::TensorEntry& tensor : a.tensors()) {
      INFO(tensor.name);
      CHECK(tensor.data == b.find(tensor.name)->data);
    }
    for (const char* key : {"generator", "next_batch", "step"}) {
      INFO(key);
      CHECK(a.metadata().find(key)->second == b.metadata().find(key)->second);
    }
    // Without the losses of the closing evaluation the logs are equal.
    std::string log = lines("parts");
    const std::size_t end = log.find('\n', log.find("\n" + at + ",") + 1);
    const std::size_t last = log.rfind(',', end), first = log.rfind(',', last - 1);
    log.replace(first, end - first, ",,");
    CHECK(log == lines("whole"));
  }
  CHECK(best > 0);
}

TEST_CASE("train: resuming refuses another corpus and other settings, naming both values") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  program::write(box / "other.txt", prose(90));
  REQUIRE(box.gradus("train tale.txt --max_iters 5 --out_dir run" + small).status == 0);
  const auto refused = [&](const std::string& flags, const std::string& text) {
    const auto run = box.gradus("train --resume run --max_iters 9 " + flags);
    INFO(flags << ": " << run.err);
    CHECK(run.status == 1);
    CHECK_THAT(run.err, Catch::Contains(text));
    CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
  };
  refused("--n_layer 3", "--n_layer: the run in run was started with 2, not 3");
  refused("--learning_rate 0.5", "--learning_rate: the run in run was started with");
  refused("--seed 7", "--seed: the run in run was started with 1337, not 7");
  const auto identity = [](const std::string& text) {
    return engine::joined(engine::counted(std::ssize(text), "byte"), ", checksum ",
                          model::checksum_text(model::checksum(text)));
  };
  refused("other.txt", "other.txt: is not the text the run was started on, " +
                           std::filesystem::canonical(box / "tale.txt").generic_string() + " (" +
                           identity(prose(100)) + "): " + identity(prose(90)) + ";");
  const auto same = box.gradus("train --resume run --max_iters 9 --n_layer 2 --seed 1337 tale.txt");
  INFO(same.err);
  CHECK(same.status == 0);
}

TEST_CASE("train: an interrupted run saves, says how to go on, and does", "[signal]") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  const std::string flags =
      "train tale.txt" + small + " --lr_decay_iters 1000 --eval_interval 1000000";
  auto run = box.start(flags + " --max_iters 1000000 --out_dir parts --log_interval 1");
  REQUIRE(run.wait_for("iter 3:"));
  run.signal(SIGINT);
  const auto stopped = run.end();
  INFO(stopped.err);
  CHECK(stopped.status == 130);
  const std::string step = step_of(box / "parts/checkpoint.safetensors");
  CHECK_THAT(stopped.err, Catch::EndsWith("stopped at step " + step +
                                          " of 1000000; to go on: gradus train --resume parts\n"));
  const std::string longer = std::to_string(std::stoi(step) + 10);
  REQUIRE(box.gradus(flags + " --max_iters " + longer + " --out_dir whole").status == 0);
  const auto rest = box.gradus("train --resume parts --max_iters " + longer);
  INFO(rest.err);
  REQUIRE(rest.status == 0);
  CHECK(program::read(box / "whole/checkpoint.safetensors") ==
        program::read(box / "parts/checkpoint.safetensors"));
}

TEST_CASE(
    "train: weights and moments that are not finite never replace a checkpoint that is good") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  // The weights grow a thousandfold with each update; every update is saved.
  const auto run = box.gradus(
      "train tale.txt --n_layer 1 --n_head 1 --n_embd 8 --block_size 8 --batch_size 2"
      " --max_iters 40 --eval_interval 1000 --save_interval 1 --learning_rate 1 --min_lr 1"
      " --warmup_iters 0 --weight_decay 1000 --out_dir run --arch gpt2 --optimizer adamw"
      " --batches random --init_std 0.02 --dtype float32");
  INFO(run.err);
  CHECK(run.status == 1);
  CHECK_THAT(run.err, Catch::Contains(": the weight transformer.") &&
                          Catch::Contains("is no longer finite; nothing was saved since"));
  const auto resumed = box.gradus("train --resume run");
  INFO(resumed.err);
  CHECK_THAT(resumed.err, Catch::Contains("; steps ") && !Catch::Contains("expected a finite"));
  // The same when a signal asks for the checkpoint, or the end of the run.
  const auto last = box.gradus(
      "train tale.txt --n_layer 1 --n_head 1 --n_embd 8 --block_size 8 --batch_size 2"
      " --max_iters 14 --eval_interval 1000 --eval_iters 1 --learning_rate 1 --min_lr 1"
      " --warmup_iters 0 --weight_decay 1000 --out_dir last");
  INFO(last.err);
  CHECK(last.status == 1);
  const std::string checkpoint = program::read(box / "last/checkpoint.safetensors");
  CHECK(model::SafetensorsFile(checkpoint).metadata().find("step")->second == "0");
  CHECK_FALSE(std::filesystem::exists(box / "last/model.safetensors"));
}

TEST_CASE("train: a checkpoint that no run could have written is refused before a word is said") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  REQUIRE(
      box.gradus("train tale.txt --max_iters 5 --out_dir run --optimizer adamw" + small).status ==
      0);
  const std::string bytes = program::read(box / "run/checkpoint.safetensors");
  struct Change {
    std::string key, value, tensor;
    float element;
  };
  const auto resume_changed = [&](const Change& change) {
    program::write(box / "run/checkpoint.safetensors",
                   program::rewritten(
                       bytes,
                       [&](const std::string& key, const std::string& text) {
                         return key == change.key ? change.value : text;
                       },
                       [&](const std::string& name, std::vector<float>& values) {
                         if (name == change.tensor) values.back() = change.element;
                       }));
    return box.gradus("train --resume run --max_iters 6");
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::string weight = "transformer.h.1.mlp.c_fc.weight";
  for (const auto& [change, text] : {
           std::pair(Change{"", "", "exp_avg_sq." + weight, -1e-9f}, "is negative"),
           std::pair(Change{"", "", "exp_avg." + weight, nan}, "expected a finite number"),
           std::pair(Change{"", "", "exp_avg_sq." + weight, nan}, "expected a finite number"),
           std::pair(Change{"", "", weight, nan}, "expected a finite number"),
           std::pair(Change{"note.ngram_3", "many", "", 0}, "note.ngram_3"),
           std::pair(Change{"best_val_loss", "low", "", 0}, "best_val_loss"),
       }) {
    const auto run = resume_changed(change);
    INFO(change.key << change.tensor << ": " << run.err);
    CHECK(run.status == 1);
    CHECK(run.out.empty());
    CHECK_THAT(run.err, Catch::StartsWith("gradus train: run/") && Catch::Contains(text));
    CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
  }
  CHECK(resume_changed({}).status == 0);
}

#ifndef __SANITIZE_ADDRESS__  // the sanitizer opens files itself to see what it may read
TEST_CASE("train: a refused run leaves no directory behind", "[shell]") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  const auto run = box.shell("ulimit -n 4\n\"$GRADUS\" train tale.txt --out_dir new/run" + small);
  INFO(run.err);
  CHECK(run.status == 1);
  CHECK_THAT(run.err, Catch::Contains("Too many open files"));
  CHECK_FALSE(std::filesystem::exists(box / "new"));
}
#endif

TEST_CASE("train: a checkpoint without a position for each sequence of the next batch is refused") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  REQUIRE(box.gradus("train tale.txt --max_iters 5 --out_dir run" + small).status == 0);
  const std::string bytes = program::read(box / "run/checkpoint.safetensors");
  const auto keep = [](const std::string&, std::vector<float>&) {};
  const auto resumed = [&](auto change) {
    program::write(box / "run/checkpoint.safetensors",
                   program::rewritten(
                       bytes,
                       [&](const std::string& key, const std::string& text) {
                         return key == "next_batch" ? change(text) : text;
                       },
                       keep));
    return box.gradus("train --resume run --max_iters 6");
  };
  CHECK(resumed([](const std::string& text) { return text; }).status == 0);
  const auto fewer =
      resumed([](const std::string& text) { return text.substr(0, text.rfind(' ')); });
  CHECK(fewer.status == 1);
  CHECK_THAT(fewer.err, Catch::Contains("metadata \"next_batch\": ") &&
                            Catch::Contains(" positions for batch_size "));
  CHECK(resumed([](const std::string& text) { return text + " 3"; }).status == 1);
}

TEST_CASE("train, report: a run of another version is not gone on with; its model is") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  REQUIRE(box.gradus("train tale.txt --max_iters 5 --out_dir run" + small).status == 0);
  const std::string bytes = program::read(box / "run/checkpoint.safetensors");
  const auto keep = [](const std::string&, std::vector<float>&) {};
  const auto with_version = [&](const std::string& version) {
    return program::rewritten(
        bytes,
        [&](const std::string& key, const std::string& text) {
          return key == "format_version" ? version : text;
        },
        keep);
  };
  for (const std::string version : {"", "4", "6"})
    for (const std::string command : {"train --resume run --max_iters 6", "report run"}) {
      CAPTURE(version, command);
      program::write(box / "run/checkpoint.safetensors", with_version(version));
      const auto run = box.gradus(command);
      CHECK(run.status == 1);
      CHECK(run.out.empty());
      CHECK(run.err ==
            "gradus " + command.substr(0, command.find(' ')) +
                ": run/checkpoint.safetensors: a run of another version of gradus, whose "
                "updates are others; to begin a new run with its model: gradus train "
                "TEXT --init_from run\n");
    }
  CHECK(box.gradus("train tale.txt --init_from run --max_iters 2 --out_dir new").status == 0);
  program::write(box / "run/checkpoint.safetensors", with_version("5"));
  CHECK(box.gradus("train --resume run --max_iters 6").status == 0);
  // A model under a checkpoint's name.
  std::filesystem::rename(box / "run/model.safetensors", box / "run/checkpoint.safetensors");
  CHECK(
      box.gradus("train --resume run --max_iters 6").err ==
      "gradus train: run/checkpoint.safetensors: a model alone, without what a run needs to go on; "
      "to begin a new run with its model: gradus train TEXT --init_from run\n");
}

TEST_CASE("train: a model that overflows before the first update") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  REQUIRE(box.gradus("train tale.txt --max_iters 1 --out_dir run" + small).status == 0);
  program::write(box / "huge.safetensors",
                 program::rewritten(
                     program::read(box / "run/model.safetensors"),
                     [](const std::string&, const std::string& text) { return text; },
                     [](const std::string&, std::vector<float>& values) {
                       for (float& value : values) value *= 1e25f;
                     }));
  const auto run =
      box.gradus("train tale.txt --init_from huge.safetensors --max_iters 3 --out_dir h");
  CHECK(run.status == 1);
  CHECK_THAT(run.err, Catch::Contains("gradus train: step 0: ") &&
                          Catch::EndsWith(", before any update: a lower --learning_rate does not "
                                          "help, smaller weights to begin with do\n"));
}

TEST_CASE("train: a bpe's run is resumed with validation where it began") {
  const Sandbox box;
  std::string other;
  while (other.size() < 1500) other += "zzyzx! ";  // other words: more tokens than bytes would tell
  program::write(box / "tale.txt", prose(200) + other);
  const std::string flags =
      small + " --tokenizer bpe --vocab_size 280 --eval_interval 2 --max_iters ";
  REQUIRE(box.gradus("train tale.txt --out_dir whole" + flags + "6 --lr_decay_iters 6").status ==
          0);
  REQUIRE(box.gradus("train tale.txt --out_dir parts" + flags + "3 --lr_decay_iters 6").status ==
          0);
  REQUIRE(box.gradus("train --resume parts --max_iters 6").status == 0);
  CHECK(program::read(box / "whole/checkpoint.safetensors") ==
        program::read(box / "parts/checkpoint.safetensors"));
}

TEST_CASE("train: several texts of any kind are joined in their order") {
  const Sandbox box;
  std::string bytes;
  for (int i = 0; i < 3000; ++i) bytes += static_cast<char>(32 + i * i % 224);
  program::write(box / "noise.bin", bytes);
  program::write(box / "tale.txt", prose(20));
  const auto run = box.gradus("train noise.bin tale.txt --max_iters 2 --out_dir run" + small);
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK_THAT(run.err, Catch::Contains("is not UTF-8") && Catch::Contains("training on bytes"));
}

TEST_CASE("train: a run stopped after the evaluation of step 0 repeats it when it is resumed") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  // With random batches, an evaluation made twice would draw other numbers.
  const std::string flags = small + " --eval_iters 1 --out_dir ";
  REQUIRE(box.gradus("train tale.txt --max_iters 20" + flags + "whole").status == 0);
  REQUIRE(box.gradus("train tale.txt --max_iters 0" + flags + "none").status == 0);
  CHECK(std::filesystem::exists(box / "none/model.safetensors"));
  const auto moment = box.gradus("train --resume none --max_iters 20 --minutes 1e-9");
  CHECK_THAT(moment.err, Catch::Contains("stopped at step 0 of 20"));
  CHECK(box.gradus("train --resume none --max_iters 20").status == 0);
  for (const char* file :
       {"model.safetensors", "checkpoint.safetensors", "log.csv", "samples.txt"}) {
    CAPTURE(file);
    CHECK((program::read(box / "whole" / file) == program::read(box / "none" / file)));
  }
}

TEST_CASE("train: UTF-16 is read as UTF-8, and a resumed run knows the file again") {
  const Sandbox box;
  const std::string tale = prose(100);
  std::string utf16 = "\xff\xfe";
  for (const char c : tale) utf16 += {c, '\0'};
  program::write(box / "tale.txt", tale);
  program::write(box / "wide.txt", utf16);
  const auto run = box.gradus("train wide.txt --max_iters 10" + small);
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK_THAT(run.err, Catch::Contains("wide.txt: is UTF-16, read as UTF-8 (" +
                                      std::to_string(tale.size() / 1000) + ","));
  CHECK(run.out == box.gradus("train tale.txt --max_iters 10" + small).out);
  CHECK(box.gradus("train --resume out/wide --max_iters 12").status == 0);
  const auto eval = box.gradus("eval out/wide wide.txt");
  CHECK(eval.out == box.gradus("eval out/wide tale.txt").out);
  CHECK_THAT(eval.err, Catch::Contains("wide.txt: is UTF-16, read as UTF-8"));
}

TEST_CASE("train: a byte-order mark is no character of a text or a prompt", "[shell]") {
  const Sandbox box;
  const std::string mark = "\xef\xbb\xbf", tale = prose(100);
  program::write(box / "tale.txt", tale);
  program::write(box / "marked.txt", mark + tale);
  const auto run = box.gradus("train marked.txt --val_text marked.txt --max_iters 10" + small);
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(run.out == box.gradus("train tale.txt --val_text tale.txt --max_iters 10" + small).out);
  CHECK(box.gradus("eval out/marked marked.txt").out == box.gradus("eval out/tale tale.txt").out);
  std::string utf16 = "\xff\xfe";
  for (const char c : tale.substr(0, 9)) utf16 += {c, '\0'};
  program::write(box / "plain", tale.substr(0, 9));
  program::write(box / "with_mark", mark + tale.substr(0, 9));
  program::write(box / "wide", utf16);
  const auto sample = [&](const std::string& prompt) {
    const auto written = box.shell(
        "\"$GRADUS\" sample out/tale --temperature 0 --max_new_tokens 9 --prompt " + prompt);
    INFO(written.err);
    CHECK(written.status == 0);
    return written.out;
  };
  const std::string text = sample("FILE:plain");
  for (const char* prompt :
       {"FILE:with_mark", "FILE:wide", "- <with_mark", "- <wide", "\"$(cat with_mark)\""}) {
    CAPTURE(prompt);
    CHECK(sample(prompt) == text);
  }
  const auto chat = [&](const std::string& lines) {
    return box.shell(lines + " | \"$GRADUS\" chat out/tale --unknown error --temperature 0");
  };
  CHECK(chat("cat with_mark").out == chat("cat plain").out);
  const auto middle = chat("printf '%s' \"$(cat plain)$(cat with_mark)\"");
  CHECK_THAT(middle.err, Catch::Contains("prompt: byte 9: the vocabulary does not know U+FEFF"));
}

TEST_CASE("train: files without plain text are refused by name, unless bytes are asked for") {
  const Sandbox box;
  program::write(box / "tale.pdf", "%PDF-1.4\n" + prose(100));
  const auto refused = box.gradus("train tale.pdf" + small);
  CHECK(refused.status == 1);
  CHECK_THAT(refused.err, Catch::StartsWith("gradus train: tale.pdf: is a PDF; pdftotext "));
  CHECK(!std::filesystem::exists(box / "out"));
  const auto bytes = box.gradus("train tale.pdf --tokenizer byte --max_iters 2" + small);
  INFO(bytes.err);
  CHECK(bytes.status == 0);
  CHECK(box.gradus("train --resume out/tale --max_iters 3").status == 0);

  std::filesystem::create_directory(box / "book");
  program::write(box / "book/a.txt", prose(100));
  program::write(box / "book/b.png", std::string("\x89PNG\r\n\x1a\n\0\0", 10));
  program::write(box / "book/c.pdf", "%PDF-1.4\n");
  const auto book = box.gradus("train book --max_iters 2" + small);
  INFO(book.err);
  CHECK(book.status == 0);
  CHECK_THAT(book.err, Catch::Contains("book: left out: 2 non-text files (b.png, c.pdf)\n"));
  CHECK(box.gradus("train --resume out/book --max_iters 3").status == 0);
}

TEST_CASE("train: a text without line feeds is said to be one, once", "[shell]") {
  const Sandbox box;
  std::string mac = prose(100);
  std::ranges::replace(mac, '\n', '\r');
  std::ranges::replace(mac, '.', '\r');
  box.shell("mkdir macs");
  for (const char* path : {"mac.txt", "macs/a b", "macs/c"})
    program::write(box / path, mac += "\r");
  program::write(box / "macs/b", prose(10) + "\r\n");
  CHECK_THAT(box.gradus("train mac.txt --max_iters 1" + small).err,
             Catch::StartsWith("mac.txt: no line feeds, lines end with CR alone, and so will those "
                               "of samples; tr '\\r' '\\n' <mac.txt writes the text with line "
                               "feeds\nmac.txt: "));
  CHECK_THAT(
      box.gradus("train macs --max_iters 1" + small).err,
      Catch::StartsWith("macs/a b and 1 other file: no line feeds, ") &&
          Catch::Contains("<'macs/a b' writes the text with line feeds\nmacs/b: some lines end "
                          "in CRLF, some in LF, and so will those of samples; tr -d '\\r' "
                          "<macs/b writes the text with line feeds\nmacs (3 files): "));
}

TEST_CASE("train: a text of Windows is read with line feeds, and resumed so") {
  const Sandbox box;
  std::string lf, crlf, wide = "\xff\xfe";
  for (int i = 0; i < 300; ++i) {
    lf += "line " + std::to_string(i * i) + '\n';
    crlf += "line " + std::to_string(i * i) + "\r\n";
  }
  for (const char c : crlf) wide += {c, '\0'};
  program::write(box / "lf.txt", lf);
  program::write(box / "crlf.txt", crlf);
  program::write(box / "wide.txt", wide);
  const std::string flags = " --max_iters 6 --out_dir ", end = small + " --eval_interval 3";
  for (const std::string kind : {"char", "byte"}) {
    CAPTURE(kind);
    const std::string tokenizer = " --tokenizer " + kind + " --force";
    for (const std::string name : {"lf", "crlf", "wide"}) {
      const auto run = box.gradus("train " + name + ".txt" + flags + name + end + tokenizer);
      CHECK((run.err.find(name + ".txt: lines end in CRLF, read as LF\n") == run.err.npos) ==
            (name == "lf"));
      CHECK(program::read(box / (name + "/log.csv")) == program::read(box / "lf/log.csv"));
    }
    REQUIRE(box.gradus("train crlf.txt --max_iters 3 --out_dir half" + end + tokenizer).status ==
            0);
    CHECK(box.gradus("train --resume half --max_iters 6").status == 0);
    CHECK(program::read(box / "half/log.csv") == program::read(box / "lf/log.csv"));
    CHECK_THAT(box.gradus("eval lf crlf.txt").err, Catch::Contains("characters; crlf.txt is"));
    CHECK(box.gradus("eval lf crlf.txt").out == box.gradus("eval lf lf.txt").out);
  }
  // The same text, whatever its line ends are.
  CHECK_THAT(
      box.gradus("train lf.txt --val_text crlf.txt --max_iters 0 --out_dir copy" + small).err,
      Catch::Contains("\ncrlf.txt: is validated on, and its contents are trained on as lf.txt; "
                      "the loss says little of other texts\n"));
}

TEST_CASE("train: validation on a text that is trained on is said") {
  const Sandbox box;
  program::write(box / "a.txt", prose(40));
  program::write(box / "b.txt", prose(40));
  program::write(box / "c.txt", prose(41));
  const auto says = [&](const std::string& texts, const std::string& more) {
    const auto run = box.gradus("train " + texts + " --max_iters 0 --force --out_dir r" + small);
    CAPTURE(texts, run.err);
    CHECK(run.status == 0);
    CHECK_THAT(run.err, Catch::Contains(more));
    return run.err.find("contents are trained on") != std::string::npos;
  };
  CHECK(says("a.txt a.txt", "a.txt: is validated on, and its contents are trained on as a.txt; "));
  CHECK(says("a.txt --val_text b.txt",
             "b.txt: is validated on, and its contents are trained on as "));
  CHECK(says("a.txt c.txt b.txt c.txt --val_fraction 0.6", "as a.txt; so are 1 other file; "));
  CHECK_FALSE(says("a.txt --val_text c.txt", ""));
  CHECK_FALSE(says("a.txt b.txt c.txt", ""));
  CHECK_FALSE(says("c.txt a.txt b.txt --val_fraction 0.7", ""));
}

TEST_CASE("train: by default the context of a tiny text fits its validation part") {
  const Sandbox box;
  program::write(box / "tiny.txt", prose(1).substr(0, 34));
  const auto run = box.gradus("train tiny.txt --max_iters 1 --lr_decay_iters 9 --out_dir run");
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK_THAT(run.err, Catch::Contains(" of 8 x 3 tokens, "));
  CHECK(box.gradus("train --resume run --max_iters 2").status == 0);
  CHECK(box.gradus("report run").status == 0);
}

TEST_CASE("train: of a directory, what is no text, backups and second names are left out",
          "[shell]") {
  const Sandbox box;
  box.shell("mkdir texts plain");
  for (const char* name : {"art", "tao", "zippy"})
    for (const std::string directory : {"texts/", "plain/"})
      program::write(box / (directory + name), prose(*name == 't' ? 80 : 40) + name);
  for (const char* name : {"art.dat", "tao.dat", "wisdom.dat", "zippy.dat"})
    program::write(box / (std::string("texts/") + name), std::string("\0\0\0\1 index", 10));
  program::write(box / "texts/zz", std::string(3000, '\x81') + std::string(200, '\x02'));
  for (const char* name : {"tao~", "tao.bak", "tao.swp", "tao.orig"})
    program::write(box / (std::string("texts/") + name), prose(80));
  box.shell(
      "ln -s art texts/art.u8; ln texts/tao texts/tao.u8; ln -s ../texts/zippy texts/zippy.u8");
  const std::string said =
      "texts: left out: 4 backups (tao.bak, tao.orig, ...), 3 duplicates (art.u8, tao.u8, ...), "
      "5 non-text files (art.dat, tao.dat, ...)\n";
  const auto run = box.gradus("train texts --max_iters 2 --out_dir run" + small);
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK_THAT(run.err, Catch::StartsWith(said));
  CHECK_THAT(run.err, Catch::Contains("\ntexts (3 files): ") && Catch::Contains(" (char, "));
  CHECK(run.out == box.gradus("train plain --max_iters 2 --out_dir plain_run" + small).out);
  const auto eval = box.gradus("eval run texts");
  CHECK_THAT(eval.err, Catch::StartsWith(said));
  CHECK(eval.out == box.gradus("eval run plain").out);
  CHECK(run.out == box.gradus("train texts texts --max_iters 2 --out_dir twice" + small).out);
  // What is validated on is said, at the start, by info and in the report.
  const std::size_t at = run.err.find("validated on the last 10 %, ");
  REQUIRE(at != std::string::npos);
  const std::string place = run.err.substr(at + 13, run.err.find(';', at) - at - 13);
  CHECK_THAT(place, Catch::StartsWith("the last 10 %, zippy from byte "));
  CHECK_THAT(box.gradus("info run").out, Catch::Contains("validation        " + place + "\n"));
  CHECK(box.gradus("report run").status == 0);
  CHECK_THAT(program::read(box / "run/report.html"),
             Catch::Contains("\"validation\":\"" + place + '"'));
  // The same files again, named by their directory.
  CHECK(box.gradus("train --resume run texts --max_iters 3").status == 0);
  // Backups are left out where nothing else is there, and where bytes are asked for.
  box.shell("mkdir other; cp texts/zz texts/tao~ other");
  CHECK(box.gradus("train other --max_iters 1" + small).err ==
        "gradus train: other: is a directory without a text in it; left out: 1 backup (tao~), "
        "1 non-text file (zz)\n");
  CHECK_THAT(box.gradus("train texts --tokenizer byte --max_iters 1 --out_dir bytes" + small).err,
             Catch::Contains("\ntexts (8 files): "));
}

TEST_CASE("train: a few broken bytes are tokens of their own, many make all tokens bytes") {
  const Sandbox box;
  const std::string text = prose(100);
  REQUIRE(text.size() > 2000);
  program::write(box / "few.txt", text.substr(0, 500) + "\xe9" + text.substr(500));
  const auto few = box.gradus("train few.txt --max_iters 2" + small);
  INFO(few.err);
  CHECK(few.status == 0);
  CHECK_THAT(few.err, Catch::Contains("few.txt: byte 500: 0xe9 is not UTF-8; such bytes become "
                                      "tokens of their own") &&
                          Catch::Contains("tokens (char, "));
  CHECK_THAT(few.out, Catch::Contains("bits per character"));
  CHECK(box.gradus("eval out/few few.txt").status == 0);
  program::write(box / "many.txt", text + std::string(text.size() / 900, '\xe9'));
  const auto many = box.gradus("train many.txt --max_iters 2" + small);
  CHECK_THAT(many.err, Catch::Contains("training on bytes") && Catch::Contains("tokens (byte, ") &&
                           Catch::Contains("iconv"));
  program::write(box / "nano.py", "max_iters = 2\n");
  CHECK(box.gradus("train many.txt --config nano.py --out_dir nano" + small).status == 0);
  for (const std::string config : {"", " --config nano.py"})
    CHECK(box.gradus("train many.txt --tokenizer char --out_dir again" + config + small).status ==
          1);
}

TEST_CASE("train: a separator may be written with escapes; one that never occurs is said") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  const auto lines =
      box.gradus("train tale.txt --max_iters 2 --document_separator '\\n' --out_dir lines" + small);
  INFO(lines.err);
  CHECK(lines.status == 0);
  CHECK_THAT(lines.err, !Catch::Contains("does not occur"));
  CHECK_THAT(box.gradus("info lines").out, Catch::Contains("\\n"));
  CHECK(box.gradus("train --resume lines --max_iters 3 --document_separator '\\n'").status == 0);
  const auto absent =
      box.gradus("train tale.txt --max_iters 2 --document_separator '<|end|>'" + small);
  CHECK_THAT(absent.err, Catch::Contains("--document_separator: \"<|end|>\" does not occur"));
}

TEST_CASE("train: a Python file among the texts may have been meant as --config") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  program::write(box / "small.py", "max_iters = 3\n");
  const auto run = box.gradus("train tale.txt small.py --max_iters 2" + small);
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK_THAT(run.err, Catch::Contains("small.py: is read as a text to train on; was --config "
                                      "small.py meant?"));
}

TEST_CASE("train: a model names its texts without the path of whoever trained it") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  REQUIRE(box.gradus("train tale.txt --max_iters 2" + small).status == 0);
  const std::string directory = (box / "tale.txt").parent_path().generic_string();
  const std::string model = program::read(box / "out/tale/model.safetensors"),
                    checkpoint = program::read(box / "out/tale/checkpoint.safetensors");
  CHECK(model.find(directory) == std::string::npos);
  CHECK(model.find("tale.txt") != std::string::npos);
  CHECK(checkpoint.find(directory + "/tale.txt") != std::string::npos);
}

TEST_CASE("train: overfitting is said where there is some, not where evaluations are noisy") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  const std::string many = small + " --force --out_dir run --eval_interval 1 --max_iters 60";
  for (const char* eval_iters : {"1", "2", "3", "10"}) {
    // Nothing is learned: the losses differ by chance alone.
    const auto run =
        box.gradus("train tale.txt --learning_rate 0 --eval_iters " + (eval_iters + many));
    INFO(run.err);
    CHECK(run.status == 0);
    CHECK_THAT(run.err, !Catch::Contains("overfitting"));
  }
  // 60 characters to learn by heart, and something else to be judged by.
  program::write(box / "short.txt", prose(2) + "ZYXWVUTSRQPONMLKJIHGFEDCBAZYXWVUTSRQPO");
  for (const char* eval_iters : {"0", "20"}) {
    const auto run = box.gradus(
        "train short.txt --learning_rate 0.03 --optimizer adamw --val_fraction 0.35 --eval_iters " +
        (eval_iters + many));
    INFO(run.err);
    CHECK(run.status == 0);
    CHECK_THAT(run.err, Catch::Contains("overfitting"));
  }
}

TEST_CASE("train: names that are no text are escaped in everything that is said", "[posix]") {
  const Sandbox box;
  program::write(box / "two\nlines\x1b[31m.txt", prose(100));
  const auto run = box.gradus("train two*.txt --max_iters 1" + small);
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK_THAT(run.err, Catch::StartsWith("two\\nlines\\x1b[31m.txt: "));
  CHECK_THAT(run.err, Catch::Contains("gradus sample $'out/two\\x0alines\\x1b[31m'; "));
}

TEST_CASE("train: a directory stands for the files in it, by their names", "[shell]") {
  const Sandbox box;
  box.shell(
      "mkdir -p book/part/.git; touch book/0 book/part/empty; mkfifo book/pipe;"
      "ln -s ../book book/part/loop; ln -s loop book/loop; ln -s nothing book/broken");
  const std::string a = prose(60), b = prose(50) + "quick brown\n";
  program::write(box / "book/a.txt", a);
  program::write(box / "book/part/b.txt", b);
  program::write(box / "book/.hidden", "\xff hidden");
  program::write(box / "book/part/.git/c", "\xff hidden");
  program::write(box / "joined.txt", a + b);
  const auto folder = box.gradus("train book/ --max_iters 3" + small);
  INFO(folder.err);
  REQUIRE(folder.status == 0);
  CHECK_THAT(folder.err, Catch::StartsWith("book/ (2 files): "));
  const auto joined = box.gradus("train joined.txt --max_iters 3 --out_dir joined" + small);
  CHECK(joined.out == folder.out);
  CHECK(box.gradus("eval joined book").out == box.gradus("eval joined joined.txt").out);
  CHECK(program::read(box / "joined/log.csv") == program::read(box / "out/book/log.csv"));
  // Where a run lies among its texts, its files are none of them.
  for (const char* force : {"", " --force"}) {
    const auto inside = box.shell("cd book && \"$GRADUS\" train . --max_iters 3" + small + force);
    CHECK(inside.status == 0);
    CHECK(inside.out == folder.out);
  }
  CHECK(std::filesystem::exists(box / "book/out/book/model.safetensors"));
  // A file more is no reason not to go on with those there were, unless it is asked to be read.
  program::write(box / "book/new.txt", "more");
  CHECK(box.gradus("train --resume out/book --max_iters 4").status == 0);
  const auto more = box.gradus("train --resume out/book book --max_iters 5");
  CHECK(more.status == 1);
  CHECK_THAT(more.err, Catch::Contains("was started on 2 texts, not 3"));
  program::write(box / "book/new.txt", "");
  CHECK(box.gradus("train --resume out/book book --max_iters 5").status == 0);
  program::write(box / "book/part/b.txt", "\xC3");
  CHECK_THAT(box.gradus("train book --tokenizer char --force" + small).err,
             Catch::Contains("gradus train: book/part/b.txt: byte 0: 0xc3 is not UTF-8\n"));
}

TEST_CASE("train: a validation text of its own") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  program::write(box / "val.txt", prose(30) + "\xC3\x9C" + "ber\n");  // a letter of its own
  program::write(box / "other.txt", prose(31));
  program::write(box / "bytes.txt", prose(30) + "\xff");
  const auto run = box.gradus(
      "train tale.txt --val_text val.txt --dtype float32 --max_iters 10 --out_dir run --min_lr "
      "1e-4" +
      small);
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK_THAT(run.err,
             Catch::StartsWith("tale.txt: 3,698 tokens (char, 33 distinct), validated on the "));
  CHECK_THAT(box.gradus("info run").out, Catch::Contains("validation        val.txt, "));
  // It is what the last loss is of, and the n-grams' losses too.
  double loss = 0;
  const std::size_t at = run.out.rfind("val loss ");
  REQUIRE(at != std::string::npos);
  const auto eval = box.gradus("eval run val.txt --train_text tale.txt");
  REQUIRE(std::sscanf(eval.out.c_str(), "loss %lf", &loss) == 1);
  CHECK(std::abs(std::atof(run.out.c_str() + at + 9) - loss) < 0.00011);
  std::string counted, length;
  std::istringstream grams(eval.out.substr(eval.out.find("1-gram")));
  for (std::string of; grams >> length >> of;) counted += of + " ";
  CHECK_THAT(box.gradus("info run").out,
             Catch::Contains("n-grams of 1, 2, ..  " + counted + "(validation loss"));

  CHECK(box.gradus("train --resume run --max_iters 20").status == 0);
  CHECK(box.gradus("train --resume run tale.txt --val_text val.txt --max_iters 30").status == 0);
  CHECK(
      box.gradus("train tale.txt --val_text val.txt --dtype float32 --max_iters 30 --out_dir whole "
                 "--min_lr 1e-4" +
                 small)
          .status == 0);
  for (const char* file : {"model.safetensors", "checkpoint.safetensors", "log.csv", "samples.txt"})
    CHECK(program::read(box / "whole" / file) == program::read(box / "run" / file));
  const auto refused = [&](const std::string& arguments, int status, const std::string& text) {
    const auto bad = box.gradus("train " + arguments);
    INFO(arguments << ": " << bad.err);
    CHECK(bad.status == status);
    CHECK_THAT(bad.err, Catch::Contains(text));
    CHECK(std::count(bad.err.begin(), bad.err.end(), '\n') == 1);
  };
  refused("--resume run --max_iters 40 --val_text other.txt", 1,
          "other.txt: is not the validation text the run was started on, ");
  refused("--resume run --max_iters 40 --val_fraction 0.1", 1,
          "--val_fraction: the run in run was started without it");
  refused("tale.txt --val_text val.txt --val_fraction 0.2", 2, "--val_text: takes the place");
  refused("tale.txt --val_text none.txt", 1, "none.txt: cannot open");
  refused("tale.txt --val_text bytes.txt --tokenizer char", 1, "bytes.txt: byte ");
  program::write(box / "short.txt", "The fox said 1.\n");
  refused("tale.txt --val_text short.txt" + small, 1,
          "short.txt: validation has 16 tokens, block_size 16 needs 17; --block_size 15\n");
  refused("short.txt --val_text tale.txt" + small, 1,
          "short.txt: training has 16 tokens, block_size 16 needs 17; --block_size 15\n");
  REQUIRE(box.gradus("train tale.txt --max_iters 1 --out_dir plain" + small).status == 0);
  refused("--resume plain --max_iters 20 --val_text val.txt", 1,
          "--val_text: the run in plain was started without it");
}

TEST_CASE("train: a bpe tokenizer goes out as GPT-2's files and in again", "[shell]") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(200));
  program::write(box / "val.txt", prose(20));  // else validation begins where learning ended
  REQUIRE(
      box.gradus("train tale.txt --val_text val.txt --tokenizer bpe --vocab_size 300 --out_dir a"
                 " --max_iters 3" +
                 small)
          .status == 0);
  box.shell("mkdir new");
  REQUIRE(box.gradus("export a hf new/tokenizer").status == 0);
  const auto read = box.gradus(
      "train tale.txt --val_text val.txt --tokenizer new/tokenizer --out_dir b --max_iters 3" +
      small);
  INFO(read.err);
  REQUIRE(read.status == 0);
  CHECK(program::read(box / "a/checkpoint.safetensors") ==
        program::read(box / "b/checkpoint.safetensors"));
  CHECK(box.gradus("train --resume b --tokenizer new/tokenizer --max_iters 4").status == 0);

  const std::string vocabulary = program::read(box / "new/tokenizer/vocab.json");
  const std::string merges = program::read(box / "new/tokenizer/merges.txt");
  const auto directory = [&](const std::string& name, const std::string& vocab_json,
                             const std::string& merges_txt) {
    std::filesystem::create_directory(box / name);
    program::write(box / name / "vocab.json", vocab_json);
    program::write(box / name / "merges.txt", merges_txt);
  };
  box.shell("mkdir hollow half; cp new/tokenizer/vocab.json half");
  directory("other", vocabulary, merges.substr(0, merges.rfind('\n', merges.size() - 2) + 1));
  directory("cut", vocabulary.substr(0, 1000), merges);
  directory("gap", std::string(vocabulary).replace(vocabulary.find(":7,"), 3, ":999,"), merges);
  directory("unknown", vocabulary, merges + "xq zz\n");
  const auto refused = [&](const std::string& arguments, const std::string& text) {
    const auto bad = box.gradus(arguments);
    INFO(arguments << ": " << bad.err);
    CHECK(bad.status == 1);
    CHECK(bad.out.empty());
    CHECK_THAT(bad.err, Catch::StartsWith("gradus " + text));
    CHECK(std::count(bad.err.begin(), bad.err.end(), '\n') == 1);
  };
  refused("train tale.txt --tokenizer hollow", "train: hollow/vocab.json: cannot open: No such");
  refused("train tale.txt --tokenizer half", "train: half/merges.txt: cannot open: No such");
  refused("train tale.txt --tokenizer cut", "train: cut/vocab.json: byte ");
  refused("train tale.txt --tokenizer gap",
          "train: gap/vocab.json: byte 55: id 999, expected each of 0..299 once");
  refused("train tale.txt --tokenizer unknown", "train: unknown/merges.txt: line 46: \"xq\" is");
  refused("train --resume b --tokenizer other --max_iters 9",
          "train: --tokenizer: the run in b was started with another than that in other");
}

TEST_CASE("train: documents are kept apart, and a sample ends with its document") {
  const Sandbox box;
  // Every document says the same: soon learned, its end too.
  const std::string one = "The fox said no.\n", end = "<|endoftext|>";
  std::string text = one;
  for (int i = 0; i < 150; ++i) text += end + one;
  std::filesystem::create_directory(box / "tales");
  program::write(box / "tales/a.txt", text);
  program::write(box / "tales/b.txt", text + end);
  const std::string flags = small + " --document_separator '<|endoftext|>' --max_iters 150" +
                            " --learning_rate 0.01 --min_lr 0.001 --out_dir ";
  const auto run = box.gradus("train tales" + flags + "run");
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK_THAT(run.err, Catch::StartsWith("tales (2 files): 5,436 tokens (char, 15 distinct)"));
  CHECK_THAT(box.gradus("info run").out,
             Catch::Contains("documents end     with token 14, \"<|endoftext|>\"\n"));
  // Without a prompt a sample is a document.
  CHECK(box.gradus("sample run --temperature 0").out == one + "\n");
  CHECK(box.gradus("sample run --temperature 0 --prompt 'The f'").out == one + "\n");
  const auto measured = box.gradus("eval run tales/a.txt --train_text tales/b.txt");
  CHECK_THAT(measured.out, Catch::Contains("6-gram 0.0"));
  // 151 of 17 letters, the first of which is given.
  CHECK_THAT(measured.err, Catch::Contains(" 2,717 tokens predicted, 2,566 characters"));

  const auto resumed =
      box.gradus("train --resume run --max_iters 151 --document_separator '" + end + "'");
  INFO(resumed.err);
  CHECK(resumed.status == 0);
  const auto refused = box.gradus("train --resume run --max_iters 152 --document_separator x");
  CHECK(refused.status == 1);
  CHECK_THAT(refused.err, Catch::Contains("was started with <|endoftext|>, not x"));
  CHECK(box.gradus("train tales --document_separator ''").status == 2);
  program::write(box / "only.txt", end + end);
  CHECK_THAT(box.gradus("train only.txt --document_separator '" + end + "'").err,
             Catch::Contains("gradus train: only.txt: no characters, need at least one\n"));

  // GPT-2's files hold the token, and who reads them finds it there.
  const std::string apart = " --val_text tales/b.txt" + flags;
  REQUIRE(box.gradus("train tales --tokenizer bpe --vocab_size 270" + apart + "bpe").status == 0);
  REQUIRE(box.gradus("export bpe hf gpt2").status == 0);
  CHECK_THAT(program::read(box / "gpt2/vocab.json"),
             Catch::Contains("\"<|endoftext|>\":26") && Catch::EndsWith("}"));
  REQUIRE(box.gradus("train tales --tokenizer gpt2" + apart + "again").status == 0);
  CHECK(program::read(box / "bpe/log.csv") == program::read(box / "again/log.csv"));
  CHECK(box.gradus("train --resume again --tokenizer gpt2 --max_iters 151").status == 0);
}

TEST_CASE("train: symbols that the model to begin with does not know are counted, or left out") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  program::write(box / "other.txt", prose(60) + "\xC3\xA9 @ \xC3\xA9" + prose(60));
  REQUIRE(
      box.gradus("train tale.txt --max_iters 1 --tokenizer char --out_dir run" + small).status ==
      0);
  const std::string flags = " --init_from run --eval_interval 2 --lr_decay_iters 9 --out_dir ";
  for (const std::string texts : {"other.txt", "tale.txt --val_text other.txt"}) {
    const auto refused = box.gradus("train " + texts + flags + "no");
    CHECK(refused.status == 1);
    CHECK_THAT(refused.err,
               Catch::StartsWith("gradus train: other.txt: byte ") &&
                   Catch::Contains(": the vocabulary does not know U+00E9; --unknown skip "
                                   "leaves out the 3 symbols that the vocabulary does not "
                                   "know; a model that was begun with --tokenizer byte or "
                                   "bpe knows every text\n"));
    CHECK_FALSE(std::filesystem::exists(box / "no"));
  }
  const std::string skip = flags + "whole --unknown skip --max_iters 4";
  CHECK_THAT(
      box.gradus("train other.txt" + skip).err,
      Catch::Contains("\nother.txt: 3 symbols that the vocabulary does not know, left out; "));
  // A resumed run leaves out the same.
  REQUIRE(box.gradus("train other.txt" + flags + "half --unknown skip --max_iters 2").status == 0);
  REQUIRE(box.gradus("train --resume half --max_iters 4").status == 0);
  CHECK(program::read(box / "half/log.csv") == program::read(box / "whole/log.csv"));
  CHECK(box.gradus("train tale.txt --val_text other.txt --unknown skip --max_iters 1" + flags +
                   "apart")
            .status == 0);
}

TEST_CASE("train: a model that knows the text goes on at a quarter of the rate") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  program::write(box / "other.txt", prose(90));
  REQUIRE(box.gradus("train tale.txt --max_iters 5 --out_dir run" + small).status == 0);
  std::filesystem::copy_file(box / "tale.txt", box / "renamed.txt");
  for (const auto& [flags, rate, knows] : std::vector<std::tuple<std::string, std::string, bool>>{
           {"renamed.txt", "0.00075", true},
           {"other.txt renamed.txt", "0.00075", true},
           {"other.txt", "0.003", false},
           {"tale.txt --learning_rate 0.002", "0.002", true},
           {"tale.txt --optimizer muon", "0.00125", true}}) {
    CAPTURE(flags);
    const auto run =
        box.gradus("train " + flags + " --init_from run --max_iters 2 --force --out_dir on");
    CAPTURE(run.err);
    CHECK(run.status == 0);
    CHECK(
        (run.err.find("begins with the weights of run/model.safetensors, which was trained on this "
                      "text: the default learning rate is a quarter of") != run.err.npos) == knows);
    CHECK_THAT(box.gradus("info on").out, Catch::Contains("  learning_rate     " + rate + "\n"));
  }
}

TEST_CASE("train: a build without MPI is not one of several processes", "[shell]") {
  const Sandbox box;
  program::write(box / "tale.txt", prose(100));
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const std::string train = " $GRADUS train tale.txt --max_iters 0 --force" + small;
    const auto run = box.shell(name + std::string("=4") + train);
    const auto alone = box.shell(name + std::string("=1") + train);
    CHECK(box.shell(name + std::string("=4 $GRADUS train --help")).status == 0);
    INFO(name);
    CHECK(run.status == 1);
    CHECK(run.out.empty());
    CHECK(run.err == std::string("gradus train: one of 4 processes (") + name +
                         "), but this gradus trains in one; make MPI=1 builds one for several, and "
                         "env -u " +
                         name + " before the command trains in one\n");
    CHECK(alone.status == 0);
  }
}
