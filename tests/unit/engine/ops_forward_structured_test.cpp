// Forward values of the ops on inputs with a structure (matrices, heads, ids, masks);
// called from ops_forward_test.cpp.

#include "engine/attention.h"
#include "tests/unit/engine/kernels/counter_rule.h"
#include "tests/unit/engine/plain_loops.h"

namespace plain {

void matmul_forms(Index n) {
  for (const Shapes& form :
       {Shapes{{n, 3}, {3, 5}, {n, 5}}, Shapes{{5, n}, {n, 3}, {5, 3}},
        Shapes{{3, 5}, {5, n}, {3, n}}, Shapes{{2, 3, n}, {2, n, 3}, {2, 3, 3}},
        Shapes{{2, n, 3}, {3, 5}, {2, n, 5}}, Shapes{{n, 3}, {2, 3, 5}, {2, n, 5}},
        Shapes{{3, 1, n, 2}, {2, 2, n}, {3, 2, n, n}}}) {
    const Shape &a_shape = form.a, &b_shape = form.b, &shape = form.y;
    const Tensor a = input(a_shape), b = input(b_shape);
    check_values("matmul", matmul(a, b), shape, [&](At at) {
      const int rank = shape.rank();
      return dot(
          a_shape.cols(), [&](Index k) { return get(a, with(at, rank - 1, k), rank); },
          [&](Index k) { return get(b, with(at, rank - 2, k), rank); });
    });
  }
  const Tensor u = input({n}), v = input({n}), m = input({n, 3}), w = input({2, 3, n});
  const auto element = [](const Tensor& x) { return [&x](Index k) { return Exact(x.data()[k]); }; };
  check_values("matmul", matmul(u, v), {},
               [&](const At&) { return dot(n, element(u), element(v)); });
  check_values("matmul", matmul(u, m), {3}, [&](const At& at) {
    return dot(n, element(u), [&](Index k) { return get(m, k, at[0]); });
  });
  check_values("matmul", matmul(w, v), {2, 3}, [&](const At& at) {
    return dot(
        n, [&](Index k) { return get(w, at[0], at[1], k); }, element(v));
  });
}

// --- what only moves ---------------------------------------------------------------------------

void permute_forms(Index n) {
  const Tensor x = input({2, n, 3}), m = input({n, 5});
  check_values("permute", permute(x, {2, 0, 1}), {3, 2, n},
               [&](const At& at) { return get(x, at[1], at[2], at[0]); });
  check_values("permute", permute(x, {1, 0, 2}), {n, 2, 3},
               [&](const At& at) { return get(x, at[1], at[0], at[2]); });
  check_values("transpose", transpose(m), {5, n},
               [&](const At& at) { return get(m, at[1], at[0]); });
  check_values("transpose", transpose(x, 0, 2), {3, n, 2},
               [&](const At& at) { return get(x, at[2], at[1], at[0]); });
}

void concat_forms(Index n) {
  const Tensor a = input({2, n, 3}), b = input({2, 5, 3}), c = input({n, 3});
  check_values("concat", concat({a, b, a}, 1), {2, 2 * n + 5, 3}, [&](At at) {
    if (at[1] < n) return get(a, at);
    at[1] -= n;
    if (at[1] < 5) return get(b, at);
    at[1] -= 5;
    return get(a, at);
  });
  check_values("concat", concat({c, c}, -1), {n, 6},
               [&](const At& at) { return get(c, at[0], at[1] % 3); });
}

void slice_forms(Index n) {
  const Tensor x = input({3, n}), z = input({2, n + 2, 3});
  for (const Index begin : {Index(0), n / 3})
    for (const Index end : {begin, (begin + n + 1) / 2, n})
      check_values("slice", slice(x, 1, begin, end), {3, end - begin},
                   [&](const At& at) { return get(x, at[0], at[1] + begin); });
  check_values("slice", slice(z, -2, 1, n + 1), {2, n, 3},
               [&](const At& at) { return get(z, at[0], at[1] + 1, at[2]); });
  check_values("slice", slice(z, 1, -n - 1, -1), {2, n, 3},
               [&](const At& at) { return get(z, at[0], at[1] + 1, at[2]); });
  check_values("select", select(z, 1, n + 1), {2, 3},
               [&](const At& at) { return get(z, at[0], n + 1, at[1]); });
}

void repeat_forms(Index n) {
  const Tensor x = input({3, n}), v = input({n}), z = input({2, 3});
  check_values("repeat", repeat(x, {2, 1, 3}), {2, 3, 3 * n},
               [&](const At& at) { return get(x, at[1], n == 0 ? 0 : at[2] % n); });
  check_values("repeat", repeat(v, {3}), {3 * n},
               [&](const At& at) { return get(v, n == 0 ? 0 : at[0] % n); });
  check_values("repeat", repeat(z, {n, 1}), {2 * n, 3},
               [&](const At& at) { return get(z, at[0] % 2, at[1]); });
}

void embedding_forms(Index n) {
  const Tensor weight = input({5, n}), other = input({n + 1, 3});
  const std::vector<std::int32_t> ids = {4, 0, 2, 2, 1, 4};
  check_values("embedding", embedding(weight, ids, {2, 3}), {2, 3, n}, [&](const At& at) {
    return get(weight, ids[static_cast<std::size_t>(at[0] * 3 + at[1])], at[2]);
  });
  std::vector<std::int32_t> backwards;
  for (Index i = 0; i < n; ++i) backwards.push_back(static_cast<std::int32_t>(n - i));
  check_values("embedding", embedding(other, backwards, {n}), {n, 3},
               [&](const At& at) { return get(other, n - at[0], at[1]); });
}

void masked_fill_forms(Index n) {
  for (const Shape& mask_shape : {Shape{3, n}, {n}, {3, 1}, {1, 1}, {}}) {
    const Tensor x = input({2, 3, n}), mask = input(mask_shape);
    for (Index i = 0; i < mask.size(); i += 2) mask.mutable_data()[i] = 0;
    check_values("masked_fill", masked_fill(x, mask, -7), {2, 3, n},
                 [&](const At& at) { return get(mask, at, 3) != 0 ? Exact(-7) : get(x, at); });
  }
}

void where_forms(Index n) {
  struct Form {
    Shape mask, a, b;
  };
  for (const Form& form :
       {Form{{2, 3, n}, {2, 3, n}, {2, 3, n}}, Form{{3, 1}, {2, 3, n}, {n}},
        Form{{2, 1, n}, {3, 1}, {}}, Form{{}, {2, 1, n}, {3, 1}}, Form{{2, 3, n}, {}, {1, n}}}) {
    const Tensor mask = input(form.mask), a = input(form.a), b = input(form.b);
    for (Index i = 0; i < mask.size(); i += 2) mask.mutable_data()[i] = 0;
    check_values("where", where(mask, a, b), {2, 3, n}, [&](const At& at) {
      return get(mask, at, 3) != 0 ? get(a, at, 3) : get(b, at, 3);
    });
  }
}

void gather_forms(Index n) {
  const Tensor x = input({3, n + 1}), z = input({2, 3, n});
  const auto id = [](Index i, Index below) { return static_cast<Id>((7 * i + 2) % below); };
  std::vector<Id> along_rows, along_columns, in_the_middle;
  for (Index i = 0; i < 3 * n; ++i) along_rows.push_back(id(i, n + 1));
  for (Index i = 0; i < 5 * n; ++i) along_columns.push_back(id(i, 3));
  for (Index i = 0; i < 2 * 4 * n; ++i) in_the_middle.push_back(id(i, 3));
  check_values("gather", gather(x, -1, along_rows, {3, n}), {3, n},
               [&](const At& at) { return get(x, at[0], id(at[0] * n + at[1], n + 1)); });
  check_values("gather", gather(x, 0, along_columns, {5, n}), {5, n},
               [&](const At& at) { return get(x, id(at[0] * n + at[1], 3), at[1]); });
  check_values("gather", gather(z, 1, in_the_middle, {2, 4, n}), {2, 4, n}, [&](const At& at) {
    return get(z, at[0], id((at[0] * 4 + at[1]) * n + at[2], 3), at[2]);
  });
}

void dropout_forms(Index n) {
  for (const double p : {0.0, 0.3, 0.75, 1.0})
    for (const Shape& shape : {Shape{n}, {3, n}}) {
      const Tensor x = input(shape);
      Generator generator(3), same(3);
      const std::uint64_t key = p > 0 ? same.random64() : 0;
      check_values("dropout", dropout(x, p, generator), shape, [&](const At& at) {
        const Index element = shape.rank() == 1 ? at[0] : at[0] * n + at[1];
        const Exact y =
            p < 1 && kept_by_rule(key, std::uint64_t(element), p) ? get(x, at) / (1 - Exact(p)) : 0;
        return Value{y, 2 * eps * std::abs(y)};
      });
      CHECK(generator.random64() == same.random64());
    }
}

}  // namespace plain
