#include "engine/base/text.h"

#include <utility>

namespace engine {

MessageStream::MessageStream() {
  exceptions(std::ios::badbit);  // out of memory is an error, not a missing part
  imbue(std::locale::classic());
}
MessageStream::~MessageStream() = default;
std::string MessageStream::take() { return std::move(*this).str(); }

std::string count_text(std::int64_t count) {
  std::string text = std::to_string(count);
  const std::size_t sign = count < 0 ? 1 : 0;
  for (std::size_t i = text.size(); i > sign + 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

std::ostream& operator<<(std::ostream& out, const Counted& counted) {
  out << count_text(counted.count) << ' ';
  if (counted.count != 1 && !counted.plural.empty()) return out << counted.plural;
  return out << counted.unit << (counted.count == 1 ? "" : "s");
}

Counted::operator std::string() const { return joined(*this); }

}  // namespace engine
