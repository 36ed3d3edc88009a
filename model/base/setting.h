// A setting is one row of a table, and that is the only place to add one. The row gives the command
// line, --config, --help, the text stored in a file, the check when it is read back, and the check
// that a resumed run keeps its value.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/names.h"
#include "model/base/words.h"

namespace model {

// The allowed values of a number: min to max, a bound included unless it is open.
struct Range {
  double min = 0, max = 0;
  bool open_min = false, open_max = false;
};

// The `otherwise` of a setting for which --help names no default.
inline constexpr std::string_view no_default = "-";

// Identifies the member that a setting is stored in: key_of<&Plan::max_iters>, the same in every
// row about it.
using SettingKey = const char*;
template <auto member>
inline constexpr char own_byte = 0;
template <auto member>
inline constexpr SettingKey key_of = &own_byte<member>;

// Which settings were given: given.has<&Plan::max_iters>().
class Given {
 public:
  template <auto... members>
  static Given of() {
    Given given;
    (given.add(key_of<members>), ...);
    return given;
  }
  template <auto member>
  bool has() const {
    return has(key_of<member>);
  }
  bool has(SettingKey key) const { return std::ranges::find(keys_, key) != keys_.end(); }
  void add(SettingKey key) {
    if (!has(key)) keys_.push_back(key);
  }

 private:
  std::vector<SettingKey> keys_;
};

// The names of an enumeration's values as a placeholder: "one|two".
template <class Enum>
inline constexpr auto joined_names = [] {
  constexpr std::size_t size = [] {
    std::size_t letters = 0;
    for (const std::string_view name : engine::names_of<Enum>) letters += name.size() + 1;
    return letters;
  }();
  std::array<char, size> text{};
  char* end = text.data();
  for (const std::string_view name : engine::names_of<Enum>) {
    if (end != text.data()) *end++ = '|';
    end = std::copy(name.begin(), name.end(), end);
  }
  return text;
}();
template <class Enum>
inline constexpr std::string_view choices_of{joined_names<Enum>.data(),
                                             joined_names<Enum>.size() - 1};

// The part of a setting that does not depend on the structure that holds its value.
struct SettingText {
  std::string_view name;  // nanoGPT's name if it has this setting
  Range range;            // numbers only
  // The placeholder of the value in --help; empty: a switch, true if given and without a value. For
  // an enumeration, setting_in fills in the names of its values.
  std::string_view value;
  // The default in words, for --help; empty: the default value itself.
  std::string_view otherwise;
  std::string_view help;
  // Other names, with spaces between them; short ones with their dash.
  std::string_view aliases = {};

  bool is_called(std::string_view word) const;  // by its name or an alias
  bool is_switch() const { return value.empty(); }
};

// Throws Error: `LABEL: "TEXT" is WHY`.
[[noreturn]] void refuse_value(std::string_view label, std::string_view text,
                               const std::string& why);
// "one, two" of "one|two".
std::string listed(std::string_view choices);
// "(0, 1]" (all bounds in the tables are whole numbers), and whether a number is in the range.
std::string range_text(const Range& range);
bool contains(const Range& range, double value);

// Parses and checks `text`, the value of a setting. Throws Error, beginning with `label`, the
// setting's name as the user wrote it: `--n_layer: "x" is not a whole number (1..1000)`.
void read_value(const SettingText& about, std::string_view label, std::string_view text, bool& out);
void read_value(const SettingText& about, std::string_view label, std::string_view text,
                Index& out);
void read_value(const SettingText& about, std::string_view label, std::string_view text,
                double& out);
void read_value(const SettingText& about, std::string_view label, std::string_view text,
                std::uint64_t& out);
template <class Enum>
requires std::is_enum_v<Enum>
void read_value(const SettingText& about, std::string_view label, std::string_view text,
                Enum& out) {
  const std::optional<Enum> value = engine::value_named<Enum>(text);
  if (!value) refuse_value(label, text, "not one of " + listed(about.value));
  out = *value;
}
template <class Value>
void read_value(const SettingText& about, std::string_view label, std::string_view text,
                std::optional<Value>& out) {
  read_value(about, label, text, out.emplace());
}
void read_value(const SettingText& about, std::string_view label, std::string_view text,
                std::string& out);
void read_value(const SettingText& about, std::string_view label, std::string_view text,
                std::vector<std::string>& out);  // appends

// The text that read_value reads back as the same value.
std::string value_text(bool value);
std::string value_text(Index value);
std::string value_text(double value);
std::string value_text(std::uint64_t value);
template <class Enum>
requires std::is_enum_v<Enum> std::string value_text(Enum value) {
  return std::string(engine::name_of(value));
}
std::string value_text(const std::string& value);
std::string value_text(const std::vector<std::string>& value);  // the last one
template <class Value>
std::string value_text(const std::optional<Value>& value) {
  return value ? value_text(*value) : "";
}

// How the value is written in a config file: as a number or True or False; in quotes; or either.
enum class Form { number, text, either };

// A setting with its value in a structure Owner.
template <class Owner>
struct Setting : SettingText {
  SettingKey key;
  void (*read)(const SettingText& about, std::string_view label, std::string_view text,
               Owner& owner);
  std::string (*write)(const Owner& owner);
  Form form;
  bool repeats;  // further values are added; else a later value replaces the earlier one

  void set(Owner& owner, std::string_view text, std::string_view label) const {
    read(*this, label, text, owner);
  }
  std::string get(const Owner& owner) const { return write(owner); }
  void copy(const Owner& from, Owner& to) const { set(to, get(from), name); }
};

// The type inside an optional.
template <class Value>
Value bare(const Value&);
template <class Value>
Value bare(const std::optional<Value>&);
template <class Value>
using Bare = decltype(bare(std::declval<Value>()));

// The setting in a member of Owner or of one of its bases, or in a member of a member: in
// setting_in<Settings, &Settings::train, &TrainSettings::out_dir> the fold owner.*....*path is
// owner.*(&Settings::train).*(&TrainSettings::out_dir). A setting with a text form of its own names
// its functions in its row (attention_scale in model/gpt/config.h).
template <class Owner, auto... path>
constexpr Setting<Owner> setting_in(SettingText text) {
  using Value = std::remove_cvref_t<decltype((std::declval<Owner&>().*....*path))>;
  constexpr bool repeats = std::is_same_v<Value, std::vector<std::string>>,
                 is_text = repeats || std::is_same_v<Value, std::string> || std::is_enum_v<Value>;
  constexpr SettingKey keys[] = {key_of<path>...};
  if constexpr (std::is_enum_v<Bare<Value>>) text.value = choices_of<Bare<Value>>;
  return {text,
          keys[sizeof...(path) - 1],
          [](const SettingText& about, std::string_view label, std::string_view value,
             Owner& owner) { read_value(about, label, value, (owner.*....*path)); },
          [](const Owner& owner) { return value_text((owner.*....*path)); },
          is_text                  ? Form::text
          : std::is_class_v<Value> ? Form::either
                                   : Form::number,
          repeats};
}

}  // namespace model
