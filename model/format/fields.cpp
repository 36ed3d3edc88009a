#include "model/format/fields.h"

#include <algorithm>
#include <iterator>

#include "engine/base/check.h"
#include "engine/base/number.h"

namespace model {

using engine::check;
using engine::Parsed;

std::string field_text(Index value) { return std::to_string(value); }
std::string field_text(std::uint64_t value) { return std::to_string(value); }
std::string field_text(double value) { return engine::number_text(value); }
std::string field_text(bool value) { return value ? "true" : "false"; }
std::string field_text(nn::Activation value) { return std::string(nn::name(value)); }

namespace {

template <class T>
void parse(std::string_view key, const std::string& text, T& value, const char* expected) {
  check(engine::parse_number(text, value) == Parsed::ok, "metadata \"", key, "\": \"", text,
        "\" is not ", expected);
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

void parse_field(std::string_view key, const std::string& text, bool& value) {
  check(text == "true" || text == "false", "metadata \"", key, "\": \"", text,
        "\" is neither true nor false");
  value = text == "true";
}

void parse_field(std::string_view key, const std::string& text, nn::Activation& value) {
  constexpr nn::Activation all[] = {nn::Activation::gelu, nn::Activation::gelu_tanh,
                                    nn::Activation::relu};
  const auto known = std::ranges::find(all, text, [](nn::Activation a) { return nn::name(a); });
  check(known != std::end(all), "metadata \"", key, "\": \"", text,
        "\" is not gelu, gelu_tanh or relu");
  value = *known;
}

const std::string& metadata_text(const Metadata& metadata, std::string_view key) {
  const auto entry = metadata.find(key);
  check(entry != metadata.end(), "metadata \"", key, "\" is missing; is this a gradus model?");
  return entry->second;
}

}  // namespace model
