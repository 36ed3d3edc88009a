// The bytes that a terminal sends for a key such as an arrow are not part of a prompt.
#include "train/program/prompt.h"

#include "model/base/utf8.h"
#include "tests/catch.h"

TEST_CASE("prompt: keys are left out, to their last byte") {
  using Pair = std::pair<std::string_view, std::string_view>;
  for (const auto& [typed, text] : {Pair{"The hen", "The hen"},
                                    {"a\x1b[Ab", "ab"},     // up
                                    {"a\x1b[1;5Db", "ab"},  // left, with Ctrl
                                    {"\x1bOPx", "x"},       // F1
                                    {"\x1b[@x", "x"},       // the first byte that ends a key,
                                    {"\x1b[ ?~x", "x"},     // the first and the last that do not
                                    {"a\x1b", "a"},         // the key alone
                                    {"a\x1bz", "az"},       // with Alt
                                    {"a\x1b[1;", "a"}}) {   // cut off
    INFO(model::in_quotes(typed));
    CHECK(train::without_keys(typed) == text);
  }
}
