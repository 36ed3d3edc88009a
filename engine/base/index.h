// Arithmetic of indices. Index is signed, sizes of standard containers are unsigned; at and
// unsigned_size convert.
#pragma once

#include <cstddef>
#include <type_traits>

#include "engine/base/real.h"

namespace engine {

// Element i >= 0 of a container.
template <class Container>
constexpr decltype(auto) at(Container&& container, Index i) {
  return container[static_cast<std::size_t>(i)];
}

// i >= 0 as a std::size_t, for standard functions.
constexpr std::size_t unsigned_size(Index i) { return static_cast<std::size_t>(i); }

// n / d rounded up, n >= 0, d > 0.
template <class Integer>
constexpr Integer ceil_div(Integer n, std::type_identity_t<Integer> d) {
  return (n + d - 1) / d;
}
// The smallest multiple of `multiple` that is >= n.
template <class Integer>
constexpr Integer round_up(Integer n, std::type_identity_t<Integer> multiple) {
  return ceil_div(n, multiple) * multiple;
}

}  // namespace engine
