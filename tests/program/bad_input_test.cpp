// Whatever is wrong with what the program is given, it says so in one line and leaves everything
// as it was: no signal, no half-made file, no output.
#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "model/format/safetensors.h"
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
    std::string all;
    for (const std::string_view piece : writer.pieces()) all += piece;
    return all;
  }
};

struct Case {
  std::string arguments;  // as a shell reads them
  int status;
  std::string says;  // somewhere in its line
};

void check_all(const Sandbox& box, const std::vector<Case>& cases) {
  const auto before = files_in(box);
  for (const Case& c : cases) {
    const auto run = box.gradus(c.arguments);
    INFO("gradus " << c.arguments << "\n" << run.status << ": " << run.err);
    CHECK(run.status == c.status);
    CHECK(run.out.empty());
    CHECK(run.err.starts_with("gradus"));
    CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
    CHECK(run.err.ends_with('\n'));
    CHECK_THAT(run.err, Catch::Contains(c.says));
  }
  CHECK(files_in(box) == before);
}

std::string with_length(std::string bytes, std::uint64_t length) {
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes;
}

}  // namespace

TEST_CASE("bad input: on the command line") {
  const Sandbox box;
  program::write(box / "a.txt", std::string(5000, 'a'));
  std::vector<Case> cases = {
      {"", 2, "no command"},
      {"trian a.txt", 2, "did you mean train?"},
      {"'' a.txt", 2, "unknown command"},
      {"train", 2, "TEXT: missing"},
      {"train ''", 2, "empty"},
      {"sample", 2, "MODEL: missing"},
      {"eval", 2, "MODEL: missing"},
      {"eval m", 2, "TEXT: missing"},
      {"info", 2, "MODEL: missing"},
      {"info m n", 2, "one argument too many"},
      {"train a.txt --n_layr 4", 2, "--n_layr: unknown flag; did you mean --n_layer?"},
      {"train a.txt --n_layer", 2, "--n_layer: the value is missing"},
      {"train a.txt --n_layer --n_head 2", 2, "--n_layer: the value is missing"},
      {"train a.txt -x", 2, "-x: unknown flag"},
      {"train a.txt --temperature 1", 2, "--temperature: is not for gradus train"},
      {"sample m --max_iters 1", 2, "--max_iters: is not for gradus sample"},
      {"train a.txt --n_embd 128 --n_head 3", 2,
       "--n_head: 128 channels are not divisible by 3 heads"},
      {"train a.txt --tokenizer chr", 2, "--tokenizer: \"chr\" is not one of char, byte"},
      {"train a.txt --activation swish", 2, "is not one of gelu"},
      {"train a.txt --bias maybe", 2, "--bias: \"maybe\" is not true or false"},
      {"train a.txt --out_dir ''", 2, "--out_dir: \"\" is empty"},
      {"train a.txt --resume out --force", 2, "--force"},
      {"train a.txt --init_from gpt2", 1,
       "gpt2: cannot open: No such file or directory; gradus "
       "downloads nothing"},
      {"train a.txt --config none.py", 1, "none.py: cannot open: No such file or directory"},
      {"train a.txt --config .", 1, ".: is a directory, expected a file"},
      {"train a.txt --seed 99999999999999999999", 2, "--seed: "},
      {"train a.txt --\x1b[31m=1", 2, "\\x1b[31m"},
      {"train a.txt --n_layer '1\n2'", 2, "\"1\\n2\""},
      {"train a.txt --n_layer 1000 --n_embd 65536 --n_head 1 --block_size 64", 1, "memory"},
      {"train --resume none", 1, "none"},
  };
  // Every kind of number, against every kind of thing that is none.
  for (const char* flag : {"--max_iters", "--n_layer", "--eval_iters", "--threads"})
    for (const char* value : {"10x", "''", "1e400", "nan", "inf", "-5", "12345678901234567890",
                              "' 1'", "+1", "0x10", "1.5", "1,000"})
      cases.push_back({std::string("train a.txt ") + flag + " " + value, 2, flag});
  for (const char* flag : {"--dropout", "--learning_rate", "--beta1"})
    for (const char* value : {"0.1x", "''", "1e400", "nan", "-inf", "-5", "1e-400", "0,1", "."})
      cases.push_back({std::string("train a.txt ") + flag + " " + value, 2, flag});
  check_all(box, cases);
}

