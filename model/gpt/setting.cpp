#include "model/gpt/setting.h"

#include <algorithm>
#include <iterator>

#include "engine/base/number.h"
#include "model/base/utf8.h"

namespace model {

using engine::Parsed;

namespace {

constexpr std::string_view or_directory = "|DIR";

[[noreturn]] void refuse(std::string_view label, std::string_view text, const std::string& why) {
  fail(label, ": ", in_quotes(text), " is ", why);
}

std::string whole_range_text(const Range& range) {
  return joined(static_cast<Index>(range.min), "..", static_cast<Index>(range.max));
}

// `[0, 1)`; all bounds in the tables are whole numbers.
std::string range_text(const Range& range) {
  return joined(range.open_min ? '(' : '[', static_cast<Index>(range.min), ", ",
                static_cast<Index>(range.max), range.open_max ? ')' : ']');
}

bool contains(const Range& range, double value) {
  return (range.open_min ? value > range.min : value >= range.min) &&
         (range.open_max ? value < range.max : value <= range.max);
}

}  // namespace

void check_choice(const SettingText& about, std::string_view label, std::string_view text) {
  if (!about.is_choice() || about.offers(text) || about.value.ends_with(or_directory)) return;
  std::string choices(about.value);
  for (std::size_t bar = 0; (bar = choices.find('|')) != std::string::npos;)
    choices.replace(bar, 1, ", ");
  refuse(label, text, "not one of " + choices);
}

bool SettingText::is_called(std::string_view word) const {
  return word == name ||
         (!word.empty() && word.find(' ') == std::string_view::npos &&
          joined(' ', aliases, ' ').find(joined(' ', word, ' ')) != std::string::npos);
}

bool SettingText::offers(std::string_view choice) const {
  std::string_view choices = value;
  if (choices.ends_with(or_directory)) choices.remove_suffix(or_directory.size());
  return choice.find('|') == std::string_view::npos &&
         joined('|', choices, '|').find(joined('|', choice, '|')) != std::string::npos;
}

void read_value(const SettingText&, std::string_view label, std::string_view text, bool& out) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (lower != "true" && lower != "false") refuse(label, text, "not true or false");
  out = lower == "true";
}

void read_value(const SettingText& about, std::string_view label, std::string_view text,
                Index& out) {
  const std::string range = whole_range_text(about.range);
  const Parsed parsed = engine::parse_number(text, out);
  if (parsed == Parsed::malformed) refuse(label, text, "not a whole number (" + range + ")");
  if (parsed == Parsed::out_of_range || !contains(about.range, static_cast<double>(out)))
    refuse(label, text, "not in " + range);
}

void read_value(const SettingText& about, std::string_view label, std::string_view text,
                double& out) {
  const std::string range = range_text(about.range);
  const Parsed parsed = engine::parse_number(text, out);
  if (parsed == Parsed::malformed) refuse(label, text, "not a number in " + range);
  if (parsed == Parsed::out_of_range || !contains(about.range, out))
    refuse(label, text, "not in " + range);
}

// Any signed or unsigned 64-bit integer: -1 is 2^64 - 1, as in PyTorch.
void read_value(const SettingText&, std::string_view label, std::string_view text,
                std::uint64_t& out) {
  std::int64_t negative = 0;
  if (engine::parse_number(text, out) == Parsed::ok) return;
  if (engine::parse_number(text, negative) != Parsed::ok)
    refuse(label, text, "not a whole number of at most 64 bits");
  out = static_cast<std::uint64_t>(negative);
}

void read_value(const SettingText& about, std::string_view label, std::string_view text,
                nn::AttentionScale& out) {
  if (text == "sqrt" || text == "none") {
    out.factor = text == "sqrt" ? 0 : 1;
  } else if (engine::parse_number(text, out.factor) != Parsed::ok ||
             !contains(about.range, out.factor)) {
    refuse(label, text, "not sqrt, none or a number " + range_text(about.range));
  }
}

void read_value(const SettingText& about, std::string_view label, std::string_view text,
                std::string& out) {
  if (text.empty()) refuse(label, text, "empty, expected at least one character");
  check_choice(about, label, text);
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
std::string value_text(nn::AttentionScale value) {
  return value.factor == 0 ? "sqrt" : value.factor == 1 ? "none" : value_text(value.factor);
}
std::string value_text(const std::string& value) { return value; }
std::string value_text(const std::vector<std::string>& value) {
  return value.empty() ? "" : value.back();
}

}  // namespace model
