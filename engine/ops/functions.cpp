// Functions of one argument, element by element. They save y for backward if the derivative is
// cheap to compute from y, else x.

#include <cmath>

#include "engine/kernels/vector_math.h"
#include "engine/ops.h"
#include "engine/ops/map.h"
#include "engine/tape.h"

namespace engine {

using kernels::Vec;

namespace {

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
  const Tensor y = map([](Vec u) { return kernels::exp(u); }, x);
  return record(Op::exp, y, {x.gradient()}, [y, dx = x.gradient()](const Tensor& dy) {
    add_map(
        dx, [](Vec v, Vec dv) { return dv * v; }, y, dy);
  });
}

// y = ln x
//     dx = dy / x
Tensor log(const Tensor& x) {
  const Tensor y = map([](Vec u) { return kernels::log(u); }, x);
  return record(Op::log, y, {x.gradient()}, [x, dx = x.gradient()](const Tensor& dy) {
    add_map(
        dx, [](Vec u, Vec dv) { return dv / u; }, x, dy);
  });
}

// y = sqrt x
//     dx = dy / (2 y)
Tensor sqrt(const Tensor& x) {
  const Tensor y = map([](Vec u) { return kernels::sqrt(u); }, x);
  return record(Op::sqrt, y, {x.gradient()}, [y, dx = x.gradient()](const Tensor& dy) {
    add_map(
        dx, [](Vec v, Vec dv) { return dv / (2 * v); }, y, dy);
  });
}

// y = sin x
//     dx = dy cos x
Tensor sin(const Tensor& x) {
  const Tensor y = map(sine, x);
  return record(Op::sin, y, {x.gradient()}, [x, dx = x.gradient()](const Tensor& dy) {
    add_map(
        dx, [](Vec u, Vec dv) { return dv * cosine(u); }, x, dy);
  });
}

// y = cos x
//     dx = -dy sin x
Tensor cos(const Tensor& x) {
  const Tensor y = map(cosine, x);
  return record(Op::cos, y, {x.gradient()}, [x, dx = x.gradient()](const Tensor& dy) {
    add_map(
        dx, [](Vec u, Vec dv) { return -dv * sine(u); }, x, dy);
  });
}

// y = |x|
//     dx = dy where x > 0, -dy where x < 0, else 0
Tensor abs(const Tensor& x) {
  const Tensor y = map([](Vec u) { return kernels::abs(u); }, x);
  return record(Op::abs, y, {x.gradient()}, [x, dx = x.gradient()](const Tensor& dy) {
    add_map(
        dx,
        [](Vec u, Vec dv) {
          return kernels::select(u > 0, dv, kernels::select(u < 0, -dv, Vec{}));
        },
        x, dy);
  });
}

// y = tanh x
//     dx = dy (1 - y^2)
Tensor tanh(const Tensor& x) {
  const Tensor y = map([](Vec u) { return kernels::tanh(u); }, x);
  return record(Op::tanh, y, {x.gradient()}, [y, dx = x.gradient()](const Tensor& dy) {
    add_map(
        dx, [](Vec v, Vec dv) { return dv * (1 - v * v); }, y, dy);
  });
}

// y = 1 / (1 + e^-x)
//     dx = dy y (1 - y)
Tensor sigmoid(const Tensor& x) {
  const Tensor y = map([](Vec u) { return kernels::sigmoid(u); }, x);
  return record(Op::sigmoid, y, {x.gradient()}, [y, dx = x.gradient()](const Tensor& dy) {
    add_map(
        dx, [](Vec v, Vec dv) { return dv * v * (1 - v); }, y, dy);
  });
}

// y = x where x > 0, else 0 (NaN stays NaN)
//     dx = dy where x > 0, else 0
Tensor relu(const Tensor& x) {
  const Tensor y = map([](Vec u) { return kernels::select(u <= 0, Vec{}, u); }, x);
  return record(Op::relu, y, {x.gradient()}, [y, dx = x.gradient()](const Tensor& dy) {
    add_map(
        dx, [](Vec v, Vec dv) { return kernels::select(v <= 0, Vec{}, dv); }, y, dy);
  });
}

// y = x^2 where x > 0, else 0     (So et al., Primer, 2021)
//     dx = dy 2 x where x > 0, else 0
Tensor relu2(const Tensor& x) {
  const Tensor y = map([](Vec u) { return kernels::relu2(u); }, x);
  return record(Op::relu2, y, {x.gradient()}, [x, dx = x.gradient()](const Tensor& dy) {
    add_map(
        dx, [](Vec u, Vec dv) { return dv * kernels::relu2_derivative(u); }, x, dy);
  });
}

// y = x Phi(x),  Phi(x) = (1 + erf(x / sqrt 2)) / 2     (Hendrycks and Gimpel, 2016)
//     dx = dy (Phi(x) + x phi(x)),  phi(x) = exp(-x^2 / 2) / sqrt(2 pi)
Tensor gelu(const Tensor& x) {
  const Tensor y = map([](Vec u) { return kernels::gelu(u); }, x);
  return record(Op::gelu, y, {x.gradient()}, [x, dx = x.gradient()](const Tensor& dy) {
    add_map(
        dx, [](Vec u, Vec dv) { return dv * kernels::gelu_derivative(u); }, x, dy);
  });
}

// y = x (1 + tanh w) / 2,  w = sqrt(2 / pi) (x + 0.044715 x^3)
//     dx = dy ((1 + tanh w) / 2 + x (1 - tanh^2 w) w' / 2),  w' = sqrt(2 / pi) (1 + 0.134145 x^2)
Tensor gelu_tanh(const Tensor& x) {
  const Tensor y = map([](Vec u) { return kernels::gelu_tanh(u); }, x);
  return record(Op::gelu_tanh, y, {x.gradient()}, [x, dx = x.gradient()](const Tensor& dy) {
    add_map(
        dx, [](Vec u, Vec dv) { return dv * kernels::gelu_tanh_derivative(u); }, x, dy);
  });
}

// y = x s,  s = 1 / (1 + e^-x)
//     dx = dy s (1 + x (1 - s))
Tensor silu(const Tensor& x) {
  const Tensor y = map([](Vec u) { return kernels::silu(u); }, x);
  return record(Op::silu, y, {x.gradient()}, [x, dx = x.gradient()](const Tensor& dy) {
    add_map(
        dx, [](Vec u, Vec dv) { return dv * kernels::silu_derivative(u); }, x, dy);
  });
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
