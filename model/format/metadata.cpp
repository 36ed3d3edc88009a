#include "model/format/metadata.h"

#include "engine/base/check.h"
#include "engine/base/number.h"

namespace model {

using engine::check;

std::string field_text(Index value) { return std::to_string(value); }
std::string field_text(std::uint64_t value) { return std::to_string(value); }
std::string field_text(double value) { return engine::number_text(value); }

namespace {

template <class T>
void parse(std::string_view key, const std::string& text, T& value, const char* expected) {
  check(engine::parse_number(text, value) == engine::Parsed::ok, "metadata \"", key,
        "\": ", engine::in_quotes(text), " is not ", expected);
}

}  // namespace

void parse_field(std::string_view key, const std::string& text, Index& value) {
  parse(key, text, value, "a whole number");
  check(value >= 0, "metadata \"", key, "\": ", value, " is negative");
}

void parse_field(std::string_view key, const std::string& text, std::uint64_t& value) {
  parse(key, text, value, "a whole number of 64 bits");
}

void parse_field(std::string_view key, const std::string& text, double& value) {
  parse(key, text, value, "a number");
}

const std::string& metadata_text(const Metadata& metadata, std::string_view key) {
  const auto entry = metadata.find(key);
  check(entry != metadata.end(), "metadata \"", key, "\" is missing; is this a gradus model?");
  return entry->second;
}

}  // namespace model
