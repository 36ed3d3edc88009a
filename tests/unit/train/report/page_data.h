// What tests read of a page of gradus report: its data, and the text around them.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/number.h"
#include "model/format/json.h"
#include "model/tokenizer/char_tokenizer.h"
#include "tests/catch.h"
#include "train/report/report.h"

namespace page_data {

using Numbers = std::vector<double>;
using Words = std::vector<std::string>;

inline std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

// What stands between the first `begin` and the `end` after it.
inline std::string between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t at = text.find(begin), from = at + begin.size();
  INFO("between " << begin << " and " << end);
  REQUIRE(at != text.npos);
  REQUIRE(text.find(end, from) != text.npos);
  return std::string(text.substr(from, text.find(end, from) - from));
}

inline double number(std::string_view text) {
  double value = 0;
  INFO("\"" << text << "\"");
  REQUIRE(engine::parse_number(text, value) == engine::Parsed::ok);
  return value;
}

// A number as a page has it: eight significant digits.
inline std::string rounded_text(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.8g", value);
  return digits;
}
inline double rounded(double value) { return number(rounded_text(value)); }

// The data of a page. A value is found by its keys and places: numbers("runs", 0, "times", "step").
class Data {
 public:
  using Value = model::Json::Value;
  explicit Data(const std::string& page)
      : text_(between(page, R"(<script type="application/json" id="data">)", "</script>")),
        json_(text_) {}

  template <class... Path>
  Value value(const Path&... path) const {
    Value found = json_.root();
    ((found = of(found, path)), ...);
    return found;
  }
  // As it is in the page: what begins with that value.
  std::string raw(const auto&... path) const { return text_.substr(value(path...).offset()); }
  bool is_true(const auto&... path) const { return value(path...).boolean(); }
  bool is_null(const auto&... path) const {
    return value(path...).type() == model::Json::Type::null;
  }
  double number(const auto&... path) const { return value(path...).number(); }
  std::string text(const auto&... path) const { return std::string(value(path...).string()); }
  Numbers numbers(const auto&... path) const {
    Numbers all;
    for (const Value element : value(path...).elements()) all.push_back(element.number());
    return all;
  }
  Words texts(const auto&... path) const {
    Words all;
    for (const Value element : value(path...).elements()) all.emplace_back(element.string());
    return all;
  }
  // Checks how a value begins.
  void check_raw(const std::string& begin, const auto&... path) const {
    CHECK_THAT(raw(path...), Catch::StartsWith(begin));
  }
  // The value of a setting of a run.
  std::string setting(int run, std::string_view name) const {
    for (const Value row : value("runs", run, "settings").elements())
      if (of(row, 0).string() == name) return std::string(of(row, 1).string());
    return "no such setting";
  }

 private:
  static Value of(const Value& value, std::string_view key) { return value.at(key); }
  static Value of(const Value& value, std::int64_t place) {
    for (const Value element : value.elements())
      if (place-- == 0) return element;
    FAIL("an array of " << value.size() << " elements");
    return value;
  }

  std::string text_;
  model::Json json_;
};

// The data of the page of a run.
inline Data data_of(const train::ReportedRun& run) { return Data(run_report(run, {}, {})); }

inline model::TokenizerHandle characters(std::string_view text) {
  return model::CharTokenizer::train({&text, 1});
}

}  // namespace page_data
