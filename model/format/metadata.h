// Single values in a file's metadata: whole numbers, numbers and texts under their keys. The settings
// of a model and of a run are read and written by their tables (setting.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/format/safetensors.h"

namespace model {

std::string field_text(Index value);
std::string field_text(std::uint64_t value);
std::string field_text(double value);  // the shortest digits that are read back as the same value

// Errors name the key, the text and what was expected.
void parse_field(std::string_view key, const std::string& text, Index& value);  // >= 0
void parse_field(std::string_view key, const std::string& text, std::uint64_t& value);
void parse_field(std::string_view key, const std::string& text, double& value);

// The text under a key that has to be there.
const std::string& metadata_text(const Metadata& metadata, std::string_view key);

template <class T>
T metadata_value(const Metadata& metadata, std::string_view key) {
  T value{};
  parse_field(key, metadata_text(metadata, key), value);
  return value;
}

}  // namespace model
