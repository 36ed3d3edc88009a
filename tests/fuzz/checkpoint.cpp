// A checkpoint with its checksum put right after every mutation, read as far as --resume goes. What
// is accepted is the same after being written and read again.
#include "train/run/checkpoint.h"

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/safetensors_file.h"

namespace {

// A '+' stands for the state of a generator.
std::string with_generators(std::string_view bytes) {
  static const std::string state = engine::Generator(1).state();
  constexpr std::string_view sign = "generator\":\"+";
  std::string file(bytes);
  for (std::size_t at = 0, n = 0; n < 2 && (at = file.find(sign, at)) != std::string::npos; ++n) {
    at += sign.size() - 1;
    file.replace(at, 1, state);
  }
  return file;
}

// Reads a checkpoint and writes it.
std::string again(const std::string& bytes) {
  train::Run run = train::read_checkpoint(model::SafetensorsFile(bytes));
  auto writer = train::checkpoint_file(run);
  return joined_pieces(writer.pieces());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = fuzz::put_right(with_generators(fuzz::bytes_of(data, size)));
  fuzz::accepts([&] {
    const std::string once = again(bytes);
    fuzz::demand(again(once) == once);
  });
  return 0;
}
