// A .safetensors file of ours with other contents and the right checksum, as only a person or
// another program would write it.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "model/format/safetensors.h"
#include "tests/program/run.h"

namespace program {

// value(key, text) returns what stands under a metadata key, nullopt to leave it out; change(name,
// values) may change a tensor.
template <class Value, class Change>
std::string rewritten(const std::string& bytes, Value value, Change change) {
  const model::SafetensorsFile file(bytes);
  model::SafetensorsWriter writer;
  for (const auto& [key, text] : file.metadata())
    if (const std::optional<std::string> kept = value(key, text)) writer.add_metadata(key, *kept);
  std::vector<std::vector<float>> tensors;
  for (const model::TensorEntry& tensor : file.tensors()) {
    std::vector<float>& values = tensors.emplace_back(static_cast<std::size_t>(tensor.count()));
    std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
    change(tensor.name, values);
    writer.add(tensor.name, tensor.shape, values);
  }
  std::string file_bytes;
  for (const std::string_view piece : writer.pieces()) file_bytes += piece;
  return file_bytes;
}

// What a file of a run says under this key.
inline std::string setting_of(const std::filesystem::path& file, const std::string& key) {
  const std::string bytes = read(file);
  const model::SafetensorsFile read_file(bytes);
  const auto found = read_file.metadata().find(key);
  return found == read_file.metadata().end() ? "(none)" : found->second;
}

// The step at which a checkpoint was written.
inline std::string step_of(const std::filesystem::path& checkpoint) {
  return setting_of(checkpoint, "step");
}

}  // namespace program
