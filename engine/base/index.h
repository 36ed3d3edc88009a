// Arithmetic of indices. Index is signed, sizes of standard containers are unsigned; at and
// unsigned_size convert.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>

#include "engine/base/real.h"

namespace engine {

// Element i >= 0 of a container.
template <class Container>
constexpr decltype(auto) at(Container&& container, Index i) {
  return container[static_cast<std::size_t>(i)];
}

// n >= 0 as a std::size_t, for standard functions. Throws std::bad_alloc if std::size_t has 32 bits
// and n does not fit: no memory is that large.
template <std::integral Integer>
constexpr std::size_t unsigned_size(Integer n) {
  if constexpr (sizeof(Integer) > sizeof(std::size_t))
    if (n > Integer(std::numeric_limits<std::size_t>::max())) throw std::bad_alloc();
  return static_cast<std::size_t>(n);
}

// Whether the column `key` of row i of a table is the enumeration's value i, for every i.
template <class Table, class Row, class Enum>
consteval bool in_order(const Table& rows, Enum Row::*key) {
  std::size_t i = 0;
  for (const Row& row : rows)
    if (row.*key != static_cast<Enum>(i++)) return false;
  return true;
}

// n / d rounded up, n >= 0, d > 0.
template <class Integer>
constexpr Integer ceil_div(Integer n, std::type_identity_t<Integer> d) {
  return n / d + (n % d == 0 ? 0 : 1);
}
// The smallest multiple of `multiple` that is >= n.
template <class Integer>
constexpr Integer round_up(Integer n, std::type_identity_t<Integer> multiple) {
  return ceil_div(n, multiple) * multiple;
}

}  // namespace engine
