// A checkpoint with its checksum put right after every mutation.
#include "train/checkpoint.h"

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/put_right.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = fuzz::put_right(fuzz::bytes_of(data, size));
  fuzz::accepts([&] { train::read_checkpoint(model::SafetensorsFile(bytes)); });
  return 0;
}
