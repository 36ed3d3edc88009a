// The gradient of an update: the sum over its N micro-batches, halved again and again,
//
//     micro-batch   0   1   2   3   4   5   6   7
//                    \ /     \ /     \ /     \ /        in one process, or
//                     +       +       +       +         between neighbors
//                      \_   _/         \_   _/
//                        \ /             \ /
//                         +               +
//                          \____     ____/
//                               \   /
//                                 +                     the gradient
//
// for any number of processes. Sums of floating-point numbers depend on their order; here N alone
// decides the order. P processes, a power of two that divides N, compute N / P neighboring
// micro-batches each. These are whole subtrees, so what is left is the top of the tree, one level
// for each doubling of P. So a run ends in the same bytes with any number of processes, as with any
// number of threads.
//
// Between processes, each level is one exchange (shares.h).
#pragma once

#include <vector>

#include "nn/module.h"
#include "train/loop/shares.h"
#include "train/system/processes.h"
#include "train/system/words.h"

namespace train {

class GradientSum {
 public:
  // The parameters and the shares must outlive it.
  GradientSum(const nn::FlatParameters& parameters, const Shares& shares, Processes processes = {})
      : parameters_(parameters), shares_(shares), processes_(processes) {}

  // Whether this number of processes can share N micro-batches.
  static bool can_share(Index N, int processes);
  // The micro-batches of a process.
  struct Share {
    Index begin, end;
  };
  static Share share(Index N, Processes processes);
  // The number of blocks, each as large as the gradient, that are in use besides it.
  static Index blocks(Index N);

  // Calls differentiate(i) for each micro-batch i of this process's share of N, in order; it adds
  // the micro-batch's gradient to the parameters' gradients, which are cleared. Afterwards these
  // are the sum over all N, for the parameters that this process owns.
  template <class Differentiate>
  void over(Index N, const Differentiate& differentiate) {
    const Share mine = share(N, processes_);
    add_up(mine.begin, mine.end, 0, differentiate);
    if (!processes_.alone()) shares_.sum(parameters_.gradients());
  }

 private:
  template <class Differentiate>
  void add_up(Index begin, Index end, std::size_t level, const Differentiate& differentiate) {
    if (end - begin == 1) return differentiate(begin);
    const Index middle = begin + (end - begin) / 2;
    add_up(begin, middle, level + 1, differentiate);
    put_aside(level);
    add_up(middle, end, level + 1, differentiate);
    add_back(level);
  }
  void put_aside(std::size_t level);
  void add_back(std::size_t level);

  const nn::FlatParameters& parameters_;
  const Shares& shares_;
  Processes processes_;
  std::vector<engine::Buffer> blocks_;  // of each level of the tree
};

}  // namespace train
