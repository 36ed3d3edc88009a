// Arithmetic of indices. Index is signed, the sizes of standard containers are not: at and
// unsigned_size are the two conversions that are needed.
#pragma once

#include <cstddef>

#include "engine/base/real.h"

namespace engine {

// Element i >= 0 of a container.
template <class Container>
constexpr decltype(auto) at(Container&& container, Index i) {
  return container[static_cast<std::size_t>(i)];
}

// i >= 0 as a size, for what only takes one.
constexpr std::size_t unsigned_size(Index i) { return static_cast<std::size_t>(i); }

// n >= 0 divided by d > 0, rounded up; and the smallest multiple of `multiple` that is n or more.
constexpr Index ceil_div(Index n, Index d) { return (n + d - 1) / d; }
constexpr Index round_up(Index n, Index multiple) { return ceil_div(n, multiple) * multiple; }

}  // namespace engine
