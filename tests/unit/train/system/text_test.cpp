#include "train/system/text.h"

#include <string>

#include "engine/base/index.h"
#include "model/base/text.h"
#include "tests/catch.h"

using engine::Index;
using namespace train;

TEST_CASE("text: times for people, all of them up to some length, by their definition") {
  CHECK(duration_text(-3) == "0 s");
  CHECK(duration_text(99.4) == "99 s");
  CHECK(duration_text(360'000) == "100 h 0 min");
  for (Index half = 0; half < 20'000; ++half) {
    const double seconds = static_cast<double>(half) / 2;
    const Index whole = (half + 1) / 2, minutes = whole / 60, hours = whole / 3600;
    const std::string expected =
        whole < 100    ? std::to_string(whole) + " s"
        : whole < 3600 ? std::to_string(minutes) + " min " + std::to_string(whole % 60) + " s"
                       : std::to_string(hours) + " h " + std::to_string(minutes % 60) + " min";
    if (duration_text(seconds) != expected) CHECK(duration_text(seconds) == expected);
  }
}

TEST_CASE("text: backslashes stand for bytes, or for themselves") {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string one(1, static_cast<char>(byte)), quoted = model::in_quotes(one);
    CHECK(unescaped(quoted.substr(1, quoted.size() - 2)) == one);
  }
  for (const char* plain : {"a<|b|> 'é'", "a\\", "\\x", "\\x1", "\\xg0", "\\x0G"})
    CHECK(unescaped(plain) == plain);
  CHECK(unescaped(R"(\\nabla\\\n\d\x41)") == "\\nabla\\\n\\dA");
}

TEST_CASE("text: a path in a command is one word of the shell", "[posix]") {
  CHECK(shell_quoted("Übung/日本") == "Übung/日本");
  CHECK(shell_quoted("it's") == R"('it'\''s')");
  CHECK(shell_quoted("-x") == "./-x");
  CHECK(shell_quoted("- x") == "'./- x'");
  CHECK(shell_word("--x y") == "'--x y'");
  CHECK(shell_word("-x") == "-x");
  CHECK(shell_quoted("") == "''");
  CHECK(shell_quoted("a\nb'\\\u202Eü") == R"($'a\x0ab\'\\\xe2\x80\xae\xc3\xbc')");
  CHECK(shell_quoted("a\u00A0\xff") == R"($'a\xc2\xa0\xff')");
}

TEST_CASE("text: lines are broken at spaces, commands are not") {
  CHECK(wrapped("one two three", 7) == "one two\nthree");
  CHECK(wrapped("one two three", 6) == "one\ntwo\nthree");
  CHECK(wrapped("one two three", 12) == "one two\nthree");
  CHECK(wrapped("a longerword b c", 4) == "a\nlongerword\nb c");
  CHECK(wrapped("äöü äöü x", 7) == "äöü äöü\nx");  // characters, not bytes
  CHECK(wrapped("two  spaces ", 80) == "two  spaces ");
  CHECK(wrapped("", 5).empty());
  CHECK(wrapped("one two", 0) == "one\ntwo");
  CHECK(wrapped("run " + unbroken("gradus sample out/my") + " now", 12) ==
        "run\ngradus sample out/my\nnow");
  const std::string line = "run " + unbroken("gradus sample 'my run'");
  CHECK(wrapped(line, std::string::npos) == "run gradus sample 'my run'");
}
