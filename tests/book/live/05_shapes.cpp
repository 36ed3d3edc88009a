// Chapter 5: two shapes, added: which axes are repeated, and over which backward sums. Of small shapes the numbers too.
#include "engine/base/check.h"
#include "engine/base/number.h"
#include "engine/ops.h"
#include "engine/tape.h"
#include "model/base/text.h"
#include "tests/book/live/live.h"

using namespace engine;
using live::JsonObject;

namespace {

Shape shape_of(std::string_view typed) {
  std::string text(typed);
  for (char& c : text)
    if (c == ',' || c == '(' || c == ')') c = ' ';
  std::vector<Index> sizes;
  if (text.find_first_not_of(' ') != text.npos)
    for (const std::string_view word : live::words(text)) {
      std::int64_t size = 0;
      check(parse_number(word, size) == Parsed::ok, "shape: ", model::in_quotes(word),
            " is no size of an axis");
      sizes.push_back(size);
    }
  return Shape(sizes);
}

JsonObject answer(const live::Choices& choices) {
  const Shape a = shape_of(choices.text("a", 100)), b = shape_of(choices.text("b", 100)),
              y = broadcast("add", a, b);
  JsonObject json;
  std::string said = joined("  a ", a, " + b ", b, " gives ", y, "\n");
  for (const auto& [name, x] : {std::pair("a", a), std::pair("b", b)}) {
    said += joined("  of ", name, ":");
    bool repeats = false;
    for (int axis = 1; axis <= y.rank(); ++axis)
      if (x.from_end(axis) != y.from_end(axis)) {
        said += joined(repeats ? ", " : " ", "axis -", axis, " is repeated ", y.from_end(axis),
                       " times, and backward sums over it");
        repeats = true;
      }
    said += repeats ? "\n" : " nothing is repeated\n";
  }
  if (y.size() <= 64 && y.size() > 0) {
    const Tensor ta = (Tensor::arange(a.size()).reshape(a) * 10).require_gradient(),
                 tb = Tensor::arange(b.size()).reshape(b).require_gradient();
    Tape tape;
    const Tensor sum = ta + tb;
    tape.backward(sum, Tensor::ones(y));
    json.add("a", live::rows(ta), "b", live::rows(tb), "y", live::rows(sum), "da",
             live::rows(ta.gradient().value()), "db", live::rows(tb.gradient().value()));
  }
  return json.add("said", said);
}

const live::Figure figure(answer, "a=4, 1\nb=3");

}  // namespace
