// A setting: one row of a table that says everything about it. The command line, --config, --help,
// what a file stores, how it is checked when it is read back, and whether a resumed run was given
// another value: all of that follows from the row, so that a setting is added in one place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/format/metadata.h"
#include "nn/layers.h"

namespace model {

// The values a number may have: [min, max], without an end that is open.
struct Range {
  double min = 0, max = 0;
  bool open_min = false, open_max = false;
};

// Where a setting's value lies in the structure Owner, and by that its type.
template <class Owner>
using Field =
    std::variant<bool Owner::*, Index Owner::*, double Owner::*, std::uint64_t Owner::*,
                 nn::Activation Owner::*, std::string Owner::*, std::vector<std::string> Owner::*>;

// What --help says of a setting without a default worth naming.
inline constexpr std::string_view no_default = "-";

// What is the same whatever the structure.
struct SettingText {
  std::string_view name;  // nanoGPT's where it has one
  Range range;            // of numbers
  std::string_view
      value;  // what stands for it in --help; "one|two": one of these and nothing else,
              // "one|two|DIR": or a directory; empty: a switch, true by being there
  std::string_view otherwise;  // in words, what holds when it is not given; empty: the default
  std::string_view help;
  std::string_view alias = {};

  bool is_switch() const { return value.empty(); }
  bool is_choice() const { return value.find('|') != std::string_view::npos; }
  bool offers(std::string_view choice) const;  // as one of its choices
};

// Reads `text` into `out`. Throws engine::Error, beginning with `called`, what the user knows the
// setting as: `--n_layer: "x" is not a whole number (1..1000)`.
void read_value(const SettingText& about, std::string_view called, std::string_view text,
                bool& out);
void read_value(const SettingText& about, std::string_view called, std::string_view text,
                Index& out);
void read_value(const SettingText& about, std::string_view called, std::string_view text,
                double& out);
void read_value(const SettingText& about, std::string_view called, std::string_view text,
                std::uint64_t& out);
void read_value(const SettingText& about, std::string_view called, std::string_view text,
                nn::Activation& out);
void read_value(const SettingText& about, std::string_view called, std::string_view text,
                std::string& out);
void read_value(const SettingText& about, std::string_view called, std::string_view text,
                std::vector<std::string>& out);  // appends

// What read_value would read to the same effect.
std::string value_text(bool value);
std::string value_text(Index value);
std::string value_text(double value);
std::string value_text(std::uint64_t value);
std::string value_text(nn::Activation value);
std::string value_text(const std::string& value);
std::string value_text(const std::vector<std::string>& value);  // the last one

template <class Owner>
struct Setting : SettingText {
  Field<Owner> field;

  constexpr Setting(std::string_view name_, Field<Owner> field_, Range range_,
                    std::string_view value_, std::string_view otherwise_, std::string_view help_,
                    std::string_view alias_ = {})
      : SettingText{name_, range_, value_, otherwise_, help_, alias_}, field(field_) {}
  // The same setting of a structure that Base is a part of.
  template <class Base>
  constexpr Setting(const Setting<Base>& base)
      : SettingText(base),
        field(std::visit([](auto member) { return Field<Owner>(in_owner(member)); }, base.field)) {}

  void set(Owner& owner, std::string_view text, std::string_view called) const {
    std::visit([&](auto member) { read_value(*this, called, text, owner.*member); }, field);
  }
  std::string get(const Owner& owner) const {
    return std::visit([&](auto member) { return value_text(owner.*member); }, field);
  }
  void copy(const Owner& from, Owner& to) const {
    std::visit([&](auto member) { to.*member = from.*member; }, field);
  }
  bool takes_text() const {  // rather than numbers, true or false
    return std::holds_alternative<std::string Owner::*>(field) ||
           std::holds_alternative<nn::Activation Owner::*>(field) ||
           std::holds_alternative<std::vector<std::string> Owner::*>(field);
  }

  // As metadata of a file.
  void write(const Owner& owner, SafetensorsWriter& writer) const {
    writer.add_metadata(name, get(owner));
  }
  void read(Owner& owner, const Metadata& metadata) const {
    set(owner, metadata_text(metadata, name), "metadata \"" + std::string(name) + '"');
  }

 private:
  template <class Base, class T>
  static constexpr T Owner::*in_owner(T Base::*member) {
    return member;
  }
};

}  // namespace model
