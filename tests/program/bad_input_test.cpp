// For any fault in a model's file, the program prints one line and changes nothing: no signal, no
// half-made file, no output. Command lines and configs are in mistakes.t, texts in
// bad_input.t.
#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "model/format/safetensors.h"
#include "tests/pieces.h"
#include "tests/program/run.h"

using program::Sandbox;

namespace {

// The contents of all files, but those Sandbox makes for itself.
std::map<std::string, std::string> files_in(const Sandbox& box) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(box / "")) {
    const std::string name = std::filesystem::relative(entry.path(), box / "").generic_string();
    if (name[0] != '.') files[name] = entry.is_regular_file() ? program::read(entry.path()) : "";
  }
  return files;
}

// A model file with something changed and everything about it made right again.
struct Edited {
  model::Metadata metadata;
  struct Tensor {
    std::string name;
    std::vector<engine::Index> shape;
    std::vector<engine::real> values;
  };
  std::vector<Tensor> tensors;

  explicit Edited(const std::string& bytes) {
    const model::SafetensorsFile file(bytes);
    metadata = file.metadata();
    for (const model::TensorEntry& entry : file.tensors()) {
      tensors.push_back({entry.name, entry.shape, {}});
      tensors.back().values.resize(static_cast<std::size_t>(entry.count()));
      copy_values(entry, tensors.back().values);
    }
  }
  std::string bytes() const {
    model::SafetensorsWriter writer;
    for (const auto& [key, value] : metadata) writer.add_metadata(key, value);
    for (const Tensor& t : tensors)
      writer.add(t.name, t.shape, std::span<const engine::real>(t.values));
    return joined_pieces(writer.pieces());
  }
};

struct Case {
  std::string arguments;  // as a shell reads them
  std::string says;       // somewhere in its line
};

void check_all(const Sandbox& box, const std::vector<Case>& cases) {
  const auto before = files_in(box);
  for (const Case& c : cases) {
    INFO("gradus " << c.arguments);
    const auto run = box.gradus(c.arguments);
    program::check_refused(run, c.says);
    CHECK(run.out.empty());
    CHECK(run.err.ends_with('\n'));
  }
  CHECK(files_in(box) == before);
}

std::string with_length(std::string bytes, std::uint64_t length) {
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes;
}

}  // namespace

TEST_CASE("bad input: in model files and prompts", "[posix]") {
  const Sandbox box;
  program::write(box / "a.txt", program::tale(200));
  box.done(
      "train a.txt --out_dir run --max_iters 1 --n_layer 1 --n_head 1 --n_embd 8 "
      "--block_size 8 --batch_size 1 --arch gpt2");
  const std::string good = program::read(box / "run/model.safetensors");
  std::vector<Case> cases;
  const auto model = [&](const std::string& bytes, const std::string& says) {
    const std::string name = "m" + std::to_string(cases.size()) + ".safetensors";
    program::write(box / name, bytes);
    cases.push_back({(cases.size() % 2 ? "sample " : "info ") + name, name + ": " + says});
  };
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{8},
                                 std::size_t{100}, good.size() / 2, good.size() - 1})
    model(good.substr(0, size), "");
  model(good + '\0', "the last tensor ends at byte");
  for (const std::size_t place : {std::size_t{0}, std::size_t{5}, std::size_t{9}, std::size_t{40},
                                  good.size() / 2, good.size() - 1}) {
    std::string damaged = good;
    damaged[place] ^= 16;
    model(damaged, "");
  }
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{good.size()},
                                     std::uint64_t{1} << 63, ~std::uint64_t{0}})
    model(with_length(good, length), "");
  const auto edited = [&](const std::function<void(Edited&)>& edit, const std::string& says) {
    Edited file(good);
    edit(file);
    model(file.bytes(), says);
  };
  const auto set = [](const std::string& key, const std::string& value) {
    return [=](Edited& file) { file.metadata[key] = value; };
  };
  edited(set("n_layer", "2"), "");
  edited(set("n_layer", "-1"), "");
  edited(set("n_layer", "99999999999999999999"), "");
  edited(set("n_embd", "16"), "");
  edited(set("n_head", "3"), "");
  edited(set("vocab_size", "1"), "");
  edited(set("vocab_size", "2147483647"), "");
  edited(set("block_size", "9"), "");
  edited(set("dropout", "nan"), "");
  edited(set("bias", "maybe"), "");
  edited(set("activation", "swish"), "");
  edited(set("tokenizer", "{}"), "");
  edited(set("tokenizer", R"({"kind":"none"})"), "");
  edited([](Edited& file) { file.metadata.erase("n_embd"); }, "");
  edited([](Edited& file) { file.tensors.pop_back(); }, "");
  edited([](Edited& file) { file.tensors[0].name = "other"; }, "");
  edited([](Edited& file) { std::swap(file.tensors[0].shape[0], file.tensors[0].shape[1]); }, "");
  edited(
      [](Edited& file) {
        file.tensors[1].values[3] = std::numeric_limits<engine::real>::quiet_NaN();
      },
      "tensor \"transformer.wpe.weight\": element 3 is nan, expected a finite number");
  for (const auto& [arguments, says] : std::map<std::string, std::string>{
           {"sample none", "none: cannot open"},
           {"sample a.txt", "a.txt: "},
           {"sample /dev/zero", "/dev/zero: is a device"},
           {"sample run --prompt XYZ", "--prompt: byte 0: 'X' is not in the vocabulary"},
           {"sample run --prompt \"$(printf '\\377')\"", "byte 0"},
           {"sample run --prompt FILE:none", "none: cannot open"},
           {"eval run none", "none: cannot open"},
           {"eval run m0.safetensors", "m0.safetensors: "},
           {"train --resume m0.safetensors", "m0.safetensors"}})
    cases.push_back({arguments, says});
  check_all(box, cases);
}
