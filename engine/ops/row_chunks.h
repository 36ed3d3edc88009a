// Sums over rows, for the gradients of weights that all rows share.
#pragma once

#include <algorithm>
#include <array>

#include "engine/base/index.h"
#include "engine/base/storage.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/reduce.h"
#include "engine/tensor.h"

namespace engine {

// Adds to each of n gradients what the rows contribute. visit(row, write, part) is called for every
// row, and overwrites part[i] or adds to it, as `write` says. part[i] holds one number for each
// element of sums[i]; it is null if sums[i] has no slot.
//
// Rows come in chunks of a size that depends on their number only, 16 to 512 rows, on all threads.
// Each chunk sums its own parts, which its first row overwrites, and the parts are added in the
// order of the chunks: the same bits with any number of threads.
template <std::size_t n, class Visit>
void sum_over_rows(Index rows, const Gradient (&sums)[n], Visit visit) {
  using kernels::Write;
  const Index size = std::clamp<Index>(ceil_div(rows, 64), 16, 512), chunks = ceil_div(rows, size);
  const auto numbers = [](const Gradient& sum) { return sum ? sum.shape().size() : 0; };
  Index begin[n + 1] = {};  // where each sum's parts, (chunks, numbers), begin in the shared memory
  for (std::size_t i = 0; i < n; ++i) begin[i + 1] = begin[i] + chunks * numbers(sums[i]);
  const Scratch<real> parts(begin[n]);
  parallel_for(chunks, 1, [&](Index first, Index last) {
    for (Index chunk = first; chunk < last; ++chunk) {
      std::array<real*, n> part = {};
      for (std::size_t i = 0; i < n; ++i)
        if (sums[i]) part[i] = parts.data() + begin[i] + chunk * numbers(sums[i]);
      for (Index row = chunk * size; row < std::min((chunk + 1) * size, rows); ++row)
        visit(row, row == chunk * size ? Write::overwrite : Write::add, part);
    }
  });
  for (std::size_t i = 0; i < n; ++i)
    if (sums[i]) {
      const auto [total, write] = sums[i].destination();
      kernels::sum_rows(kernels::matrix(parts.data() + begin[i], chunks, numbers(sums[i])), total,
                        write);
    }
}

}  // namespace engine
