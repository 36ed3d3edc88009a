// The order in which the gradients of micro-batches are added. Between processes: tests/mpi.
#include "train/loop/gradient_sum.h"

#include <cmath>

#include "tests/catch.h"

using namespace train;
using engine::real;

namespace {

struct Model {
  engine::Tensor w = engine::Tensor::zeros({3}), unused = engine::Tensor::zeros({2});
  void reflect(nn::Reflector& r) { r("w", w), r("unused", unused); }
};

// Of magnitudes so different that each order of adding rounds to another sum.
real gradient_of(Index i, Index element) {
  return static_cast<real>(std::sin(double(7 * i + element + 1)) * std::pow(10, i * 5 % 7));
}

// ((0 + 1) + (2 + 3)) + ..., in words: halves; the first is the smaller if they differ.
real tree(Index begin, Index end, Index element) {
  if (end - begin == 1) return gradient_of(begin, element);
  const Index middle = (begin + end) / 2;
  return tree(begin, middle, element) + tree(middle, end, element);
}

}  // namespace

TEST_CASE("gradient sum: micro-batches are added as a balanced tree") {
  Model model;
  const nn::FlatParameters parameters(model);
  const Shares shares(parameters);
  GradientSum sum(parameters, shares);
  for (const Index N : {1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 3, 1}) {  // what was aside is forgotten
    std::vector<Index> order;
    sum.over(N, [&](Index i) {
      order.push_back(i);
      model.w.gradient().accumulate(
          engine::Tensor::of({gradient_of(i, 0), gradient_of(i, 1), gradient_of(i, 2)}));
    });
    INFO(N << " micro-batches");
    REQUIRE(std::ssize(order) == N);
    for (Index i = 0; i < N; ++i) CHECK(order[std::size_t(i)] == i);
    for (Index element = 0; element < 3; ++element)
      CHECK(model.w.gradient().value().data()[element] == tree(0, N, element));
    for (Index element = 0; element < 2; ++element)
      CHECK(model.unused.gradient().value().data()[element] == 0);
    parameters.clear_gradients();
  }
}

TEST_CASE("gradient sum: processes share micro-batches as whole subtrees") {
  for (const auto& [N, count] :
       {std::pair<Index, int>(1, 1), {4, 1}, {4, 2}, {4, 4}, {12, 4}, {24, 8}})
    for (int rank = 0; rank < count; ++rank) {
      const GradientSum::Share share = GradientSum::share(N, {.count = count, .rank = rank});
      INFO(N << " micro-batches, process " << rank << " of " << count);
      CHECK(share.begin == rank * (N / count));
      CHECK(share.end == (rank + 1) * (N / count));
    }
}