TEST_CASE("bad input: in config files and texts", "[shell]") {
  const Sandbox box;
  program::write(box / "a.txt", std::string(5000, 'a') + "b");
  std::vector<Case> cases;
  const auto config = [&](const std::string& contents, const std::string& says) {
    const std::string name = "c" + std::to_string(cases.size()) + ".py";
    program::write(box / name, contents);
    cases.push_back({"train a.txt --config " + name, 1, name + ": " + says});
  };
  config("n_layer", "line 1: expected key = value");
  config("\n\nn_layr = 6", "line 3: n_layr: unknown key; did you mean n_layer?");
  config("n_layer = six", "line 1: expected a number");
  config("n_layer = 2 *", "line 1: expected a number");
  config("n_layer = '6'", "line 1: n_layer: \"6\" is a string");
  config("n_layer = 0", "line 1: n_layer: \"0\" is not in 1..1000");
  config("max_iters = 9223372036854775807 * 9", "line 1: max_iters: ");
  config("learning_rate = 1e300 * 1e300", "line 1: learning_rate: ");
  config("out_dir = 'x", "line 1: expected ' at the end");
  config("init_from = 'resume'", "line 1: init_from: \"resume\" is not supported");
  config("for i in range(3): pass", "line 1: expected key = value");
  config(std::string("a\0b = 1", 7), "line 1: expected key = value");
  config(std::string((1 << 20) - 2, '#') + "\nx", "line 2: expected key = value");
  config(std::string((1 << 20) + 1, '#'), "has 1048577 bytes, expected at most 1048576");

  program::write(box / "empty.txt", "");
  program::write(box / "one.txt", "x");
  program::write(box / "short.txt", std::string(48, 'x'));
  program::write(box / "latin1.txt", "caf\xe9 " + std::string(5000, 'x'));
  box.shell("mkdir folder; mkfifo pipe; touch 'line\nend'");
  for (const auto& [text, says] : std::map<std::string, std::string>{
           {"none.txt", "none.txt: cannot open: No such file or directory"},
           {"folder", "folder: is a directory without a text in it"},
           {"pipe", "pipe: is a pipe"},
           {"/dev/zero", "/dev/zero: is a device"},
           {"/dev/null", "/dev/null: is a device"},
           {"a.txt/b", "a.txt/b: cannot open: Not a directory"},
           {"empty.txt", "empty.txt: is empty"},
           {"'line\nend'", "line\\nend: is empty"},
           {"one.txt", "one.txt: training has 0 tokens, block_size 1 needs 2"},
           {"short.txt --block_size 64",
            "short.txt: validation has 5 tokens, block_size 64 needs 65; --block_size 4"},
           {"a.txt --block_size 4000",
            "a.txt: validation has 501 tokens, block_size 4,000 needs 4,001; --block_size 500"},
           {"latin1.txt --tokenizer char", "latin1.txt: byte 3"},
           {"a.txt none.txt", "none.txt: cannot open"},
           {"a.txt --out_dir a.txt", "a.txt: cannot create: File exists"},
           {"a.txt --out_dir a.txt/b", "a.txt: cannot create: File exists"},
           {"a.txt --out_dir /proc/x", "/proc/x: cannot create: "}})
    cases.push_back({"train " + text, 1, says});
  check_all(box, cases);
}

TEST_CASE("bad input: in model files and prompts", "[posix]") {
  const Sandbox box;
  program::write(box / "a.txt", [] {
    std::string text;
    for (int i = 0; i < 200; ++i) text += "the cat and dog " + std::to_string(i) + "\n";
    return text;
  }());
  REQUIRE(box.gradus("train a.txt --out_dir run --max_iters 1 --n_layer 1 --n_head 1 --n_embd 8 "
                     "--block_size 8 --batch_size 1 --arch gpt2")
              .status == 0);
  const std::string good = program::read(box / "run/model.safetensors");
  std::vector<Case> cases;
  const auto model = [&](const std::string& bytes, const std::string& says) {
    const std::string name = "m" + std::to_string(cases.size()) + ".safetensors";
    program::write(box / name, bytes);
    cases.push_back({(cases.size() % 2 ? "sample " : "info ") + name, 1, name + ": " + says});
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
           {"sample run --prompt XYZ", "--prompt: byte 0: the vocabulary does not know 'X'"},
           {"sample run --prompt \"$(printf '\\377')\"", "byte 0"},
           {"sample run --prompt FILE:none", "none: cannot open"},
           {"eval run none", "none: cannot open"},
           {"eval run m0.safetensors", "m0.safetensors: "},
           {"train --resume m0.safetensors", "m0.safetensors"}})
    cases.push_back({arguments, 1, says});
  check_all(box, cases);
}
