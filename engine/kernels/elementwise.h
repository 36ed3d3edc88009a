// The loop over whole vectors and the tail, for all element-by-element kernels:
//
//     map(n, y, Write::overwrite, [](Vec x) { return x * x; }, x)
//
// The tail runs the same vector code on padded lanes, so the bits of an element do not depend on
// its position.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "engine/base/thread_pool.h"
#include "engine/kernels/simd.h"
#include "engine/kernels/write.h"

namespace engine::kernels {

// out[i] = f(in[i], ...), or += with Write::add, for i in [0, n), on the calling thread. f takes a
// Vec (simd.h: as many elements as fit in a register) of each input and returns a Vec.
template <class F, class... In>
void map(Index n, real* out, Write write, F f, const In*... in) {
  Index i = 0;
  if (write == Write::overwrite) {
    for (; i + lanes <= n; i += lanes) store(out + i, f(load(in + i)...));
    if (i < n) store_part(out + i, f(load_part(in + i, n - i)...), n - i);
  } else {
    for (; i + lanes <= n; i += lanes) store(out + i, load(out + i) + f(load(in + i)...));
    if (i < n)
      store_part(out + i, load_part(out + i, n - i) + f(load_part(in + i, n - i)...), n - i);
  }
}

// Calls f(a[i], b[i], ...) for i in [0, n). f takes a Vec& of each array that it changes, and a Vec
// of each const array.
template <class F, class... Real>
void for_each(Index n, F f, Real*... arrays) {
  const auto at = [&]<std::size_t... k>(std::index_sequence<k...>, auto get, auto put) {
    Vec v[] = {get(arrays)...};
    f(v[k]...);
    const auto put_back = [&](auto* to, Vec value) {
      if constexpr (!std::is_const_v<std::remove_pointer_t<decltype(to)>>) put(to, value);
    };
    (put_back(arrays, v[k]), ...);
  };
  constexpr std::index_sequence_for<Real...> all;
  Index i = 0;
  for (; i + lanes <= n; i += lanes)
    at(
        all, [i](const real* from) { return load(from + i); },
        [i](real* to, Vec value) { store(to + i, value); });
  if (i < n)
    at(
        all, [i, n](const real* from) { return load_part(from + i, n - i); },
        [i, n](real* to, Vec value) { store_part(to + i, value, n - i); });
}

// The least number of elements for one thread: 16 Ki floats are 64 KiB per operand, about 5 us of
// cheap arithmetic; for less, waking a second thread costs more than it saves.
inline constexpr Index elements_per_range = Index(1) << 14;

// map on all threads.
template <class F, class... In>
void parallel_map(Index n, real* out, Write write, F f, const In*... in) {
  parallel_for(n, elements_per_range, [&](Index begin, Index end) {
    map(end - begin, out + begin, write, f, (in + begin)...);
  });
}

template <class F, class... Real>
void parallel_for_each(Index n, F f, Real*... arrays) {
  parallel_for(n, elements_per_range,
               [&](Index begin, Index end) { for_each(end - begin, f, (arrays + begin)...); });
}

// Calls body(row) for row = 0 .. rows - 1 on all threads, in any order; body must write only to its
// own row. cols: the number of elements in a row; it decides how many rows a thread takes at once.
template <class Body>
void parallel_rows(Index rows, Index cols, Body body) {
  parallel_for(rows, elements_per_range / (cols + 1) + 1, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) body(row);
  });
}

}  // namespace engine::kernels
