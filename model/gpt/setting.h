// A setting is one row of a table, and is added in that one place. From the row follow the command
// line, --config, --help, the text stored in a file, the check when it is read back, and whether a
// resumed run was given another value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/names.h"
#include "engine/base/real.h"
#include "model/base/words.h"
#include "nn/attention.h"

namespace model {

// The allowed values of a number: min to max, a bound included unless it is open.
struct Range {
  double min = 0, max = 0;
  bool open_min = false, open_max = false;
};

// The `otherwise` of a setting for which --help names no default.
inline constexpr std::string_view no_default = "-";

// The part of a setting that does not depend on the structure that holds its value.
struct SettingText {
  std::string_view name;  // nanoGPT's name if it has this setting
  Range range;            // numbers only
  // The placeholder of the value in --help. "one|two" allows these two values only, "one|two|DIR"
  // a directory as well, "one|two|X" a number; empty: a switch, true if given and without a value.
  std::string_view value;
  // The default in words, for --help; empty: the default value itself.
  std::string_view otherwise;
  std::string_view help;
  // Other names, with spaces between them; short ones with their dash.
  std::string_view aliases = {};

  bool is_called(std::string_view word) const;  // by its name or an alias
  bool is_switch() const { return value.empty(); }
  bool is_choice() const { return value.find('|') != std::string_view::npos; }
  bool offers(std::string_view choice) const;  // `choice` is one of the choices
};

// Throws unless `text` is one of the choices or the setting has no choices.
void check_choice(const SettingText& about, std::string_view label, std::string_view text);

// Parses and checks `text`, the value of a setting. Throws Error, whose text begins with
// `label`, the setting's name as the user wrote it:
// `--n_layer: "x" is not a whole number (1..1000)`.
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
  check_choice(about, label, text);
  out = *engine::value_named<Enum>(text);
}
void read_value(const SettingText& about, std::string_view label, std::string_view text,
                nn::AttentionScale& out);
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
std::string value_text(nn::AttentionScale value);
std::string value_text(const std::string& value);
std::string value_text(const std::vector<std::string>& value);  // the last one

// How the value is written in a config file: as a number or True or False; in quotes; or either.
enum class Form { number, text, either };

// A setting whose value lies in a structure Owner.
template <class Owner>
struct Setting : SettingText {
  void (*read)(const SettingText& about, std::string_view label, std::string_view text,
               Owner& owner);
  std::string (*write)(const Owner& owner);
  Form form;

  void set(Owner& owner, std::string_view text, std::string_view label) const {
    read(*this, label, text, owner);
  }
  std::string get(const Owner& owner) const { return write(owner); }
  void copy(const Owner& from, Owner& to) const { set(to, get(from), name); }
};

// The setting that lies in a member of Owner, or of one of its bases.
template <class Owner, auto member>
constexpr Setting<Owner> setting_in(const SettingText& text) {
  using Value = std::remove_cvref_t<decltype(std::declval<Owner>().*member)>;
  constexpr bool is_text = std::is_same_v<Value, std::string> || std::is_enum_v<Value> ||
                           std::is_same_v<Value, std::vector<std::string>>;
  return {text,
          [](const SettingText& about, std::string_view label, std::string_view value,
             Owner& owner) { read_value(about, label, value, owner.*member); },
          [](const Owner& owner) { return value_text(owner.*member); },
          is_text                                     ? Form::text
          : std::is_same_v<Value, nn::AttentionScale> ? Form::either
                                                      : Form::number};
}

}  // namespace model
