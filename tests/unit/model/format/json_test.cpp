// The JSON reader: what it reads, and for everything it refuses the byte and the reason.
#include "model/format/json.h"
#include "model/format/json_writer.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/utf8.h"
#include "tests/catch.h"
#include "tests/unit/model/error.h"

using model::Json;
using model::json_string;

namespace {

std::string error_in(std::string_view text) {
  return error_of([&] { Json json(text); });
}

std::string string_of(std::string_view text) { return std::string(Json(text).root().string()); }

}  // namespace

TEST_CASE("json: reads values of every kind, nested and in order") {
  const std::string text = R"( {"a": [1, -2, 3.5, 1e2], "b": {"c": true, "d": false, "e": null},
                       "f": "", "g": {}, "h": []} )";
  const Json json(text);
  const Json::Value root = json.root();
  CHECK(root.size() == 5);

  std::string keys;
  for (const Json::Value member : root.members()) keys += member.key();
  CHECK(keys == "abfgh");

  std::vector<double> numbers;
  for (const Json::Value element : root.at("a").elements()) numbers.push_back(element.number());
  CHECK(numbers == std::vector<double>{1, -2, 3.5, 100});
  CHECK(root.at("b").at("c").boolean());
  CHECK_FALSE(root.at("b").at("d").boolean());
  CHECK(root.at("b").at("e").type() == Json::Type::null);
  CHECK(root.at("f").string().empty());
  CHECK(root.at("g").size() == 0);
  CHECK(root.at("h").size() == 0);
  CHECK(root.at("h").offset() == text.find("[]"));
  CHECK_FALSE(root.find("i").has_value());
}

TEST_CASE("json: integers have all their 64 bits") {
  CHECK(Json("9223372036854775807").root().integer() == std::numeric_limits<std::int64_t>::max());
  CHECK(Json("-9223372036854775808").root().integer() == std::numeric_limits<std::int64_t>::min());
  CHECK(Json("9007199254740993").root().integer() == 9007199254740993);
}

