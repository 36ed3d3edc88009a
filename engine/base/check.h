// Errors of callers:
//
//     check(a == b, "linear: x ", x.shape(), " has ", a, " features but weight expects ", b);
//
// throws Error. The message starts with the operation and ends with the two numbers that disagree;
// it is formatted only if the condition fails. For internal invariants use assert.
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

template <class... Parts>
inline void check(bool condition, const Parts&... parts) {
  if (!condition) [[unlikely]]
    fail(parts...);
}

}  // namespace engine
