// What gradus export writes, byte by byte, and what it does at limits; the rest is in export.t. make interop
// checks that the real programs agree.
#include "model/base/utf8.h"
#include "model/format/safetensors.h"
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

TEST_CASE("export: without room on the disk nothing is left", "[shell]") {
  const WithRun box("--arch qwen3");
  const Result full = box.shell("ulimit -f 8; \"$GRADUS\" export run hf z");
  CHECK(full.status == 1);
  CHECK_THAT(full.err, Catch::Contains("File too large"));
  CHECK_FALSE(std::filesystem::exists(box / "z"));
  CHECK_FALSE(std::filesystem::exists(box / ".z.gradus-1"));
}

TEST_CASE("export: bin has the tokens of a run of any kind, two bytes each, the lower one first") {
  // 300 characters with the ids 0 to 299, in order.
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
        "train.bin has 3,000 tokens, val.bin 64, of a vocabulary of 300; for nanoGPT, copy the "
        "directory to its data/NAME and run train.py --dataset=NAME\nwrote tokens\n");
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
  const WithRun box("--tokenizer byte");  // its tokens are the bytes
  box.exports("run bin tokens");
  const std::string training = read(box / "tokens/train.bin"),
                    validation = read(box / "tokens/val.bin"), text = read(box / "a.txt");
  std::string decoded;
  for (std::size_t i = 0; i < training.size(); i += 2) decoded += training[i];
  CHECK(decoded.size() == text.size() * 9 / 10);
  for (std::size_t i = 0; i < validation.size(); i += 2) decoded += validation[i];
  CHECK(decoded == text);
}

TEST_CASE("export: bin is refused above 65,536 tokens") {
  const Sandbox box;
  std::string text;
  for (char32_t character = 0x10000; character < 0x10000 + 65'536; ++character)
    model::append_utf8(text, character);
  write(box / "val.txt", text.substr(0, 80));  // 20 characters
  const auto vocabulary_of = [&](const std::string& more) {
    write(box / "many.txt", text + more);
    REQUIRE(box.gradus("train many.txt --val_text val.txt --tokenizer char --max_iters 1 "
                       "--n_layer 1 --n_head 1 --n_embd 2 --block_size 8 --batch_size 1 "
                       "--arch gpt2 --optimizer adamw --eval_iters 1 --force --out_dir many")
                .status == 0);
    return box.gradus("export many bin bin" + more);
  };
  CHECK(vocabulary_of("").status == 0);
  check_refused(vocabulary_of("x"),
                "many: the vocabulary has 65,537 tokens, bin stores a token in 16 bits: 65,536 at "
                "most");
  CHECK_FALSE(std::filesystem::exists(box / "binx"));
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

TEST_CASE("open: an old directory's vocab.json and merges.txt end no text either", "[shell]") {
  const WithRun box("--tokenizer bpe --vocab_size 280 --document_separator '<|endoftext|>'");
  box.exports("run hf hf");
  CHECK(box.shell("sed -i '/gradus_ends_texts/d' hf/config.json").status == 0);
  const std::string plain = box.loss("hf");
  CHECK(plain != box.loss("run"));
  CHECK(box.shell("rm hf/tokenizer.json && ls hf/vocab.json hf/merges.txt").status == 0);
  CHECK(box.loss("hf") == plain);
}

TEST_CASE("open: a model in several files is one, and its size is theirs together") {
  const WithRun box("--arch gpt2 --optimizer adamw --n_embd 256 --n_layer 3");
  box.exports("run hf hf");
  const std::string loss = box.loss("hf"), whole = read(box / "hf/model.safetensors");
  const model::SafetensorsFile file(whole, model::FileOf::others);
  const std::size_t count = file.tensors().size();
  std::string map;
  double bytes = 0;
  for (std::size_t part = 0; part < 3; ++part) {
    const std::string name = "part" + std::to_string(part) + ".safetensors";
    model::SafetensorsWriter writer(model::FileOf::others);
    for (std::size_t i = part * count / 3; i < (part + 1) * count / 3; ++i) {
      const model::TensorEntry& tensor = file.tensors()[i];
      writer.add(tensor.name, tensor.shape, tensor.dtype, tensor.data);
      map += (map.empty() ? "\"" : ", \"") + std::string(tensor.name) + "\": \"" + name + "\"";
    }
    std::string all;
    for (const std::string_view piece : writer.pieces()) all += piece;
    write(box / ("hf/" + name), all);
    bytes += static_cast<double>(all.size());
  }
  std::filesystem::remove(box / "hf/model.safetensors");
  write(box / "hf/model.safetensors.index.json", "{\"weight_map\": {" + map + "}}");
  CHECK(box.loss("hf") == loss);
  const Result info = box.gradus("info hf");
  const std::size_t comma = info.out.find(" parameters, ");
  REQUIRE(comma != info.out.npos);
  CHECK(std::stod(info.out.substr(comma + 13)) == Approx(bytes / 1e6).margin(0.05));
}

TEST_CASE("open: a model of others ends no text with its separator, unless it is told to",
          "[shell]") {
  const WithRun box("--tokenizer bpe --vocab_size 280 --document_separator '<e>'");
  const std::string loss = box.loss("run");
  // With an exported file, which says what the run did, and with files of others, which do not.
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
                  "--document_separator: \"x\" is not the model's separator, which is \"<e>\"");
  }

  // A fine-tuned model does as in fine-tuning.
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
