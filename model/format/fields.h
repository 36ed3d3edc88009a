// Settings as text and back, for the metadata of a file. A struct lists its members once,
//
//     template <class F> void reflect(F&& field) { field("n_layer", n_layer); ... }
//
// and writing, reading and comparing derive from that list, as with the parameters of a module.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/format/safetensors.h"
#include "nn/layers.h"

namespace model {

std::string field_text(Index value);
std::string field_text(std::uint64_t value);
std::string field_text(double value);
std::string field_text(bool value);
std::string field_text(nn::Activation value);
inline const std::string& field_text(const std::string& value) { return value; }

// Errors name the key, the text and what was expected.
void parse_field(std::string_view key, const std::string& text, Index& value);  // >= 0
void parse_field(std::string_view key, const std::string& text, std::uint64_t& value);
void parse_field(std::string_view key, const std::string& text, double& value);
void parse_field(std::string_view key, const std::string& text, bool& value);
void parse_field(std::string_view key, const std::string& text, nn::Activation& value);
inline void parse_field(std::string_view, const std::string& text, std::string& value) {
  value = text;
}

// The text under a key that has to be there.
const std::string& metadata_text(const Metadata& metadata, std::string_view key);

template <class T>
T metadata_value(const Metadata& metadata, std::string_view key) {
  T value{};
  parse_field(key, metadata_text(metadata, key), value);
  return value;
}

template <class Settings>
void add_fields(SafetensorsWriter& writer, Settings settings) {
  settings.reflect(
      [&](std::string_view key, auto& value) { writer.add_metadata(key, field_text(value)); });
}

template <class Settings>
void read_fields(const Metadata& metadata, Settings& settings) {
  settings.reflect([&](std::string_view key, auto& value) {
    parse_field(key, metadata_text(metadata, key), value);
  });
}

}  // namespace model