TEST_CASE("json: escapes, surrogate pairs and UTF-8") {
  CHECK(string_of(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
  CHECK(string_of(R"("\u0041\u00e9\u20AC\ud83d\ude00")") == "Aé€😀");
  CHECK(string_of("\"Aé€😀\"") == "Aé€😀");
  CHECK(string_of(R"("a\u0000b")") == std::string("a\0b", 3));
}

TEST_CASE("json: what is written is read back") {
  std::string every;
  for (char32_t code = 0; code < 0x300; ++code) model::append_utf8(every, code);
  for (const char32_t code : {0x7FFu, 0x800u, 0xD7FFu, 0xE000u, 0xFFFFu, 0x10000u, 0x10FFFFu})
    model::append_utf8(every, code);
  CHECK(string_of(json_string(every)) == every);
  CHECK_THROWS_WITH(json_string("ab\xff"), "JSON string: byte 2 of the text is not UTF-8");
}

TEST_CASE("json: objects are written compact, or a member on each line") {
  const auto square = [](std::int64_t i) { return i * i; };
  model::JsonObject object, lines(model::JsonObject::Layout::lines);
  CHECK(object.text() == "{}");
  object.add("a", "\"\n", "b", 1.5, "c", true).add("d", nullptr, "e", model::JsonText{"[ ]"});
  CHECK(object.text() == R"({"a":"\"\n","b":1.5,"c":true,"d":null,"e":[ ]})");
  lines.add("x", std::numeric_limits<double>::infinity(), "y", model::json_array(3, square));
  CHECK(lines.text() == "{\n  \"x\": null,\n  \"y\": [0,1,4]\n}");
  CHECK(model::json_array(std::vector{object, object}).json ==
        '[' + object.text() + ',' + object.text() + ']');
  CHECK_THROWS_WITH(object.add("f", "\xff"), "JSON string: byte 0 of the text is not UTF-8");
}

TEST_CASE("json: asking for another type names the byte and both types") {
  const Json json(R"({"a": [1, "x", 2.5]})");
  const Json::Value a = json.root().at("a");
  CHECK_THROWS_WITH(a.string(), "byte 6: expected a string, found an array");
  CHECK_THROWS_WITH((*a.elements().begin()).size(),
                    "byte 7: expected an array or an object, found an integer");
  CHECK_THROWS_WITH(a.members(), "byte 6: expected an object, found an array");
  CHECK_THROWS_WITH(json.root().at("b"), "byte 0: this object has no \"b\"");
  auto second = a.elements().begin();
  ++second;
  CHECK_THROWS_WITH((*second).integer(), "byte 10: expected an integer, found a string");
  ++second;
  CHECK_THROWS_WITH((*second).integer(), "byte 15: expected an integer, found a number");
}

TEST_CASE("json: malformed text is refused, naming byte and reason") {
  struct Case {
    std::string_view text;
    const char* error;
  };
  const std::string deep(65, '[');
  using namespace std::string_view_literals;
  const Case cases[] = {
      {"", "byte 0: expected a value, found the end"},
      {"\0"sv, "byte 0: expected a value, found 0x00"},
      {"x", "byte 0: expected a value, found 'x'"},
      {"nulls", "byte 4: expected the end, found 's'"},
      {"1 2", "byte 2: expected the end, found '2'"},
      {"01", "byte 1: expected the end, found '1'"},
      {"+1", "byte 0: expected a value, found '+'"},
      {"-", "byte 1: expected a digit, found the end"},
      {"-a", "byte 1: expected a digit, found 'a'"},
      {"1.", "byte 2: expected a digit, found the end"},
      {"1e", "byte 2: expected a digit, found the end"},
      {"1e+", "byte 3: expected a digit, found the end"},
      {"1e400", "byte 0: 1e400 does not fit a 64-bit floating-point number"},
      {"9223372036854775808", "byte 0: 9223372036854775808 does not fit a 64-bit integer"},
      {"[1", "byte 2: expected ',' or ']', found the end"},
      {"[1,]", "byte 3: expected a value, found ']'"},
      {"[,1]", "byte 1: expected a value, found ','"},
      {"[1 2]", "byte 3: expected ',' or ']', found '2'"},
      {"[1}", "byte 2: expected ',' or ']', found '}'"},
      {"{", "byte 1: expected a key in double quotes, found the end"},
      {"{1:2}", "byte 1: expected a key in double quotes, found '1'"},
      {"{'a':2}", "byte 1: expected a key in double quotes, found '''"},
      {"{\"a\"}", "byte 4: expected ':', found '}'"},
      {"{\"a\":}", "byte 5: expected a value, found '}'"},
      {"{\"a\":1,}", "byte 7: expected a key in double quotes, found '}'"},
      {"{\"a\":1 \"b\":2}", "byte 7: expected ',' or '}', found '\"'"},
      {R"({"a":1,"\u0061":2})", "byte 16: second value for the key \"a\""},
      {"\"", "byte 1: expected '\"', found the end"},
      {"\"a\nb\"", "byte 2: control character 0x0a in a string, expected it escaped"},
      {"\"\\", "byte 2: expected one of \"\\/bfnrtu after '\\', found the end"},
      {"\"\\x\"", "byte 2: expected one of \"\\/bfnrtu after '\\', found 'x'"},
      {"\"\\u12", "byte 5: expected a hexadecimal digit, found the end"},
      {"\"\\u12g4\"", "byte 5: expected a hexadecimal digit, found 'g'"},
      {"\"\\ud800\"", "byte 1: half of a surrogate pair"},
      {"\"\\udc00\\ud800\"", "byte 1: half of a surrogate pair"},
      {"\"\\ud800\\ud800\"", "byte 1: half of a surrogate pair"},
      {"\"\\ud800\\n\"", "byte 1: half of a surrogate pair"},
      {"\"\xc0\x80\"", "byte 1: 0xc0 is not UTF-8"},          // overlong
      {"\"\xed\xa0\x80\"", "byte 1: 0xed is not UTF-8"},      // a surrogate
      {"\"\xf4\x90\x80\x80\"", "byte 1: 0xf4 is not UTF-8"},  // above U+10FFFF
      {"\"\xe2\x82", "byte 1: 0xe2 is not UTF-8"},            // cut
      {deep, "byte 64: nested more than 64 deep"},
  };
  for (const Case& c : cases) {
    INFO("text: " << c.text);
    CHECK(error_in(c.text) == c.error);
  }
  CHECK(error_in(std::string(64, '[') + std::string(64, ']')) == "accepted");
}

TEST_CASE(
    "json: a key that is there twice is refused at its second value, wherever the two stand") {
  // Keys that differ in one letter, in the last, or by being longer; every object of up to five of them.
  const std::string_view keys[] = {"", "a", "aa", "ab", "b"};
  for (int number = 0; number < 5 * 5 * 5 * 5 * 5; ++number) {
    std::string text = "{";
    std::map<std::string_view, std::vector<std::size_t>> places;
    for (int i = 0, rest = number; i < 5; ++i, rest /= 5) {
      const std::string_view key = keys[rest % 5];
      text += (i > 0 ? ",\"" : "\"") + std::string(key) + "\":";
      places[key].push_back(text.size());
      text += '1';
    }
    text += '}';
    std::string expected = "accepted";
    for (const auto& [key, at] : places)
      if (at.size() > 1) {
        expected = "byte " + std::to_string(at[1]) + ": second value for the key \"" +
                   std::string(key) + '"';
        break;
      }
    if (error_in(text) == expected) continue;
    INFO(text);
    CHECK(error_in(text) == expected);
  }
}

TEST_CASE("json: every prefix of a valid text is refused") {
  const std::string text = R"({"a":[1,-2.5e3,"x\u00e9\ud83d\ude00"],"b":{"c":true,"d":null}})";
  REQUIRE(error_in(text) == "accepted");
  for (std::size_t size = 0; size < text.size(); ++size) {
    INFO(text.substr(0, size));
    CHECK(error_in(std::string_view(text).substr(0, size)) != "accepted");
  }
}
