// embedding: y[t] = weight[ids[t]]
//     dweight[v] = sum of dy[t] over all t with ids[t] = v
// Threads split the channels of dweight: each goes through all ids in order, so no two threads
// write to one element and the order of additions is fixed.

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/kernels/elementwise.h"
#include "engine/ops.h"
#include "engine/tape.h"

namespace engine {

using kernels::Vec;
using kernels::Write;

Tensor embedding(const Tensor& weight, std::span<const Id> ids, const Shape& shape) {
  check(weight.shape().rank() == 2, "embedding: weight has shape ", weight.shape(),
        ", expected (entries, channels)");
  const Index entries = weight.shape()[0], channels = weight.shape()[1];
  const Index count = std::ssize(ids);
  check(count == shape.size(), "embedding: shape ", shape, " has ",
        counted(shape.size(), "element"), " for ", counted(count, "id"));
  check(shape.rank() < Shape::max_rank, "embedding: ids of shape ", shape, " have ", shape.rank(),
        " axes, expected at most ", Shape::max_rank - 1, ": one is for the channels");
  for (Index t = 0; t < count; ++t) {
    const Id id = at(ids, t);
    check(0 <= id && id < entries, "embedding: id ", id, " at position ", t, ", weight ",
          weight.shape(), " has ", entries, " entries");
  }
  const Tensor y = Tensor::uninitialized(shape.inserted(shape.rank(), channels));
  kernels::parallel_rows(count, channels, [&](Index t) {
    std::copy_n(weight.data() + at(ids, t) * channels, channels, y.mutable_data() + t * channels);
  });
  std::vector<Id, PoolAllocator<Id>> kept(ids.begin(), ids.end());
  return record(Op::embedding, y, {weight.gradient()},
                [channels, kept = std::move(kept), dw = weight.gradient()](const Tensor& dy) {
                  real* const sum = dw.data_or_zeros();
                  parallel_for(channels, 64, [&](Index begin, Index end) {
                    const real* from = dy.data() + begin;
                    for (const Id id : kept) {
                      kernels::map(
                          end - begin, sum + id * channels + begin, Write::add,
                          [](Vec v) { return v; }, from);
                      from += channels;
                    }
                  });
                });
}

}  // namespace engine
