// The JSON reader; what it accepts is walked through, and each string written and read again.
#include "model/format/json.h"
#include "model/format/json_writer.h"

#include <cmath>

#include "tests/fuzz/fuzz.h"

using model::Json;

namespace {

// Without recursion, and so by hand: the places still to look at.
void walk(const Json& json, std::string_view text) {
  std::vector<Json::Value> open = {json.root()};
  while (!open.empty()) {
    const Json::Value value = open.back();
    open.pop_back();
    std::int64_t count = 0;
    const auto visit = [&](const Json::Children& children) {
      for (const Json::Value child : children) {
        fuzz::demand(child.offset() > value.offset());
        open.push_back(child);
        ++count;
      }
      fuzz::demand(count == value.size());
    };
    if (value.type() == Json::Type::array) visit(value.elements());
    if (value.type() == Json::Type::object) {
      visit(value.members());
      for (const Json::Value member : value.members())
        if (count < 100) fuzz::demand(value.at(member.key()).offset() == member.offset());
    }
    if (value.type() == Json::Type::string) {
      const std::string written = model::json_string(value.string());
      fuzz::demand(Json(written).root().string() == value.string());
    }
    if (value.type() == Json::Type::integer)
      fuzz::demand(value.integer() != 0 || value.number() == 0);
    if (value.type() == Json::Type::number) fuzz::demand(std::isfinite(value.number()));
    if (value.type() == Json::Type::boolean)
      fuzz::demand(value.boolean() == (text[value.offset()] == 't'));
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::bytes_of(data, size);
  fuzz::accepts([&] { walk(Json(text), text); });
  return 0;
}
