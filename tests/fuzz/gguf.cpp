// The GGUF reader on bytes as they come. What it accepts lies within the file, each value has
// exactly the types that its accessors allow, and what the writer can say is the same after being
// written and read again.
#include "model/exchange/container/gguf.h"

#include <string>
#include <vector>

#include "tests/fuzz/fuzz.h"

using model::GgufFile;
using model::TensorEntry;

namespace {

void check_tensors(const GgufFile& file, std::string_view bytes) {
  const char* end = bytes.data();
  for (const TensorEntry& tensor : file.tensors()) {
    fuzz::demand(tensor.data.data() >= end);
    end = tensor.data.data() + tensor.data.size();
    fuzz::demand(file.find(tensor.name) == &tensor);
    std::vector<engine::real> values(static_cast<std::size_t>(tensor.count()));
    fuzz::accepts([&] { model::copy_values(tensor, values); });
  }
  fuzz::demand(end <= bytes.data() + bytes.size());
}

// Asks for each key as every type, and gives the writer what can be had.
void check_keys(const GgufFile& file, model::GgufWriter& writer) {
  std::string_view before;
  for (const std::string_view key : file.keys()) {
    fuzz::demand(file.contains(key) && (before.empty() || before < key));
    before = key;
    const bool has_integer = fuzz::accepts([&] { file.integer(key); });
    const bool has_number = fuzz::accepts([&] { file.number(key); });
    fuzz::demand(has_number || !has_integer);
    const int others =
        fuzz::accepts([&] { writer.add_text(key, file.text(key)); }) +
        fuzz::accepts([&] { writer.add_boolean(key, file.boolean(key)); }) +
        fuzz::accepts([&] { file.integers(key); }) + fuzz::accepts([&] {
          const auto texts = file.texts(key);
          writer.add_texts(key, std::vector<std::string>(texts.begin(), texts.end()));
        });
    fuzz::demand(has_number + others <= 1);
  }
}

void check_again(const GgufFile& file, model::GgufWriter& writer) {
  for (const TensorEntry& tensor : file.tensors())
    fuzz::accepts([&] { writer.add(tensor.name, tensor.shape, tensor.dtype, tensor.data); });
  std::string bytes;
  for (const std::string_view piece : writer.pieces()) bytes += piece;
  const GgufFile again(bytes);
  for (const std::string_view key : again.keys()) {
    fuzz::accepts([&] { fuzz::demand(again.text(key) == file.text(key)); });
    fuzz::accepts([&] { fuzz::demand(again.boolean(key) == file.boolean(key)); });
    fuzz::accepts([&] { fuzz::demand(again.texts(key) == file.texts(key)); });
  }
  for (const TensorEntry& tensor : again.tensors()) {
    const TensorEntry* const first = file.find(tensor.name);
    fuzz::demand(first != nullptr && first->shape == tensor.shape && first->data == tensor.data &&
                 first->dtype == tensor.dtype);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::bytes_of(data, size);
  fuzz::accepts([&] {
    const GgufFile file(bytes);
    check_tensors(file, bytes);
    model::GgufWriter writer;
    check_keys(file, writer);
    check_again(file, writer);
  });
  return 0;
}
