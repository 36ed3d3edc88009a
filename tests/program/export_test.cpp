// gradus export, models of other programs wherever a MODEL is expected, and train --init_from, as a
// user runs them. That the real programs agree is for make interop.
#include <cstring>

#include "model/base/utf8.h"
#include "tests/program/run.h"

using program::read;
using program::Result;
using program::Sandbox;
using program::write;

namespace {

constexpr const char* small =
    " --max_iters 4 --n_layer 1 --n_head 2 --n_embd 16 --block_size 8 --batch_size 2 --threads 1"
    " --seed 1 --dtype float32";

std::string some_text(int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i)
    text += "the cat sat on mat " + std::to_string(i % 7) + " and saw dog " +
            std::to_string(i % 5) + "\n";
  return text;
}

// A sandbox with a.txt and a run on it in `run`.
struct WithRun : Sandbox {
  explicit WithRun(const std::string& flags) {
    write(*this / "a.txt", some_text(30));
    const Result trained = gradus("train a.txt --out_dir run" + std::string(small) + " " + flags);
    INFO(trained.err);
    REQUIRE(trained.status == 0);
  }
  std::string loss(const std::string& model, const std::string& text = "a.txt") const {
    const Result result = gradus("eval " + model + " " + text);
    INFO(result.err);
    CHECK(result.status == 0);
    return result.out.substr(0, result.out.find('\n'));
  }
  void exports(const std::string& arguments) const {
    const Result result = gradus("export " + arguments);
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK(result.out.empty());
  }
};

void check_refused(const Result& result, const std::string& says, int status = 1) {
  INFO(result.err);
  CHECK(result.status == status);
  CHECK_THAT(result.err, Catch::Contains(says));
  CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
}

}  // namespace

TEST_CASE("export: what every family exports, and gradus opens, has the loss of the run") {
  for (const char* const flags :
       {"--arch gpt2 --optimizer adamw --activation gelu_tanh --bias true",
        "--arch llama --tokenizer byte",
        "--arch qwen3 --n_kv_head 1 --tokenizer bpe --vocab_size 300 --document_separator '<e>'"}) {
    const WithRun box(flags);
    INFO(flags);
    const std::string loss = box.loss("run");
    box.exports("run hf hf");
    CHECK(box.loss("hf") == loss);
  }
}

TEST_CASE(
    "export: a model without a separator has no end of a text, but in GGUF, which needs one") {
  const WithRun box("--arch llama --tokenizer char");
  CHECK(box.gradus("export run hf hf").err == "wrote hf\n");
  for (const char* const file : {"hf/config.json", "hf/generation_config.json"}) {
    CHECK_THAT(read(box / file), Catch::Contains("\"bos_token_id\": null"));
    CHECK_THAT(read(box / file), Catch::Contains("\"eos_token_id\": null"));
  }
  CHECK(box.loss("hf") == box.loss("run"));
  CHECK_THAT(box.gradus("export run gguf m.gguf").err,
             Catch::Contains("times); llama-cli --ignore-eos goes on there, and training with "
                             "--document_separator makes a token for it"));
}

TEST_CASE("export: what a model is follows from its contents, never from its name", "[shell]") {
  const WithRun box("--arch gpt2 --optimizer adamw");
  const std::string loss = box.loss("run");
  box.exports("run hf m.gguf");
  box.exports("run gguf gguf.pt");
  CHECK(box.loss("m.gguf") == loss);
  CHECK(box.shell("cp run/model.safetensors x.gguf").status == 0);
  CHECK(box.loss("x.gguf") == loss);
  // llama.cpp's own are refused in one line, by every command.
  for (const char* const command :
       {"eval gguf.pt a.txt", "sample gguf.pt", "info gguf.pt", "export gguf.pt hf x",
        "train a.txt --init_from gguf.pt --out_dir x"})
    check_refused(box.gradus(command),
                  "gguf.pt: is a .gguf, which llama.cpp runs; gradus opens a "
                  "model.safetensors, the directory of a run, or one of "
                  "transformers");
  write(box / "short.gguf", "GGUF\3");  // also one that is cut short
  check_refused(box.gradus("info short.gguf"),
                "short.gguf: is a .gguf, which llama.cpp runs; gradus opens a "
                "model.safetensors, the directory of a run, or one of transformers");
  const Result info = box.gradus("info m.gguf");
  CHECK(info.status == 0);
  CHECK_THAT(info.out, Catch::Contains("not recorded in this file"));
  // An exported model can be exported again.
  box.exports("m.gguf hf again");
  CHECK(read(box / "again/model.safetensors") == read(box / "m.gguf/model.safetensors"));
  CHECK(read(box / "again/config.json") == read(box / "m.gguf/config.json"));
  // Without it transformers refuses the file.
  CHECK(read(box / "again/model.safetensors")
            .substr(8, 40)
            .find(R"({"__metadata__":{"format":"pt"})") == 0);
}

