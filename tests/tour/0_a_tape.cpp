// Tour, 0: a whole tape, with the standard library alone. Type it, and change it:
//     g++ -std=c++20 0_a_tape.cpp && ./a.out
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

struct Number {
  double value;
  std::shared_ptr<double> slot = std::make_shared<double>(0);  // d loss / d this number, a sum
};

struct Node {                                   // an operation that has run forward
  std::shared_ptr<double> slot;                 // of its result
  std::function<void(double dy)> run_backward;  // adds to the slots of its operands
};
static std::vector<Node> tape;

static Number record(double value, std::function<void(double)> run_backward) {
  const Number y{value};
  tape.push_back({y.slot, run_backward});
  return y;
}

static Number operator+(Number a, Number b) {
  return record(a.value + b.value, [=](double dy) { *a.slot += dy, *b.slot += dy; });
}

static Number operator*(Number a, Number b) {
  return record(a.value * b.value,
                [=](double dy) { *a.slot += dy * b.value, *b.slot += dy * a.value; });
}

static void backward(Number loss) {
  *loss.slot = 1;
  for (; !tape.empty(); tape.pop_back()) tape.back().run_backward(*tape.back().slot);
}

int main() {
  const Number x{3}, w{2}, b{1};
  const Number v = x * w + b;
  backward(v * v);
  std::printf("(x w + b)^2: dx = %g, dw = %g, db = %g\n", *x.slot, *w.slot, *b.slot);

  Number slope{0}, height{0};  // of a line, which is to go through (1, 3), (2, 5) and (3, 7)
  for (int update = 0; update <= 200; ++update) {
    Number loss{0};
    for (const double at : {1, 2, 3}) {
      const Number error = slope * Number{at} + height + Number{-(2 * at + 1)};
      loss = loss + error * error;
    }
    if (update % 50 == 0)
      std::printf("update %3d: loss %.4f, the line %.3f x + %.3f\n", update, loss.value,
                  slope.value, height.value);
    backward(loss);
    for (Number* const parameter : {&slope, &height}) {
      parameter->value -= 0.02 * *parameter->slot;  // a step against the gradient
      *parameter->slot = 0;
    }
  }
}
