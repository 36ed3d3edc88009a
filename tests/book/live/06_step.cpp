// Chapter 6: how far differences are from the derivative, by their step h, in float: with two points, and with four.
#include <cmath>

#include "engine/base/check.h"
#include "tests/book/live/formula.h"
#include "tests/book/live/live.h"

using namespace engine;

namespace {

live::JsonObject answer(const live::Choices& choices) {
  const std::string_view formula = choices.text("formula", 200);
  const auto f = [&](const Tensor& x) {
    const auto leaf = [&](std::string_view name) {
      check(name == "x", "formula: ", model::in_quotes(name), " is unknown: f has one variable, x");
      return x;
    };
    return live::Formula(formula, leaf).value();
  };
  const Tensor x = Tensor(choices.number("x", 1, -100, 100)).require_gradient();
  Tape tape;
  const Tensor y = f(x);
  check(y.gradient() && y.gradient() != x.gradient(),
        "formula: its last part has no op on x yet: type one, such as x * x");
  tape.backward(y);
  const double derivative = double(x.gradient().value().item());
  const Tape::Pause pause;
  const auto difference = [&](double h) {
    return double(f(x.detach() + h).item()) - double(f(x.detach() - h).item());
  };
  std::vector<double> steps, two, four;
  std::string said;
  const auto put = [&](int width, double value) {
    if (std::isfinite(value)) return live::print(said, "%*.5g", width, value);
    live::print(said, "%*s", width, "not finite");
  };
  said += "  by backward: ";
  put(0, derivative);
  said += "\n       h   two points   four points\n";
  for (int i = 0; i <= 24; ++i) {
    const double h = std::exp2(-i), by_two = difference(h) / (2 * h),
                 by_four = (8 * difference(h) - difference(2 * h)) / (12 * h);
    steps.push_back(h);
    two.push_back(std::fabs(by_two - derivative));
    four.push_back(std::fabs(by_four - derivative));
    // Smaller steps are rounded by each processor in its own way.
    if (i > 4) continue;
    put(8, h);
    put(13, by_two);
    put(14, by_four);
    said += "\n";
  }
  return live::JsonObject().add("value", double(y.item()), "derivative", derivative, "steps",
                                live::json_array(steps), "two", live::json_array(two), "four",
                                live::json_array(four), "said", said);
}

const live::Figure figure(answer, "formula=exp(x)\nx=1");

}  // namespace
