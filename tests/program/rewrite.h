// A .safetensors file of ours with other contents and the right checksum, as only a person or
// another program would write it.
#pragma once

#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/format/safetensors.h"
#include "tests/pieces.h"
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
  return joined_pieces(writer.pieces());
}

// Other values under some keys of the metadata.
inline std::string with_settings(const std::string& bytes,
                                 const std::map<std::string, std::string>& values) {
  return rewritten(
      bytes,
      [&](const std::string& key, const std::string& text) {
        const auto found = values.find(key);
        return std::optional(found == values.end() ? text : found->second);
      },
      [](const std::string&, std::vector<float>&) {});
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