TEST_CASE("export: number formats of .gguf") {
  const WithRun box("--arch llama");
  std::size_t before = 1 << 30;
  for (const char* const dtype : {"float32", "float16", "q8_0"}) {
    const Result result = box.gradus(std::string("export run gguf ") + dtype + " --dtype " + dtype);
    CHECK(result.status == 0);
    // Rows of 16 have no blocks of 32.
    CHECK((result.err.find("stored as float16") != std::string::npos) ==
          (dtype == std::string("q8_0")));
    const std::size_t size = read(box / dtype).size();
    CHECK(size < before);
    before = size;
  }
}

TEST_CASE("export: PATH is written whole or not at all, and nothing is replaced", "[shell]") {
  const WithRun box("--arch qwen3");
  write(box / "file", "mine");
  CHECK(box.shell("mkdir -p full/sub empty").status == 0);
  for (const char* const path : {"file", "full"})
    for (const char* const format : {"hf", "gguf", "bin"})
      check_refused(box.gradus(std::string("export run ") + format + " " + path),
                    std::string("gradus export: ") + path + ": exists already; it is not replaced");
  CHECK(read(box / "file") == "mine");
  check_refused(box.gradus("export run hf file/there"), "file/there: file is not a directory");
  box.exports("run hf none/is/there");
  CHECK(exists(box / "none/is/there/config.json"));
  check_refused(box.gradus("export nowhere hf x"), "nowhere: cannot open");
  box.exports("run hf empty");
  CHECK(std::filesystem::exists(box / "empty/model.safetensors"));
  // What a killed export left is removed.
  CHECK(box.shell("mkdir .y.gradus-1 && touch .y.gradus-1/stale").status == 0);
  box.exports("run hf y/");
  CHECK_FALSE(std::filesystem::exists(box / "y/stale"));
  CHECK_FALSE(std::filesystem::exists(box / ".y.gradus-1"));
  // No room on the disk: nothing is left.
  const Result full = box.shell("ulimit -f 8; \"$GRADUS\" export run hf z");
  CHECK(full.status == 1);
  CHECK_THAT(full.err, Catch::Contains("File too large"));
  CHECK_FALSE(std::filesystem::exists(box / "z"));
  CHECK_FALSE(std::filesystem::exists(box / ".z.gradus-1"));
}

TEST_CASE("export: what a format cannot carry is refused, or said in one line") {
  const WithRun words("--tokenizer word");
  for (const char* const format : {"hf", "gguf"})
    check_refused(words.gradus(std::string("export run ") + format + " x"), "words");
  write(words / "b.txt", some_text(20) + "caf\xC3\xA9\n" + some_text(20));
  CHECK(words
            .gradus("train b.txt --out_dir accents --arch gpt2 --optimizer adamw" +
                    std::string(small))
            .status == 0);
  check_refused(words.gradus("export accents hf x"), "train with --tokenizer byte or bpe");
  CHECK_FALSE(std::filesystem::exists(words / "x"));

  CHECK(words.gradus("train a.txt --out_dir mixed --arch gpt2 --norm rmsnorm" + std::string(small))
            .status == 0);
  check_refused(words.gradus("export mixed hf x"), "norm rmsnorm with position learned");
  const Result gelu = words.gradus("export accents gguf x");
  check_refused(gelu, "train with --tokenizer byte or bpe");
}

TEST_CASE("export: a model whose attention no other program computes is refused in every format") {
  const WithRun box("--arch gpt2 --causal false");  // heads of 8
  box.gradus("train a.txt --out_dir scaled --arch qwen3 --attention_scale none" +
             std::string(small));
  for (const std::string format : {"hf", "gguf"}) {
    check_refused(box.gradus("export run " + format + " x"), "causal false");
    check_refused(box.gradus("export scaled " + format + " x"),
                  "attention_scale none: GPT-2, Llama and Qwen3 multiply attention scores by "
                  "1 / sqrt(8)");
    CHECK_FALSE(std::filesystem::exists(box / "x"));
  }
}

