#include "engine/print.h"

#include <limits>

#include "engine/base/check.h"
#include "engine/ops.h"
#include "tests/catch.h"

using engine::joined;

// The expected texts are what torch 1.13 prints for the same tensors.
TEST_CASE("print: tensors look as PyTorch prints them") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  using engine::Tensor;
  CHECK(joined(Tensor::of({{0.3374, -0.1778, -0.3035}, {-0.588, 0.3486, 0.66034}})) ==
        R"(tensor([[ 0.3374, -0.1778, -0.3035],
        [-0.5880,  0.3486,  0.6603]]))");
  CHECK(joined(Tensor::of({{1, -2, 3}, {0, 10, 200}})) == R"(tensor([[  1.,  -2.,   3.],
        [  0.,  10., 200.]]))");
  CHECK(joined(Tensor(1.23456)) == "tensor(1.2346)");
  CHECK(joined(Tensor(0)) == "tensor(0.)");
  CHECK(joined(Tensor(-7)) == "tensor(-7.)");
  CHECK(joined(Tensor::of({1.5, nan, inf, -inf, 0})) ==
        "tensor([1.5000,    nan,    inf,   -inf, 0.0000])");
  CHECK(joined(Tensor::of({1, -inf, 0})) == "tensor([1., -inf, 0.])");
  CHECK(joined(Tensor::of({1.5, 2e-5, -3})) == "tensor([ 1.5000e+00,  2.0000e-05, -3.0000e+00])");
  CHECK(joined(Tensor::of({1, 2000, -3})) == "tensor([ 1.0000e+00,  2.0000e+03, -3.0000e+00])");
  CHECK(joined(Tensor::of({2e8, 1e9})) == "tensor([2.0000e+08, 1.0000e+09])");
  CHECK(joined(Tensor::of({1.5e-5, 2.5e-5})) == "tensor([1.5000e-05, 2.5000e-05])");
  CHECK(joined(Tensor::zeros({2, 2})) == R"(tensor([[0., 0.],
        [0., 0.]]))");
  CHECK(joined(Tensor::zeros({0})) == "tensor([])");
  CHECK(joined(Tensor::zeros({0, 3})) == "tensor([], size=(0, 3))");
  CHECK(joined(Tensor::arange(16) * 0.5) ==
        R"(tensor([0.0000, 0.5000, 1.0000, 1.5000, 2.0000, 2.5000, 3.0000, 3.5000, 4.0000,
        4.5000, 5.0000, 5.5000, 6.0000, 6.5000, 7.0000, 7.5000]))");
  CHECK(joined((Tensor::arange(22) * 0.5).reshape({2, 11})) ==
        R"(tensor([[ 0.0000,  0.5000,  1.0000,  1.5000,  2.0000,  2.5000,  3.0000,  3.5000,
          4.0000,  4.5000,  5.0000],
        [ 5.5000,  6.0000,  6.5000,  7.0000,  7.5000,  8.0000,  8.5000,  9.0000,
          9.5000, 10.0000, 10.5000]]))");
  CHECK(joined((Tensor::arange(12) * 0.5).reshape({2, 3, 2})) == R"(tensor([[[0.0000, 0.5000],
         [1.0000, 1.5000],
         [2.0000, 2.5000]],

        [[3.0000, 3.5000],
         [4.0000, 4.5000],
         [5.0000, 5.5000]]]))");
  CHECK(joined(Tensor::arange(8).reshape({2, 2, 1, 2})) == R"(tensor([[[[0., 1.]],

         [[2., 3.]]],


        [[[4., 5.]],

         [[6., 7.]]]]))");
  CHECK(joined(Tensor::arange(1001)) == "tensor([   0.,    1.,    2.,  ...,  998.,  999., 1000.])");
  CHECK(joined(Tensor::arange(1600).reshape({16, 2, 50})) ==
        R"(tensor([[[0.0000e+00, 1.0000e+00, 2.0000e+00,  ..., 4.7000e+01,
          4.8000e+01, 4.9000e+01],
         [5.0000e+01, 5.1000e+01, 5.2000e+01,  ..., 9.7000e+01,
          9.8000e+01, 9.9000e+01]],

        [[1.0000e+02, 1.0100e+02, 1.0200e+02,  ..., 1.4700e+02,
          1.4800e+02, 1.4900e+02],
         [1.5000e+02, 1.5100e+02, 1.5200e+02,  ..., 1.9700e+02,
          1.9800e+02, 1.9900e+02]],

        [[2.0000e+02, 2.0100e+02, 2.0200e+02,  ..., 2.4700e+02,
          2.4800e+02, 2.4900e+02],
         [2.5000e+02, 2.5100e+02, 2.5200e+02,  ..., 2.9700e+02,
          2.9800e+02, 2.9900e+02]],

        ...,

        [[1.3000e+03, 1.3010e+03, 1.3020e+03,  ..., 1.3470e+03,
          1.3480e+03, 1.3490e+03],
         [1.3500e+03, 1.3510e+03, 1.3520e+03,  ..., 1.3970e+03,
          1.3980e+03, 1.3990e+03]],

        [[1.4000e+03, 1.4010e+03, 1.4020e+03,  ..., 1.4470e+03,
          1.4480e+03, 1.4490e+03],
         [1.4500e+03, 1.4510e+03, 1.4520e+03,  ..., 1.4970e+03,
          1.4980e+03, 1.4990e+03]],

        [[1.5000e+03, 1.5010e+03, 1.5020e+03,  ..., 1.5470e+03,
          1.5480e+03, 1.5490e+03],
         [1.5500e+03, 1.5510e+03, 1.5520e+03,  ..., 1.5970e+03,
          1.5980e+03, 1.5990e+03]]]))");
  CHECK(format(Tensor::of({-5.9605e-08, 1}), {.scientific = false}) ==
        "tensor([    -0.0000,      1.0000])");
  CHECK(format(Tensor::of({-0.059605, 1}), {.precision = 2}) == "tensor([-0.06,  1.00])");
}
