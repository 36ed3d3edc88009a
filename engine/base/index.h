// Index is signed, the sizes of standard containers are not: the two conversions that are needed.
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

}  // namespace engine