TEST_CASE("export: bin has the tokens of a run of any kind, two bytes each, the lower one first") {
  // 300 characters whose ids are 0 to 299, in order.
  std::string text, validation = "\xC4\xAB";  // U+012B
  for (int round = 0; round < 10; ++round)
    for (char32_t character = 0x100; character < 0x100 + 300; ++character)
      model::append_utf8(text, character);
  const Sandbox box;
  write(box / "a.txt", text);
  for (int i = 0; i < 6; ++i) validation += validation;
  write(box / "b.txt", validation);
  REQUIRE(box.gradus("train a.txt --val_text b.txt --tokenizer char --arch qwen3 --max_iters 1 "
                     "--out_dir run" +
                     std::string(small))
              .status == 0);
  const Result done = box.gradus("export run bin tokens");
  CHECK(done.status == 0);
  CHECK(done.out.empty());
  CHECK(done.err ==
        "train.bin has 3,000 tokens, val.bin 64, of a vocabulary of 300; nanoGPT finds them as "
        "data/NAME of its own folder, by train.py --dataset=NAME\nwrote tokens\n");
  const std::string training = read(box / "tokens/train.bin"),
                    validating = read(box / "tokens/val.bin");
  REQUIRE(training.size() == 2 * 3000);
  for (std::size_t i = 0; i < 3000; ++i) {
    REQUIRE(static_cast<unsigned char>(training[2 * i]) == i % 300 % 256);
    REQUIRE(training[2 * i + 1] == static_cast<char>(i % 300 / 256));
  }
  std::string expected;
  for (int i = 0; i < 64; ++i) expected += '\x2B', expected += '\0';  // 0x12B - 0x100 = 43
  CHECK(validating == expected);
}

TEST_CASE("export: the tokens of bin, decoded, are the text of the run") {
  const WithRun box("--tokenizer byte");  // whose tokens are the bytes
  box.exports("run bin tokens");
  const std::string training = read(box / "tokens/train.bin"),
                    validation = read(box / "tokens/val.bin"), text = read(box / "a.txt");
  std::string decoded;
  for (std::size_t i = 0; i < training.size(); i += 2) decoded += training[i];
  CHECK(decoded.size() == text.size() * 9 / 10);
  for (std::size_t i = 0; i < validation.size(); i += 2) decoded += validation[i];
  CHECK(decoded == text);
}

