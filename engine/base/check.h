// Errors of callers:
//
//     check(a == b, "linear: x ", x.shape(), " has ", a, " features but weight expects ", b);
//
// throws Error unless a == b. Messages start with the operation and end with the two numbers that
// disagree. For internal invariants use assert.
#pragma once

#include <stdexcept>

#include "engine/base/text.h"

namespace engine {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class... Parts>
[[noreturn, gnu::cold]] void fail(const Parts&... parts) {
  throw Error(joined(parts...));
}

// Throws Error unless `condition` holds; only then are the parts joined to the message.
template <class... Parts>
inline void check(bool condition, const Parts&... parts) {
  if (!condition) [[unlikely]]
    fail(parts...);
}

}  // namespace engine
