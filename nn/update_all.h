// f(a[i], b[i], ...) for i in [0, n) on all threads; inside a parallel loop, on the calling thread.
// f as in engine::kernels::update: it takes a Vec& of each array that it changes, and a Vec of each
// that is const.
#pragma once

#include "engine/kernels/elementwise.h"

namespace nn {

template <class F, class... Real>
void update_all(engine::Index n, F f, Real*... arrays) {
  engine::parallel_for(n, engine::kernels::elements_per_range,
                       [&](engine::Index begin, engine::Index end) {
                         engine::kernels::update(end - begin, f, (arrays + begin)...);
                       });
}

}  // namespace nn
