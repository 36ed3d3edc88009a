#include "model/base/setting.h"

#include "engine/base/number.h"
#include "model/base/utf8.h"

namespace model {

using engine::Parsed;

void refuse_value(std::string_view label, std::string_view text, const std::string& why) {
  fail(label, ": ", in_quotes(text), " is ", why);
}

namespace {

std::string whole_range_text(const Range& range) {
  return joined(static_cast<Index>(range.min), "..", static_cast<Index>(range.max));
}

}  // namespace

std::string range_text(const Range& range) {
  return joined(range.open_min ? '(' : '[', static_cast<Index>(range.min), ", ",
                static_cast<Index>(range.max), range.open_max ? ')' : ']');
}

bool contains(const Range& range, double value) {
  return (range.open_min ? value > range.min : value >= range.min) &&
         (range.open_max ? value < range.max : value <= range.max);
}

std::string listed(std::string_view choices) {
  std::string list(choices);
  for (std::size_t bar = 0; (bar = list.find('|')) != std::string::npos;)
    list.replace(bar, 1, ", ");
  return list;
}

bool SettingText::is_called(std::string_view word) const {
  return word == name ||
         (!word.empty() && word.find(' ') == std::string_view::npos &&
          joined(' ', aliases, ' ').find(joined(' ', word, ' ')) != std::string::npos);
}

void read_value(const SettingText&, std::string_view label, std::string_view text, bool& out) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (lower != "true" && lower != "false") refuse_value(label, text, "not true or false");
  out = lower == "true";
}

void read_value(const SettingText& about, std::string_view label, std::string_view text,
                Index& out) {
  const std::string range = whole_range_text(about.range);
  const Parsed parsed = engine::parse_number(text, out);
  if (parsed == Parsed::malformed) refuse_value(label, text, "not a whole number (" + range + ")");
  if (parsed == Parsed::out_of_range || !contains(about.range, static_cast<double>(out)))
    refuse_value(label, text, "not in " + range);
}

void read_value(const SettingText& about, std::string_view label, std::string_view text,
                double& out) {
  const std::string range = range_text(about.range);
  const Parsed parsed = engine::parse_number(text, out);
  if (parsed == Parsed::malformed) refuse_value(label, text, "not a number in " + range);
  if (parsed == Parsed::out_of_range || !contains(about.range, out))
    refuse_value(label, text, "not in " + range);
}

// Any signed or unsigned 64-bit integer: -1 is 2^64 - 1, as in PyTorch.
void read_value(const SettingText&, std::string_view label, std::string_view text,
                std::uint64_t& out) {
  std::int64_t negative = 0;
  if (engine::parse_number(text, out) == Parsed::ok) return;
  if (engine::parse_number(text, negative) != Parsed::ok)
    refuse_value(label, text, "not a whole number of at most 64 bits");
  out = static_cast<std::uint64_t>(negative);
}

void read_value(const SettingText&, std::string_view label, std::string_view text,
                std::string& out) {
  if (text.empty()) refuse_value(label, text, "empty, expected at least one character");
  out = text;
}

void read_value(const SettingText& about, std::string_view label, std::string_view text,
                std::vector<std::string>& out) {
  std::string value;
  read_value(about, label, text, value);
  out.push_back(value);
}

std::string value_text(bool value) { return value ? "true" : "false"; }
std::string value_text(Index value) { return std::to_string(value); }
std::string value_text(double value) { return engine::number_text(value); }
std::string value_text(std::uint64_t value) { return std::to_string(value); }
std::string value_text(const std::string& value) { return value; }
std::string value_text(const std::vector<std::string>& value) {
  return value.empty() ? "" : value.back();
}

}  // namespace model
