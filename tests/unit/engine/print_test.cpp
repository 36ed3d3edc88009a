#include "engine/print.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

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
  CHECK(joined(Tensor::of({1.5, nan, inf, -inf, 0})) ==
        "tensor([1.5000,    nan,    inf,   -inf, 0.0000])");
  CHECK(joined(Tensor::of({1.5, 2e-5, -3})) == "tensor([ 1.5000e+00,  2.0000e-05, -3.0000e+00])");
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
  // At least one element to a line; of an axis of more than both edges, the edges.
  CHECK(format(Tensor::arange(3), {.line_width = 8}) == "tensor([0.,\n        1.,\n        2.])");
  CHECK(format(Tensor::arange(6), {.threshold = 5}) == "tensor([0., 1., 2., 3., 4., 5.])");
  CHECK(format(Tensor::arange(7), {.threshold = 6}) == "tensor([0., 1., 2.,  ..., 4., 5., 6.])");
  CHECK(format(Tensor::zeros({6, 7}), {.threshold = 6, .edge_items = 0}) == "tensor([...])");
  CHECK(format(Tensor::arange(7), {.threshold = 6, .edge_items = 0}) == "tensor([ ...])");
}

TEST_CASE("print: whole numbers, decimals and powers of ten at the edges of each notation") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  // By torch 2.6.
  for (const auto& [values, text] : std::vector<std::pair<std::vector<double>, std::string>>{
           {{1}, "tensor([1.])"},
           {{9999999}, "tensor([9999999.])"},
           {{12345678}, "tensor([12345678.])"},
           {{99999999}, "tensor([100000000.])"},
           {{100000000}, "tensor([100000000.])"},
           {{100000008}, "tensor([1.0000e+08])"},
           {{123456789}, "tensor([1.2346e+08])"},
           {{100000000, 1}, "tensor([1.0000e+08, 1.0000e+00])"},
           {{1, 1000}, "tensor([   1., 1000.])"},
           {{1, 1001}, "tensor([1.0000e+00, 1.0010e+03])"},
           {{1000, 1000000}, "tensor([   1000., 1000000.])"},
           {{999, 999001}, "tensor([9.9900e+02, 9.9900e+05])"},
           {{0.5, 500}, "tensor([  0.5000, 500.0000])"},
           {{0.5, 500.5}, "tensor([5.0000e-01, 5.0050e+02])"},
           {{0.0001}, "tensor([1.0000e-04])"},
           {{9e-05}, "tensor([9.0000e-05])"},
           {{0.0001, 0.0999}, "tensor([1.0000e-04, 9.9900e-02])"},
           {{1.5, 100000000}, "tensor([1.5000e+00, 1.0000e+08])"},
           {{0.001, 1}, "tensor([0.0010, 1.0000])"},
           {{0.00099, 1}, "tensor([9.9000e-04, 1.0000e+00])"},
           {{1e-05}, "tensor([1.0000e-05])"},
           {{0}, "tensor([0.])"},
           {{-0.0}, "tensor([-0.])"},
           {{1, nan}, "tensor([1., nan])"},
           {{1.5, inf}, "tensor([1.5000,    inf])"},
           {{inf}, "tensor([inf])"},
           {{nan}, "tensor([nan])"},
           {{-1, 10}, "tensor([-1., 10.])"},
           {{-0.25, 10}, "tensor([-0.2500, 10.0000])"},
           {{16777216, 1}, "tensor([1.6777e+07, 1.0000e+00])"},
           {{2.5, 2500}, "tensor([   2.5000, 2500.0000])"},
           {{2.5, 2501}, "tensor([2.5000e+00, 2.5010e+03])"},
           {{1e-10, 1e-08}, "tensor([1.0000e-10, 1.0000e-08])"},
           {{3e+38}, "tensor([3.0000e+38])"},
           {{1e-45}, "tensor([1.4013e-45])"}}) {
    const std::vector<engine::real> rounded(values.begin(), values.end());
    CHECK(joined(engine::Tensor::of({std::ssize(rounded)}, rounded)) == text);
  }
}
