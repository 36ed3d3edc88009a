// Text for messages, independent of the locale. (model/base/text.h: quoting and escaping, numbers
// for people.)
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>

namespace engine {

// The stream that joined writes to. Code that is the same for all kinds of parts is compiled once.
class MessageStream : public std::ostringstream {
 public:
  MessageStream();
  ~MessageStream() override;
  std::string take();
};

// A part as joined writes it: NaN without its sign, which has no meaning (0 / 0 is -nan on x86).
template <class Part>
const Part& as_written(const Part& part) {
  return part;
}
template <std::floating_point Part>
Part as_written(const Part& part) {
  return part != part ? std::numeric_limits<Part>::quiet_NaN() : part;
}

// The parts in the format of operator<<, concatenated.
template <class... Parts>
std::string joined(const Parts&... parts) {
  MessageStream out;
  (out << ... << as_written(parts));
  return out.take();
}

// 1 layer, 4,000 layers. Formatted only when it is written, so a check that passes costs nothing.
struct Counted {
  std::int64_t count;
  std::string_view unit, plural;  // without a plural, the unit with an s
  operator std::string() const;
};
std::ostream& operator<<(std::ostream& out, const Counted& counted);
constexpr Counted counted(std::int64_t count, std::string_view unit, std::string_view plural = {}) {
  return {count, unit, plural};
}

std::string count_text(std::int64_t count);  // 803,072

}  // namespace engine
