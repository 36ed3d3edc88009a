// Which process owns which parameters. What they send each other: tests/mpi.
#include "train/loop/shares.h"

#include "tests/catch.h"

using namespace train;

namespace {

// Parameters of these sizes, in this order.
struct Model {
  explicit Model(const std::vector<Index>& sizes) {
    for (const Index size : sizes) parameters.push_back(engine::Tensor::zeros({size}));
  }
  void reflect(nn::Reflector& r) {
    for (std::size_t i = 0; i < parameters.size(); ++i) r(joined("p", i).c_str(), parameters[i]);
  }
  std::vector<engine::Tensor> parameters;
};

}  // namespace

TEST_CASE("shares: each parameter is owned by one process, and parts are near halves of halves") {
  for (const std::vector<Index>& sizes :
       {std::vector<Index>(64, 100), {1000, 10, 10, 10, 500}, {16}, {1, 2, 3, 4, 5, 6, 7, 8, 9}}) {
    Model model(sizes);
    const nn::FlatParameters parameters(model);
    CHECK(Shares(parameters).own().begin == 0);
    CHECK(Shares(parameters).own().end == std::ssize(sizes));
    for (const int count : {2, 4, 8}) {
      std::vector<int> owners(sizes.size());
      for (int rank = 0; rank < count; ++rank) {
        const nn::Own own = Shares(parameters, {.count = count, .rank = rank}).own();
        Index size = 0;
        for (Index i = own.begin; i < own.end; ++i) {
          ++engine::at(owners, i);
          size += nn::padded(engine::at(sizes, i));
        }
        INFO(sizes.size() << " parameters, process " << rank << " of " << count);
        // Each halving misses the middle by half of a parameter at most.
        CHECK(double(size) <=
              double(parameters.size()) / count + double(nn::padded(std::ranges::max(sizes))));
      }
      for (const int n : owners) CHECK(n == 1);
    }
  }
}
