#include "train/loop/gradient_sum.h"

#include <bit>
#include <string>
#include <tuple>
#include <utility>

#include "engine/kernels/elementwise.h"

namespace train {

namespace {

// to += from
void add(Index n, const engine::real* from, engine::real* to) {
  using engine::kernels::Vec;
  engine::kernels::parallel_map(
      n, to, engine::kernels::Write::add, [](Vec x) { return x; }, from);
}

}  // namespace

void GradientSum::check_shares(Index N, int processes) {
  const auto fits = [&](int count) {
    return std::has_single_bit(static_cast<unsigned>(count)) && N % count == 0;
  };
  if (fits(processes)) return;
  std::string possible = "1";
  for (int count = 2; count <= N && count <= 1 << 20; count *= 2)
    if (fits(count)) possible += joined(", ", count);
  fail("--gradient_accumulation_steps: ", N, " micro-batches cannot be divided among ", processes,
       " processes; expected a number of processes that is a power of two and divides ", N, ": ",
       possible);
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
  add(parameters_.size(), blocks_[level].data(), parameters_.gradients());
}

void GradientSum::exchange() {
  engine::real* const gradients = parameters_.gradients();
  Index begin = 0, end = parameters_.size();  // the range that this process still sums
  const engine::Scratch<engine::real> received(engine::ceil_div(end, 2));
  // Halves [begin, end): the upper half is for the process with the bit `distance` in its rank.
  struct Halves {
    Index begin, middle, end;
    bool upper;
    std::pair<Index, Index> kept() const {
      return upper ? std::pair(middle, end) : std::pair(begin, middle);
    }
    std::pair<Index, Index> given() const {
      return upper ? std::pair(begin, middle) : std::pair(middle, end);
    }
  };
  const auto part = [&](std::pair<Index, Index> of) {
    return std::span(gradients + of.first, engine::unsigned_size(of.second - of.first));
  };
  std::vector<Halves> levels;
  for (int distance = 1; distance < processes_.count; distance *= 2) {
    const Halves h{begin, begin + (end - begin) / 2, end, (processes_.rank & distance) != 0};
    levels.push_back(h);
    std::tie(begin, end) = h.kept();
    processes_.exchange(processes_.rank ^ distance, part(h.given()),
                        {received.data(), engine::unsigned_size(end - begin)});
    add(end - begin, received.data(), gradients + begin);
  }
  for (int distance = processes_.count / 2; distance > 0; distance /= 2, levels.pop_back())
    processes_.exchange(processes_.rank ^ distance, part(levels.back().kept()),
                        part(levels.back().given()));
}

}  // namespace train