TEST_CASE("export: bin is refused without the run's own texts, and above 65,536 tokens") {
  const WithRun box("");
  check_refused(box.gradus("export run/model.safetensors bin x"),
                "run/model.safetensors: is not the directory of a run; bin holds the tokens of a "
                "run's texts");
  check_refused(box.gradus("export nowhere bin x"), "nowhere: is not the directory of a run");
  write(box / "a.txt", read(box / "a.txt") + "!");
  check_refused(box.gradus("export run bin x"), "a.txt: is not the text the run was started on");

  std::string text;
  for (char32_t character = 0x10000; character < 0x10000 + 65'536; ++character)
    model::append_utf8(text, character);
  write(box / "val.txt", some_text(1));
  const auto vocabulary_of = [&](const std::string& more) {
    write(box / "many.txt", text + more);
    REQUIRE(box.gradus("train many.txt --val_text many.txt --tokenizer char --max_iters 1 "
                       "--n_layer 1 --n_head 1 --n_embd 2 --block_size 8 --batch_size 1 "
                       "--arch gpt2 --optimizer adamw --eval_iters 1 --force --out_dir many")
                .status == 0);
    return box.gradus("export many bin bin" + more);
  };
  CHECK(vocabulary_of("").status == 0);
  check_refused(vocabulary_of("x"),
                "many: the vocabulary has 65,537 tokens, bin stores a token in 16 bits: 65,536 at "
                "most");
  CHECK_FALSE(std::filesystem::exists(box / "x"));
}

TEST_CASE("open: a file of PyTorch is refused by what it holds, with the script that converts it",
          "[shell]") {
  const WithRun box("");
  const std::string zeros(2000, '\0'),
      zip = "PK\x03\x04" + zeros.substr(0, 26) + "ckpt/data.pkl" + zeros,
      pickle = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19." + zeros;
  CHECK(box.shell("mkdir nano 'my nano'").status == 0);
  write(box / "nano/ckpt.pt", zip);
  write(box / "my nano/ckpt.pt", zip);
  write(box / "model.bin", pickle);
  const auto says = [](const std::string& path) {
    return path +
           ": is a file of PyTorch, which gradus does not open; python3 "
           "train/exchange/nanogpt.py --from " +
           path + " DIR makes a model of nanoGPT's ckpt.pt\n";
  };
  for (const std::string command :
       {"sample % a", "chat %", "eval % a.txt", "info %", "export % hf x", "export % gguf x",
        "train a.txt --out_dir new --init_from %"})
    for (const auto& [model, path] : {std::pair("nano/ckpt.pt", "nano/ckpt.pt"),
                                      {"nano", "nano/ckpt.pt"},
                                      {"model.bin", "model.bin"},
                                      {"'my nano'", "'my nano/ckpt.pt'"}}) {
      std::string words = command;
      words.replace(words.find('%'), 1, model);
      INFO(words);
      if (*model != '\'')
        check_refused(box.gradus(words), says(path));
      else
        check_refused(box.gradus(words), "--from 'my nano/ckpt.pt' DIR makes a model");
    }
  CHECK_FALSE(std::filesystem::exists(box / "new"));
  // A run is a run, whatever else is in its directory.
  write(box / "run/ckpt.pt", zip);
  CHECK(box.gradus("info run").status == 0);
}

TEST_CASE("open: directories of other programs with something missing", "[shell]") {
  const WithRun box("--arch gpt2 --optimizer adamw");
  box.exports("run hf hf");
  const auto refused = [&](const std::string& damage, const std::string& says) {
    CHECK(box.shell("rm -rf d && cp -r hf d && cd d && " + damage).status == 0);
    check_refused(box.gradus("eval d a.txt"), says);
  };
  refused("rm model.safetensors", "d/model.safetensors: cannot open");
  refused("rm tokenizer.json vocab.json", "d/vocab.json: cannot open");
  refused("echo '{}' > config.json", "d/config.json: \"model_type\" is missing");
  refused("head -c 1048577 /dev/zero | tr '\\0' ' ' >> config.json", "d/config.json: has 1049");
  refused("echo '[' > tokenizer.json", "d/tokenizer.json: byte 2: expected a value");
  refused("truncate -s -4 model.safetensors", "d/model.safetensors: tensor");
  refused("sed -i 's/\"vocab_size\": [0-9]*/\"vocab_size\": 5/' config.json", "d: ");
}

TEST_CASE("open: a file of weights is read once, however many names it has") {
  const WithRun box("--arch gpt2 --optimizer adamw");
  box.exports("run hf hf");
  const std::string loss = box.loss("hf");
  std::string map;
  for (int i = 0; i < 150; ++i) {
    const std::string name = "part" + std::to_string(i) + ".safetensors";
    if (i > 0)
      std::filesystem::create_hard_link(box / "hf/model.safetensors", box / ("hf/" + name));
    map += (i > 0 ? ", \"" : "\"") + std::to_string(i) + "\": \"" +
           (i > 0 ? name : "part1.safetensors") + "\"";
  }
  std::filesystem::remove(box / "hf/model.safetensors");
  write(box / "hf/model.safetensors.index.json", "{\"weight_map\": {" + map + "}}");
  CHECK(box.loss("hf") == loss);
}

TEST_CASE("open: a model of others ends no text with its separator, unless it is told to",
          "[shell]") {
  const WithRun box("--tokenizer bpe --vocab_size 280 --document_separator '<e>'");
  const std::string loss = box.loss("run");
  // As an exported file says that the run did, and as files of others, which say nothing.
  box.exports("run hf hf");
  CHECK(box.loss("hf") == loss);
  CHECK(box.shell("cp -r hf other && sed -i '/gradus_ends_texts/d' other/config.json").status == 0);
  const std::string plain = box.loss("other");
  CHECK(plain != loss);
  write(box / "ended.txt", read(box / "a.txt") + "<e>");
  CHECK(box.loss("other", "ended.txt") == loss);
  for (const std::string model : {"other", "hf", "run"}) {
    INFO(model);
    CHECK(box.loss(model, "a.txt --document_separator '<e>'") == loss);
    check_refused(box.gradus("eval " + model + " a.txt --document_separator x"),
                  "--document_separator: \"x\" is not that of the model, which has \"<e>\"");
  }

  // Fine-tuned, a model keeps to what it was fine-tuned with.
  CHECK(box.shell("mkdir two; cp a.txt two/a; cp a.txt two/b").status == 0);
  const auto tune = [&](const std::string& flags) {
    const Result tuned =
        box.gradus("train two --force --out_dir tuned --max_iters 2 --threads 1 " + flags);
    INFO(tuned.err);
    CHECK(tuned.status == 0);
    const std::size_t tokens = tuned.err.find(" tokens (bpe");
    REQUIRE(tokens != std::string::npos);
    const std::size_t begin = tuned.err.rfind(' ', tokens - 1);
    CHECK(box.loss("tuned") == box.loss("tuned/checkpoint.safetensors"));
    CHECK((box.loss("tuned", "ended.txt") == box.loss("tuned")) == (flags != "--init_from other"));
    return std::atoi(tuned.err.substr(begin).c_str());
  };
  const int without = tune("--init_from other");
  CHECK(tune("--init_from run") == without + 2);
  CHECK(tune("--init_from other --document_separator '<e>'") == without + 2);
  CHECK(box.gradus("train --resume tuned --max_iters 2 --document_separator '<e>'").status == 0);
  CHECK_THAT(box.gradus("eval other two").err,
             Catch::Contains("two (2 files): read as one text; --document_separator '<e>' ends"));
}

TEST_CASE("init_from: a run begins with the model's loss, and goes on like any other") {
  const WithRun box("--arch qwen3 --tokenizer bpe --vocab_size 280 --n_kv_head 1");
  write(box / "b.txt", some_text(41).substr(7));
  box.exports("run hf hf");
  for (const char* const model : {"run", "run/model.safetensors", "hf"}) {
    INFO(model);
    const Result tuned = box.gradus(
        "train b.txt --val_text a.txt --force --out_dir tuned "
        "--max_iters 6 --threads 1 --init_from " +
        std::string(model));
    INFO(tuned.err);
    REQUIRE(tuned.status == 0);
    const std::string loss = box.loss(model).substr(5);
    CHECK_THAT(tuned.out, Catch::Contains("val loss " + loss));
    CHECK(tuned.out.find("step 0:") < tuned.out.find("val loss " + loss));
    CHECK_THAT(tuned.err, Catch::Contains("begins with the weights of " + std::string(model)));
  }
  // Stopped and resumed, it is the run that never stopped.
  const std::string flags = " --init_from run --seed 3 --threads 1 --eval_interval 3 --dropout 0.1";
  CHECK(box.gradus("train b.txt --out_dir whole --max_iters 6" + flags).status == 0);
  CHECK(box.gradus("train b.txt --out_dir half --max_iters 3 --lr_decay_iters 6" + flags).status ==
        0);
  CHECK(box.gradus("train --resume half --max_iters 6 --threads 1").status == 0);
  CHECK(read(box / "whole/checkpoint.safetensors") == read(box / "half/checkpoint.safetensors"));

  // A shorter context is a part of the model; nothing else may be another.
  CHECK(box.gradus("train b.txt --out_dir short --max_iters 2 --block_size 4 --init_from run")
            .status == 0);
  CHECK_THAT(box.gradus("info short").out, Catch::Contains("block_size        4\n"));
  check_refused(box.gradus("train b.txt --out_dir x --block_size 9 --init_from run"),
                "--block_size: 9, but run/model.safetensors has a context of 8 tokens at most");
  check_refused(box.gradus("train b.txt --out_dir x --n_layer 2 --init_from run"),
                "--n_layer: 2, but run/model.safetensors has 1");
  check_refused(box.gradus("train b.txt --out_dir x --causal false --init_from run"),
                "--causal: false, but run/model.safetensors has true");
  write(box / "odd.txt", "\xC3\xA9\n" + some_text(9));
  CHECK(box.gradus("train a.txt --out_dir chars" + std::string(small)).status == 0);
  check_refused(box.gradus("train odd.txt --out_dir x --init_from chars"),
                "odd.txt: byte 0: the vocabulary does not know U+00E9");
  CHECK_FALSE(std::filesystem::exists(box / "x"));
}

TEST_CASE("init_from: learned positions are cut with the context") {
  const WithRun box("--arch gpt2 --optimizer adamw");
  const Result tuned = box.gradus(
      "train a.txt --out_dir short --max_iters 0 --block_size 8 --init_from run --threads 1");
  CHECK(tuned.status == 0);
  CHECK(box.loss("short") == box.loss("run"));
  CHECK(box.gradus("train a.txt --out_dir shorter --max_iters 0 --block_size 5 --init_from run")
            .status == 0);
  CHECK_THAT(box.gradus("info shorter").out, Catch::Contains("5 x 16"));
}
