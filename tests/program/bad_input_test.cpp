// For any fault in a model's file, the program prints one line and changes nothing: no signal, no
// half-made file, no output. Command lines and configs are in mistakes.t, texts, metadata and prompts
// in bad_input.t.
#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/format/safetensors.h"
#include "tests/pieces.h"
#include "tests/program/run.h"

using program::files_in;
using program::Sandbox;

namespace {

// A model file with other tensors and everything about it made right again.
std::string with_tensors(const std::string& bytes,
                         const std::function<void(std::vector<model::TensorEntry>&)>& change) {
  const model::SafetensorsFile file(bytes);
  std::vector<model::TensorEntry> tensors(file.tensors().begin(), file.tensors().end());
  change(tensors);
  model::SafetensorsWriter writer;
  for (const auto& [key, value] : file.metadata()) writer.add_metadata(key, value);
  for (const model::TensorEntry& t : tensors) writer.add(t.name, t.shape, t.dtype, t.data);
  return joined_pieces(writer.pieces());
}

std::string with_length(std::string bytes, std::uint64_t length) {
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes;
}

}  // namespace

TEST_CASE("bad input: in model files") {
  const Sandbox box;
  program::write(box / "a.txt", program::tale(200));
  box.done(
      "train a.txt --out_dir run --max_iters 1 --n_layer 1 --n_head 1 --n_embd 8 "
      "--block_size 8 --batch_size 1 --arch gpt2");
  const std::string good = program::read(box / "run/model.safetensors");
  using Size = std::size_t;
  std::vector<std::string> files;
  for (const Size size :
       {Size{0}, Size{1}, Size{7}, Size{8}, Size{100}, good.size() / 2, good.size() - 1})
    files.push_back(good.substr(0, size));
  for (const Size place : {Size{0}, Size{5}, Size{9}, Size{40}, good.size() / 2, good.size() - 1}) {
    files.push_back(good);
    files.back()[place] ^= 16;
  }
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{good.size()},
                                     std::uint64_t{1} << 63, ~std::uint64_t{0}})
    files.push_back(with_length(good, length));
  files.push_back(with_tensors(good, [](auto& tensors) { tensors.pop_back(); }));
  files.push_back(with_tensors(good, [](auto& tensors) { tensors[0].name = "other"; }));
  files.push_back(with_tensors(
      good, [](auto& tensors) { std::swap(tensors[0].shape[0], tensors[0].shape[1]); }));
  files.push_back(good + '\0');  // the last
  for (Size i = 0; i < files.size(); ++i) {
    program::write(box / "m.safetensors", files[i]);
    const auto before = files_in(box / "");
    const std::string command = i % 2 ? "sample" : "info";
    INFO("file " << i << ", " << command);
    const auto run = box.gradus(command + " m.safetensors");
    program::check_refused(run, "gradus " + command + ": m.safetensors: " +
                                    (i + 1 < files.size() ? "" : "the last tensor ends at byte"));
    CHECK(run.out.empty());
    CHECK(run.err.ends_with('\n'));
    CHECK(files_in(box / "") == before);
  }
}
