// Functions of one argument, element by element. An op is two functions of Vec: its formula, and
// dx from dy and what is saved. In lambdas u is x, v is y, dv is dy. Formulas in words of Vec that
// are longer than a line are in kernels/vector_math.h.

#include <cmath>

#include "engine/kernels/vector_math.h"
#include "engine/ops.h"
#include "engine/ops/map.h"
#include "engine/tape.h"

namespace engine {

using kernels::Vec;

namespace {

// y = f(x); saves y, if the derivative is cheap to compute from it: dx = derivative(y, dy).
template <Op op, class F, class Derivative>
Tensor saving_y(const Tensor& x, F f, Derivative derivative) {
  const Tensor y = map(f, x);
  return record(op, y, {x.gradient()}, [y, derivative, dx = x.gradient()](const Tensor& dy) {
    add_map(dx, derivative, y, dy);
  });
}

// y = f(x); saves x: dx = derivative(x, dy).
template <Op op, class F, class Derivative>
Tensor saving_x(const Tensor& x, F f, Derivative derivative) {
  const Tensor y = map(f, x);
  return record(op, y, {x.gradient()}, [x, derivative, dx = x.gradient()](const Tensor& dy) {
    add_map(dx, derivative, x, dy);
  });
}

Vec sine(Vec u) {
  return kernels::per_lane([](real x) { return std::sin(x); }, u);
}
Vec cosine(Vec u) {
  return kernels::per_lane([](real x) { return std::cos(x); }, u);
}

}  // namespace

// y = e^x
//     dx = dy y
Tensor exp(const Tensor& x) {
  return saving_y<Op::exp>(
      x, [](Vec u) { return kernels::exp(u); }, [](Vec v, Vec dv) { return dv * v; });
}

// y = ln x
//     dx = dy / x
Tensor log(const Tensor& x) {
  return saving_x<Op::log>(
      x, [](Vec u) { return kernels::log(u); }, [](Vec u, Vec dv) { return dv / u; });
}

// y = sqrt x
//     dx = dy / (2 y)
Tensor sqrt(const Tensor& x) {
  return saving_y<Op::sqrt>(
      x, [](Vec u) { return kernels::sqrt(u); }, [](Vec v, Vec dv) { return dv / (2 * v); });
}

// y = sin x
//     dx = dy cos x
Tensor sin(const Tensor& x) {
  return saving_x<Op::sin>(x, sine, [](Vec u, Vec dv) { return dv * cosine(u); });
}

// y = cos x
//     dx = -dy sin x
Tensor cos(const Tensor& x) {
  return saving_x<Op::cos>(x, cosine, [](Vec u, Vec dv) { return -dv * sine(u); });
}

// y = |x|
//     dx = dy where x > 0, -dy where x < 0, else 0
Tensor abs(const Tensor& x) {
  return saving_x<Op::abs>(
      x, [](Vec u) { return kernels::abs(u); },
      [](Vec u, Vec dv) { return kernels::select(u > 0, dv, kernels::select(u < 0, -dv, Vec{})); });
}

// y = tanh x
//     dx = dy (1 - y^2)
Tensor tanh(const Tensor& x) {
  return saving_y<Op::tanh>(
      x, [](Vec u) { return kernels::tanh(u); }, [](Vec v, Vec dv) { return dv * (1 - v * v); });
}

// y = 1 / (1 + e^-x)
//     dx = dy y (1 - y)
Tensor sigmoid(const Tensor& x) {
  return saving_y<Op::sigmoid>(
      x, [](Vec u) { return kernels::sigmoid(u); }, [](Vec v, Vec dv) { return dv * v * (1 - v); });
}

// y = 0 where x <= 0, else x     (NaN stays NaN)
//     dx = 0 where x <= 0, else dy
Tensor relu(const Tensor& x) {
  return saving_y<Op::relu>(
      x, [](Vec u) { return kernels::select(u <= 0, Vec{}, u); },
      [](Vec v, Vec dv) { return kernels::select(v <= 0, Vec{}, dv); });
}

// y = x^2 where x > 0, else 0     (So et al., Primer, 2021)
//     dx = dy 2 x where x > 0, else 0
Tensor relu2(const Tensor& x) {
  return saving_x<Op::relu2>(
      x, [](Vec u) { return kernels::relu2(u); },
      [](Vec u, Vec dv) { return dv * kernels::relu2_derivative(u); });
}

// y = x Phi(x),  Phi(x) = (1 + erf(x / sqrt 2)) / 2     (Hendrycks and Gimpel, 2016)
//     dx = dy (Phi(x) + x phi(x)),  phi(x) = exp(-x^2 / 2) / sqrt(2 pi)
Tensor gelu(const Tensor& x) {
  return saving_x<Op::gelu>(
      x, [](Vec u) { return kernels::gelu(u); },
      [](Vec u, Vec dv) { return dv * kernels::gelu_derivative(u); });
}

// y = x (1 + tanh w) / 2,  w = sqrt(2 / pi) (x + 0.044715 x^3)
//     dx = dy ((1 + tanh w) / 2 + x (1 - tanh^2 w) w' / 2),  w' = sqrt(2 / pi) (1 + 0.134145 x^2)
Tensor gelu_tanh(const Tensor& x) {
  return saving_x<Op::gelu_tanh>(
      x, [](Vec u) { return kernels::gelu_tanh(u); },
      [](Vec u, Vec dv) { return dv * kernels::gelu_tanh_derivative(u); });
}

// y = x s,  s = 1 / (1 + e^-x)
//     dx = dy s (1 + x (1 - s))
Tensor silu(const Tensor& x) {
  return saving_x<Op::silu>(
      x, [](Vec u) { return kernels::silu(u); },
      [](Vec u, Vec dv) { return dv * kernels::silu_derivative(u); });
}

Tensor activate(Activation activation, const Tensor& x) {
  switch (activation) {
    case Activation::gelu: return gelu(x);
    case Activation::gelu_tanh: return gelu_tanh(x);
    case Activation::relu: return relu(x);
    case Activation::relu2: return relu2(x);
    case Activation::swiglu: return swiglu(x);
  }
  return x;
}

}  // namespace engine
