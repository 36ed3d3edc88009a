// What gradus export writes, byte by byte, and what it does at limits; the rest is in export.t. make interop
// checks that the real programs agree.
#include "model/base/utf8.h"
#include "model/format/safetensors.h"
#include "tests/pieces.h"
#include "tests/program/run.h"

using program::read;
using program::Result;
using program::Sandbox;
using program::write;

namespace {

const std::string small =
    " --max_iters 4 --n_layer 1 --n_head 2 --n_embd 16 --block_size 8 --batch_size 2 --threads 1"
    " --seed 1 --dtype float32 ";

// A sandbox with a run in `run`.
struct WithRun : program::WithTale {
  explicit WithRun(const std::string& flags) {
    done("train tale.txt --out_dir run" + small + flags);
  }
  std::string loss(const std::string& model) const {
    const std::string out = done("eval " + model + " tale.txt").out;
    return out.substr(0, out.find('\n'));
  }
  void exports(const std::string& arguments) const { CHECK(done("export " + arguments).out == ""); }
  // In the place of hf/model.safetensors, the files that hold its tensors.
  void set_index(const std::string& files_of_tensors) const {
    std::filesystem::remove(*this / "hf/model.safetensors");
    write(*this / "hf/model.safetensors.index.json",
          "{\"weight_map\": {" + files_of_tensors + "}}");
  }
};

}  // namespace

TEST_CASE("export: without room on the disk nothing is left", "[shell]") {
  const WithRun box("--arch qwen3");
  program::check_refused(box.shell("ulimit -S -f 8; \"$GRADUS\" export run hf z"),
                         "File too large");
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
  box.done(
      "train a.txt --val_text b.txt --tokenizer char --arch qwen3 --max_iters 1 "
      "--out_dir run" +
      small);
  const Result done = box.done("export run bin tokens");
  CHECK(done.out.empty());
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

TEST_CASE("export: bin is refused above 65,536 tokens") {
  const Sandbox box;
  std::string text;
  for (char32_t character = 0x10000; character < 0x10000 + 65'536; ++character)
    model::append_utf8(text, character);
  write(box / "val.txt", text.substr(0, 80));  // 20 characters
  const auto vocabulary_of = [&](const std::string& more) {
    write(box / "many.txt", text + more);
    box.done(
        "train many.txt --val_text val.txt --tokenizer char --max_iters 1 "
        "--n_layer 1 --n_head 1 --n_embd 2 --block_size 8 --batch_size 1 "
        "--arch gpt2 --optimizer adamw --eval_iters 1 --force --out_dir many");
    return box.gradus("export many bin bin" + more);
  };
  CHECK(vocabulary_of("").status == 0);
  program::check_refused(vocabulary_of("x"), "many: the vocabulary has 65,537 tokens");
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
  box.set_index(map);
  CHECK(box.loss("hf") == loss);
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
    const std::string all = joined_pieces(writer.pieces());
    write(box / ("hf/" + name), all);
    bytes += static_cast<double>(all.size());
  }
  box.set_index(map);
  CHECK(box.loss("hf") == loss);
  const Result info = box.gradus("info hf");
  const std::size_t comma = info.out.find(" parameters, ");
  REQUIRE(comma != info.out.npos);
  CHECK(std::stod(info.out.substr(comma + 13)) == Approx(bytes / 1e6).margin(0.05));
}
