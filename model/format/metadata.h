// Single values in a file's metadata: whole numbers, floating-point numbers and texts under their
// keys. The settings of a model and of a run are read and written by their tables (setting.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/format/safetensors.h"

namespace model {

std::string field_text(Index value);
std::string field_text(std::uint64_t value);
std::string field_text(double value);  // the shortest digits that parse_field reads back exactly

// Parse `text`, the value of `key`. Errors name the key, the text and what was expected.
void parse_field(std::string_view key, const std::string& text, Index& value);  // >= 0
void parse_field(std::string_view key, const std::string& text, std::uint64_t& value);
void parse_field(std::string_view key, const std::string& text, double& value);

// The text under `key`; an error if there is none.
const std::string& metadata_text(const Metadata& metadata, std::string_view key);

template <class T>
T metadata_value(const Metadata& metadata, std::string_view key) {
  T value{};
  parse_field(key, metadata_text(metadata, key), value);
  return value;
}

}  // namespace model
