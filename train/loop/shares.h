// Who updates what, if several processes train one model: each owns a part of the parameters, of
// neighboring ones. It alone sums their gradients, keeps their moments and updates them; then it
// gives their new values to the others. So an update costs each of P processes a P-th of the
// optimizer's work.
//
// Parts are halves of halves. At each level a process has a partner, with a rank that differs in
// one bit: it sends the half that it gives away, and receives and adds the half that it keeps. Then
// the halves are handed out again, in the opposite order (Rabenseifner, 2004). Each process sends
// 2 (P - 1) / P of a block, for any number P of processes.
#pragma once

#include <vector>

#include "nn/module.h"
#include "nn/optimizer.h"
#include "train/system/processes.h"
#include "train/system/words.h"

namespace train {

class Shares {
 public:
  // The parameters must outlive it.
  explicit Shares(const nn::FlatParameters& parameters, Processes processes = {});

  // The parameters that this process owns, as numbers of entries.
  const nn::Own& own() const { return own_; }

  // Of `block`, which has the layout of the parameters and other numbers in each process: the sums
  // over all processes, in the part that this process owns. What is elsewhere has no meaning then.
  void sum(engine::real* block) const;
  // Every process gets every part of `block` from the process that owns it.
  void hand_out(engine::real* block) const;

 private:
  // A range of numbers in a block.
  struct Range {
    Index begin, end;
  };
  struct Level {
    int partner;
    Range kept, given;
  };
  Processes processes_;
  std::vector<Level> levels_;
  nn::Own own_;
};

}  // namespace train
