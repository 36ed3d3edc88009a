#include "train/loop/gradient_sum.h"

#include <bit>
#include <cstdint>

#include "engine/kernels/elementwise.h"

namespace train {

bool GradientSum::can_share(Index N, int processes) {
  return std::has_single_bit(static_cast<unsigned>(processes)) && N % processes == 0;
}

GradientSum::Share GradientSum::share(Index N, Processes processes) {
  return {N * processes.rank / processes.count, N * (processes.rank + 1) / processes.count};
}

Index GradientSum::blocks(Index N) {
  return static_cast<Index>(std::bit_width(static_cast<std::uint64_t>(N - 1)));
}

void GradientSum::put_aside(std::size_t level) {
  while (blocks_.size() <= level) blocks_.emplace_back(parameters_.size());
  const engine::real* const gradients = parameters_.gradients();
  engine::kernels::parallel_map(
      parameters_.size(), blocks_[level].data(), engine::kernels::Write::overwrite,
      [](engine::kernels::Vec x) { return x; }, gradients);
  parameters_.clear_gradients();
}

void GradientSum::add_back(std::size_t level) {
  engine::real* const gradients = parameters_.gradients();
  engine::kernels::parallel_map(
      parameters_.size(), gradients, engine::kernels::Write::add,
      [](engine::kernels::Vec x) { return x; }, blocks_[level].data());
}

}  // namespace train
