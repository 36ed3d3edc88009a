// What every number that a command takes may be: its row's limits exactly, and nothing beyond. That the
// rows' limits are those that are meant, no test says; what follows from them, the last case.
#include <cmath>
#include <sstream>

#include "engine/base/check.h"
#include "tests/catch.h"
#include "train/cli/settings.h"

using namespace train;

namespace {

std::string refusal(const Flag& flag, const std::string& value) {
  Settings settings;
  try {
    flag.give(settings, value, flag.name);
  } catch (const UsageError& error) {
    return error.what();
  }
  // What was taken is what was given.
  CHECK(std::stod(flag.get(settings) == "none" ? "1" : flag.get(settings)) == std::stod(value));
  return "";
}

void check_refused(const Flag& flag, const std::string& value) {
  INFO(flag.name << ' ' << value);
  CHECK_THAT(refusal(flag, value), Catch::StartsWith(std::string(flag.name) + ": \""));
}

bool is_whole(const Flag& flag) { return flag.value == "N"; }

void check_limit(const Flag& flag, double limit, bool is_open, double direction) {
  const auto text = [&](double value) {
    char digits[40];
    std::snprintf(digits, sizeof digits, is_whole(flag) ? "%.0f" : "%.17g", value);
    return std::string(digits);
  };
  INFO(flag.name << ' ' << limit);
  if (is_open)
    check_refused(flag, text(limit));
  else
    CHECK(refusal(flag, text(limit)) == "");
  const double beyond = std::nextafter(limit, direction * 1e300);
  check_refused(flag, text(is_whole(flag) ? limit + direction : beyond));
}

}  // namespace

TEST_CASE("flags: every limit of a number is met exactly; one step beyond is refused by name") {
  int count = 0;
  for (const Flag& flag : flags()) {
    const model::Range& range = flag.range;
    if (range.max <= range.min) continue;
    ++count;
    check_limit(flag, range.min, range.open_min, -1);
    check_limit(flag, range.max, range.open_max, 1);
    for (const char* other : {"10x", "", "1e400", "nan", "inf", "-inf", "-5", " 1", "+1", "0x10",
                              "0x1p3", "1,000", "0,1", "1e-400", ".", "1 "})
      check_refused(flag, other);
    if (!is_whole(flag)) continue;
    for (const char* other : {"1.5", "1.0", "1e1", "12345678901234567890"})
      check_refused(flag, other);
  }
  CHECK(count > 30);
}

TEST_CASE("flags: every value of an enumeration is read back, and a word that is none is refused") {
  for (const Flag& flag : flags()) {
    if (flag.value.find('|') == flag.value.npos || flag.name == "attention_scale" ||
        flag.name == "tokenizer")
      continue;
    INFO(flag.name);
    std::istringstream in{std::string(flag.value)};
    Settings settings;
    for (std::string word; std::getline(in, word, '|');) {
      flag.set(settings, word, flag.name);
      CHECK(flag.get(settings) == word);
      CHECK_THROWS_AS(flag.set(settings, word + "x", flag.name), Error);
    }
    check_refused(flag, "1e9");
  }
}

TEST_CASE("flags: with every size at its largest, the parameters are counted within 63 bits") {
  model::Config config;
  for (const model::Setting<model::Config>& setting : model::config_settings)
    if (setting.value == "N")
      setting.set(config, engine::joined(static_cast<engine::Index>(setting.range.max)), "");
  double matrices = 0;
  for (const engine::Shape& shape : config.block_matrices())
    matrices += static_cast<double>(shape[0]) * static_cast<double>(shape[1]);
  CHECK(static_cast<double>(config.parameter_count()) > 1000 * matrices);
}

TEST_CASE("flags: where help says what 0 means, 0 is taken") {
  int count = 0;
  for (const Flag& flag : flags())
    if (flag.help.find("; 0: ") != flag.help.npos) {
      INFO(flag.name);
      CHECK(refusal(flag, "0") == "");
      ++count;
    }
  CHECK(count > 3);
}
