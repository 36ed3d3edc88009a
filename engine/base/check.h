// One way to report what a caller got wrong:
//
//     check(a == b, "linear: x ", x.shape(), " has ", a, " features but weight expects ", b);
//
// throws Error, whose text leads with the operation and ends with the two numbers that disagree.
// The parts are put together only when the condition fails. For our own invariants use assert.
#pragma once

#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>

namespace engine {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The parts, written one after another, whatever the process's locale.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  (out << ... << parts);
  return std::move(out).str();
}

template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  throw Error(text(parts...));
}

template <class... Parts>
inline void check(bool condition, const Parts&... parts) {
  if (!condition) [[unlikely]]
    fail(parts...);
}

}  // namespace engine
