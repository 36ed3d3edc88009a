// What a config computes: expressions made at random by Python's grammar, each with its value beside it.
#include <cmath>
#include <random>
#include <string>

#include "engine/base/number.h"
#include "tests/catch.h"
#include "train/cli/config_file.h"

namespace {

struct Made {
  std::string text;
  double value;  // all of them are sums and products of a few binary fractions, so exact
};

class Maker {
 public:
  explicit Maker(unsigned seed) : words_(seed) {}

  Made sum(int depth) {
    Made all = product(depth);
    while (one_in(3)) {
      const Made next = product(depth);
      const bool plus = one_in(2);
      all = {all.text + space() + (plus ? "+" : "-") + space() + next.text,
             plus ? all.value + next.value : all.value - next.value};
    }
    return all;
  }
  Made product(int depth) {
    Made all = factor(depth);
    while (one_in(3)) {
      const Made next = factor(depth);
      const bool is_divided =
          next.value != 0 &&
          std::exp2(std::round(std::log2(std::abs(next.value)))) == std::abs(next.value);
      all = {all.text + space() + (is_divided ? "/" : "*") + space() + next.text,
             is_divided ? all.value / next.value : all.value * next.value};
    }
    return all;
  }
  Made factor(int depth) {
    if (one_in(5)) {
      const Made of = factor(depth);
      return {"-" + space() + of.text, -of.value};
    }
    if (depth > 0 && one_in(3)) {
      const Made inside = sum(depth - 1);
      return {"(" + space() + inside.text + space() + ")", inside.value};
    }
    if (one_in(6)) {  // right before left, and before a minus: 2 ** 3 ** 1 is 8
      const int low = int(words_() % 4), high = int(words_() % 3);
      return {std::to_string(low) + space() + "**" + space() + std::to_string(high) + " ** 1",
              std::pow(low, high)};
    }
    const Made atoms[] = {{"0", 0},    {"1", 1},      {"2", 2},          {"7", 7},
                          {"1_2", 12}, {"0.5", 0.5},  {".25", 0.25},     {"2.", 2},
                          {"5e1", 50}, {"1E+2", 100}, {"2.5e1", 25},     {"n_layer", 3},
                          {"True", 1}, {"False", 0},  {"dropout", 0.125}};
    return atoms[words_() % std::size(atoms)];
  }
  std::string space() { return one_in(2) ? " " : ""; }
  bool one_in(unsigned n) { return words_() % n == 0; }

  std::mt19937 words_;
};

}  // namespace

TEST_CASE("config: expressions have the values that they have in Python") {
  int numbers = 0, wholes = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    const Made made = Maker(seed).sum(3);
    const bool is_rate = made.value >= 0 && made.value <= 1000,
               is_whole = is_rate && made.value == std::floor(made.value);
    if (!is_rate) continue;
    // True and False are numbers in what is computed, and none as a value of a flag.
    const std::string value = "(" + made.text + ") + 0";
    const std::string config = "n_layer = 3; dropout = 0.125; learning_rate = " + value + '\n' +
                               (is_whole ? "max_iters = " + value : "");
    INFO(config);
    train::Settings settings;
    train::Notes notes;
    train::apply_config("c", config, train::Command::train, settings, notes);
    const train::Plan& plan = settings.train;
    if (plan.learning_rate != made.value) CHECK(plan.learning_rate == made.value);
    if (is_whole && double(plan.max_iters) != made.value)
      CHECK(double(plan.max_iters) == made.value);
    ++numbers;
    wholes += is_whole;
  }
  CHECK(numbers > 400);
  CHECK(wholes > 100);
}
