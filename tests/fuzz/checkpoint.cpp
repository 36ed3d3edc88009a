// A checkpoint with its checksum put right after every mutation.
#include "train/checkpoint.h"

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/put_right.h"

namespace {

// The states of the two generators would be most of a file, in digits that are all alike: a '+'
// stands for such a state.
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

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = fuzz::put_right(with_generators(fuzz::bytes_of(data, size)));
  fuzz::accepts([&] { train::read_checkpoint(model::SafetensorsFile(bytes)); });
  return 0;
}
