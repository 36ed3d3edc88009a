// Sums over rows, for the gradients of weights that all rows share.
#pragma once

#include <algorithm>

#include "engine/base/index.h"
#include "engine/base/storage.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/reduce.h"
#include "engine/tensor.h"

namespace engine {

// Rows in chunks of a size that depends on their number only, 16 to 512 rows. Each chunk sums its
// own part of a gradient, and the parts are added in index order: the same bits with any number of
// threads.
struct RowChunks {
  explicit RowChunks(Index rows_)
      : rows(rows_),
        size(std::clamp<Index>(ceil_div(rows_, 64), 16, 512)),
        count(ceil_div(rows_, size)) {}

  // Calls visit(chunk, row, write) for every row, chunks on all threads. The row's contribution
  // overwrites the chunk's part or is added to it, as `write` says: the first row overwrites.
  template <class Visit>
  void for_each_row(Visit visit) const {
    using kernels::Write;
    parallel_for(count, 1, [&](Index begin, Index end) {
      for (Index chunk = begin; chunk < end; ++chunk)
        for (Index row = chunk * size; row < std::min((chunk + 1) * size, rows); ++row)
          visit(chunk, row, row == chunk * size ? Write::overwrite : Write::add);
    });
  }

  // Adds the chunks' parts to a gradient, if there is one.
  void add_parts(const Scratch<real>& parts, const Gradient& gradient) const {
    if (!gradient) return;
    const auto [total, write] = gradient.destination();
    kernels::sum_rows(kernels::matrix(parts.data(), count, gradient.shape().size()), total, write);
  }

  Index rows, size, count;
};

}  // namespace engine
