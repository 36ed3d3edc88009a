// The safetensors reader on bytes as they come. What it accepts covers the file exactly, and is
// the same after being written and read again.
#include "model/format/safetensors.h"

#include <algorithm>
#include <vector>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/safetensors_file.h"

using model::SafetensorsFile;
using model::TensorEntry;

namespace {

void check_cover(const SafetensorsFile& file, std::string_view bytes) {
  if (file.tensors().empty()) return;
  const char* end = file.tensors().front().data.data();
  for (const TensorEntry& tensor : file.tensors()) {
    fuzz::demand(tensor.data.data() == end);
    end += tensor.data.size();
    fuzz::demand(file.find(tensor.name) == &tensor);
  }
  fuzz::demand(end == bytes.data() + bytes.size());
}

void check_again(const SafetensorsFile& file) {
  std::vector<std::vector<engine::real>> values;
  model::SafetensorsWriter writer;
  for (const auto& [key, value] : file.metadata()) writer.add_metadata(key, value);
  for (const TensorEntry& tensor : file.tensors()) {
    values.emplace_back(static_cast<std::size_t>(tensor.count()));
    model::copy_values(tensor, values.back());  // refuses values that are not finite
    writer.add(tensor.name, tensor.shape, std::span<const engine::real>(values.back()));
  }
  const std::string bytes = joined_pieces(writer.pieces());
  const SafetensorsFile again(bytes);
  fuzz::demand(again.metadata() == file.metadata());
  fuzz::demand(std::ranges::equal(again.tensors(), file.tensors(), [](auto& a, auto& b) {
    return a.name == b.name && a.shape == b.shape;
  }));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::bytes_of(data, size);
  fuzz::accepts([&] {
    const SafetensorsFile file(bytes, model::FileOf::others);
    check_cover(file, bytes);
    check_again(file);
  });
  return 0;
}
