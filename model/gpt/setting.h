// A setting is one row of a table, and is added in that one place. From the row follow the command
// line, --config, --help, the text stored in a file, the check when it is read back, and whether a
// resumed run was given another value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/real.h"
#include "nn/attention.h"

namespace model {

using engine::Index;

// The allowed values of a number: min to max, a bound included unless it is open.
struct Range {
  double min = 0, max = 0;
  bool open_min = false, open_max = false;
};

// The member of the structure Owner that holds a setting's value; its type is the setting's type.
template <class Owner>
using Field = std::variant<bool Owner::*, Index Owner::*, double Owner::*, std::uint64_t Owner::*,
                           nn::Activation Owner::*, nn::NormKind Owner::*,
                           nn::PositionKind Owner::*, nn::AttentionScale Owner::*,
                           std::string Owner::*, std::vector<std::string> Owner::*>;

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

// Parses and checks `text`, the value of a setting. Throws engine::Error, whose text begins with
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
  for (const Enum value : nn::all_of<Enum>)
    if (nn::name(value) == text) out = value;
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
  return std::string(nn::name(value));
}
std::string value_text(nn::AttentionScale value);
std::string value_text(const std::string& value);
std::string value_text(const std::vector<std::string>& value);  // the last one

template <class Owner>
struct Setting : SettingText {
  Field<Owner> field;

  constexpr Setting(std::string_view name_, Field<Owner> field_, Range range_,
                    std::string_view value_, std::string_view otherwise_, std::string_view help_,
                    std::string_view aliases_ = {})
      : SettingText{name_, range_, value_, otherwise_, help_, aliases_}, field(field_) {}
  // The same setting in a structure derived from Base.
  template <class Base>
  constexpr Setting(const Setting<Base>& base)
      : SettingText(base),
        field(std::visit([](auto member) { return Field<Owner>(in_owner(member)); }, base.field)) {}

  void set(Owner& owner, std::string_view text, std::string_view label) const {
    std::visit([&](auto member) { read_value(*this, label, text, owner.*member); }, field);
  }
  std::string get(const Owner& owner) const {
    return std::visit([&](auto member) { return value_text(owner.*member); }, field);
  }
  void copy(const Owner& from, Owner& to) const {
    std::visit([&](auto member) { to.*member = from.*member; }, field);
  }
  bool takes_text() const {  // not a number, not true or false
    return std::holds_alternative<std::string Owner::*>(field) ||
           std::holds_alternative<nn::Activation Owner::*>(field) ||
           std::holds_alternative<nn::NormKind Owner::*>(field) ||
           std::holds_alternative<nn::PositionKind Owner::*>(field) ||
           std::holds_alternative<std::vector<std::string> Owner::*>(field);
  }
  bool takes_text_or_number() const {  // sqrt|none|X
    return std::holds_alternative<nn::AttentionScale Owner::*>(field);
  }

 private:
  template <class Base, class T>
  static constexpr T Owner::*in_owner(T Base::*member) {
    return member;
  }
};

}  // namespace model
