// Names for the values of enumerations: in files, on the command line, in messages.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace engine {

// The names of an enumeration's values, in order; the values count from 0. Specialized beside each
// enumeration.
template <class Enum>
inline constexpr std::array<std::string_view, 0> names_of{};

template <class... Name>
constexpr std::array<std::string_view, sizeof...(Name)> names(Name... name) {
  return {name...};
}

template <class Enum>
constexpr std::string_view name_of(Enum value) {
  static_assert(!names_of<Enum>.empty(), "the enumeration has no names");
  return names_of<Enum>[static_cast<std::size_t>(value)];
}

// The value with this name, if there is one.
template <class Enum>
constexpr std::optional<Enum> value_named(std::string_view name) {
  for (std::size_t i = 0; i < names_of<Enum>.size(); ++i)
    if (names_of<Enum>[i] == name) return static_cast<Enum>(i);
  return std::nullopt;
}

}  // namespace engine
