// The bytes that a terminal sends for a key such as an arrow are not part of a prompt.
#include "train/program/prompt.h"

#include "model/base/utf8.h"
#include "tests/catch.h"

TEST_CASE("prompt: keys are left out, to their last byte") {
  struct Case {
    std::string_view typed, text;
  };
  for (const Case& c : {Case{"The hen", "The hen"},
                        {"a\x1b[Ab", "ab"},     // up
                        {"a\x1b[1;5Db", "ab"},  // left, with Ctrl
                        {"\x1bOPx", "x"},       // F1
                        {"\x1b[@x", "x"},       // the first byte that ends a key,
                        {"\x1b[ ?~x", "x"},     // the first and the last that do not
                        {"a\x1b", "a"},         // the key alone
                        {"a\x1bz", "az"},       // with Alt
                        {"a\x1b[1;", "a"}}) {   // cut off
    INFO(model::in_quotes(c.typed));
    CHECK(train::without_keys(c.typed) == c.text);
  }
}
