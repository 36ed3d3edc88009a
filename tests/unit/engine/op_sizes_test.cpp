// Ops just below and above the sizes at which their loops are cut into tiles, blocks, chunks and
// threads' ranges: compared with plain loops, and with the same bits on 1, 2 and 3 threads.

#include <cstring>
#include <functional>
#include <limits>
#include <utility>

#include "engine/attention.h"
#include "engine/kernels/reduce.h"
#include "engine/ops/dropout.h"
#include "engine/tape.h"
#include "tests/unit/engine/kernels/counter_rule.h"
#include "tests/unit/engine/plain_loops.h"
#include "tests/unit/engine/scoped_threads.h"

#pragma GCC diagnostic error "-Wswitch"

using namespace plain;

namespace {

// Whole numbers in [-8, 8]: below 2^24 / 8 of them have a sum without rounding, in any order.
Tensor whole_numbers(const Shape& shape, std::uint64_t seed = 1) {
  std::vector<std::int64_t> drawn(static_cast<std::size_t>(shape.size()));
  Generator(seed).randint(drawn, -8, 9);
  const Tensor x = Tensor::uninitialized(shape);
  std::ranges::transform(drawn, x.mutable_data(), [](std::int64_t v) { return real(v); });
  return x;
}

std::vector<Id> some_ids(Index count, Index below) {
  std::vector<Id> drawn(static_cast<std::size_t>(count));
  Generator(3).randint(drawn, 0, below);
  return drawn;
}

// x[i] is exactly expected(i), or the first that is not is named.
template <class Expected>
void check_exact(const std::string& what, const Tensor& x, Expected expected) {
  for (Index i = 0; i < x.size(); ++i)
    if (x.data()[i] != expected(i)) {
      INFO(what << ": element " << i << " of shape " << x.shape() << " is " << x.data()[i]
                << ", expected " << expected(i));
      REQUIRE(x.data()[i] == expected(i));
    }
  CHECK(x.size() > 0);
}

}  // namespace

// --- attention: blocks of 64 queries, tiles of 256 keys ------------------------------------------

namespace {

// A sum, and the sum of the sizes of its terms.
struct Sum {
  Exact exact = 0, size = 0;
  // weight x; the weight may be a sum itself.
  void add(const Sum& weight, Exact x) {
    exact += weight.exact * x;
    size += weight.size * std::abs(x);
  }
};

// Attention of one head and its gradients, from the formulas.
struct PlainAttention {
  PlainAttention(const Tensor& qkv, const Tensor& dy, Index heads, Index head,
                 const AttentionScores& scores)
      : T(qkv.shape()[1]), D(qkv.shape()[2] / 3 / heads) {
    const auto feature = [&](Index part, Index i, Index d) {
      return get(qkv, 0, i, (part * heads + head) * D + d);
    };
    const auto product = [&](auto a, auto b) {
      Sum sum;
      for (Index d = 0; d < D; ++d) sum.add({a(d), std::abs(a(d))}, b(d));
      return sum;
    };
    const Exact scale = scores.scale ? Exact(*scores.scale) : 1 / std::sqrt(Exact(D));
    for (auto* m : {&o, &dq, &dk, &dv}) m->resize(static_cast<std::size_t>(T * D));
    Exact largest_score = 0;
    std::vector<Exact> p(static_cast<std::size_t>(T));
    for (Index i = 0; i < T; ++i) {
      const auto visible = static_cast<std::size_t>(scores.causal ? i + 1 : T);
      const auto q = [&](Index d) { return feature(0, i, d); };
      const auto g = [&](Index d) { return get(dy, 0, i, head * D + d); };
      std::vector<Sum> dp;
      for (std::size_t j = 0; j < visible; ++j) {
        const Sum score = product(q, [&](Index d) { return feature(1, Index(j), d); });
        p[j] = scale * score.exact;
        largest_score = std::max(largest_score, scale * score.size);
        dp.push_back(product(g, [&](Index d) { return feature(2, Index(j), d); }));
      }
      const Exact most = *std::max_element(p.begin(), p.begin() + std::ptrdiff_t(visible));
      Exact sum = 0;
      for (std::size_t j = 0; j < visible; ++j) sum += p[j] = std::exp(p[j] - most);
      Sum t;  // sum_l P_il dP_il
      for (std::size_t j = 0; j < visible; ++j) t.add(dp[j], p[j] /= sum);
      for (std::size_t j = 0; j < visible; ++j) {
        const Sum w = {p[j], p[j]};
        const Sum ds = {scale * p[j] * (dp[j].exact - t.exact),
                        scale * p[j] * (dp[j].size + t.size)};
        for (Index d = 0; d < D; ++d) {
          const auto at_i = std::size_t(i * D + d), at_j = j * std::size_t(D) + std::size_t(d);
          o[at_i].add(w, feature(2, Index(j), d));
          dv[at_j].add(w, g(d));
          dq[at_i].add(ds, feature(1, Index(j), d));
          dk[at_j].add(ds, q(d));
        }
      }
    }
    // A weight is off by its score's D + 4 roundings, the largest score's as many, both in exp's
    // exponent, which itself is rounded at most at twice the largest score; by exp's 2, the sum's T
    // and 4 more. It enters a gradient twice; the sums over keys, positions and features round
    // 2 T + 2 D times, other factors 10 times.
    const Exact weight = Exact(2 * D + 12) * largest_score + Exact(T + 6);
    roundings = 2 * weight + Exact(2 * T + 2 * D + 10);
  }
  Index T, D;
  std::vector<Sum> o, dq, dk, dv;
  Exact roundings;
};

}  // namespace

TEST_CASE("attention: contexts on both sides of a block of queries and of a tile of keys") {
  constexpr Index H = 2, D = 3, C = H * D;
  const auto scores =
      GENERATE(AttentionScores{}, AttentionScores{1, true}, AttentionScores{0.01, false});
  INFO("scale " << scores.scale.value_or(0) << ", causal " << scores.causal);
  for (const Index T : {63, 64, 65, 255, 256, 257, 513}) {
    const Tensor qkv = input({1, T, 3 * C}), dy = input({1, T, C});
    const Tensor leaf = qkv.clone().require_gradient();
    Tape tape;
    const Tensor y = self_attention(leaf, H, 0, nullptr, scores);
    tape.backward(y, dy);
    const Tensor dx = leaf.gradient().value();
    for (Index head = 0; head < H; ++head) {
      const PlainAttention plain(qkv, dy, H, head, scores);
      const auto check_part = [&](const char* what, const Tensor& x, Index first,
                                  const std::vector<Sum>& sums) {
        const Tensor part = slice(x.detach(), 2, first + head * D, first + (head + 1) * D);
        check_values(what, part, {1, T, D}, [&](const At& at) {
          const Sum& sum = sums[std::size_t(at[1] * D + at[2])];
          return Value{sum.exact, plain.roundings * eps * sum.size};
        });
      };
      INFO("head " << head);
      check_part("y", y, 0, plain.o);
      check_part("dq", dx, 0, plain.dq);
      check_part("dk", dx, C, plain.dk);
      check_part("dv", dx, 2 * C, plain.dv);
    }
    CHECK(leaf.gradient().written());
  }
}

// --- dropout: ranges of 16,384 elements ----------------------------------------------------------

namespace {

// With probability 1/4 of 0.
real dropout_factor(std::uint64_t key, std::uint64_t element) {
  return kept_by_rule(key, element, 0.25) ? real(1 / 0.75) : real(0);
}

}  // namespace

TEST_CASE("dropout: masks of elements on both sides of 2^32") {
  // The elements' number is 32 bits and a segment; a mask may begin in one and end in the next.
  Generator generator(3), same(3);
  const DropoutMask mask = DropoutMask::draw(0.25, &generator);
  const std::uint64_t key = same.random64();
  for (const std::uint64_t boundary : {std::uint64_t(1) << 32, std::uint64_t(5) << 32})
    for (const std::uint64_t before : {0u, 1u, 40u, 60u, 61u, 100u}) {
      const Tensor y = Tensor::uninitialized({100});
      mask.apply(100, boundary - before, Tensor::ones({100}).data(), y.mutable_data(),
                 kernels::Write::overwrite);
      INFO(before << " elements before " << boundary);
      check_exact("y", y, [&](Index i) {
        return dropout_factor(key, boundary - before + std::uint64_t(i));
      });
    }
}

// --- layer_norm: chunks of 16 rows, 64 chunks at most --------------------------------------------

TEST_CASE("layer_norm: gradients of inputs, weight and bias, whatever the number of rows") {
  constexpr Index C = 5;
  for (const Index rows : {15, 16, 17, 33, 1023, 1024, 1025, 1088, 1089, 2100}) {
    Tensor x = input({rows, C}, -0.5, 0.5);  // plus 0, 1, ..., 4, so that no row is narrow
    for (Index i = 0; i < x.size(); ++i) x.mutable_data()[i] += real(i % C);
    Tensor w = input({C}), b = input({C});
    const Tensor dy = input({rows, C});
    for (Tensor* leaf : {&x, &w, &b}) leaf->require_gradient();
    Tape tape;
    tape.backward(layer_norm(x, w, b), dy);

    std::vector<Value> dw(C, 0), db = dw, dx;
    for (Index r = 0; r < rows; ++r) {
      const std::vector<Exact> row = row_at(x, {r});
      const Exact variance = variance_of(row, C).exact, mean = mean_of(row).exact;
      const Exact s = 1 / std::sqrt(variance + Exact(1e-5));
      // A mean is off by C + 3 roundings of the largest value; h by that on the scale of s, in the
      // deviation and, relative to h, twice in s.
      const Exact shift = Exact(C + 3) * eps * max_of(row).exact * s;
      const auto h = [&](Index j) { return (row[std::size_t(j)] - mean) * s; };
      const auto h_off = [&](Index j) {
        return shift + std::abs(h(j)) * (2 * shift + Exact(C + 4) * eps);
      };
      const auto g = [&](Index j) { return get(dy, r, j) * get(w, j); };
      Exact g_mean = 0, gh_mean = 0, g_size = 0, gh_size = 0, gh_off = 0;
      for (Index j = 0; j < C; ++j) {
        const Exact u = get(dy, r, j);
        dw[std::size_t(j)].exact += u * h(j);
        dw[std::size_t(j)].tolerance +=
            std::abs(u) * (h_off(j) + Exact(rows + 1) * eps * std::abs(h(j)));
        db[std::size_t(j)].exact += u;
        db[std::size_t(j)].tolerance += Exact(rows) * eps * std::abs(u);
        g_mean += g(j) / C, g_size += std::abs(g(j)) / C;
        gh_mean += g(j) * h(j) / C, gh_size += std::abs(g(j) * h(j)) / C;
        gh_off += std::abs(g(j)) * h_off(j) / C;
      }
      for (Index j = 0; j < C; ++j) {
        const Exact size = std::abs(g(j)) + g_size + std::abs(h(j)) * gh_size;
        dx.push_back({s * (g(j) - g_mean - h(j) * gh_mean),
                      s * (size * (Exact(C + 8) * eps + 2 * shift) + h_off(j) * gh_size +
                           std::abs(h(j)) * gh_off)});
      }
    }
    INFO(rows << " rows");
    check_values("dweight", w.gradient().value(), {C},
                 [&](const At& at) { return dw[std::size_t(at[0])]; });
    check_values("dbias", b.gradient().value(), {C},
                 [&](const At& at) { return db[std::size_t(at[0])]; });
    check_values("dx", x.gradient().value(), {rows, C},
                 [&](const At& at) { return dx[std::size_t(at[0] * C + at[1])]; });
  }
}

TEST_CASE("layer_norm: the variance of values with a mean between two floats") {
  // In float their mean is 2^20 + 1/12, two thirds of the way from one number to the next;
  // their variance is 1/72, but 1/64 as seen from the next number.
  const Tensor x = Tensor::of({3}, {0x1p20, 0x1p20, 0x1p20 + 0.25});
  const Tensor y = layer_norm(x, Tensor::ones({3}), {});
  const Exact apart = 0.25 / std::sqrt(Exact(1) / 72 + Exact(1e-5));
  CHECK(std::abs(Exact(y.at({2})) - Exact(y.at({0})) - apart) <= 8 * eps * apart);
}

// --- sums: chunks of 1024 and 16,384 elements, chunks of rows ------------------------------------

TEST_CASE("sum: every element once, in chunks of any number and size") {
  for (const int threads : {1, 2}) {
    const ScopedThreads now(threads);
    INFO(threads << " threads");
    for (const Index n : {1023, 1024, 1025, 2047, 2048, 2049, 16383, 16384, 16385, 50000}) {
      const Tensor x = whole_numbers({n}), rows = whole_numbers({3, n});
      Exact sum = 0, row_sums[3] = {};
      for (const real v : x.values()) sum += v;
      for (Index i = 0; i < 3 * n; ++i) row_sums[i / n] += get(rows, i / n, i % n);
      INFO(n << " elements");
      CHECK(Exact(engine::sum(x).item()) == sum);
      check_exact("row", engine::sum(rows, 1), [&](Index r) { return real(row_sums[r]); });
    }
    // Chunks of 32 rows; of more than 32, so that there are 64; of 512, the most, and more than 512
    // such chunks.
    const Shape shapes[] = {{31, 600},   {32, 600},   {33, 600},   {64, 600},   {65, 600},
                            {2048, 520}, {2049, 520}, {2177, 520}, {511, 3},    {512, 3},
                            {513, 3},    {1025, 3},   {262145, 3}, {3, 40, 600}};
    for (const Shape& shape : shapes) {
      const Tensor x = whole_numbers(shape);
      const Index cols = shape.cols(), n = shape.from_end(2);
      check_exact("sum over rows", engine::sum(x, -2), [&](Index i) {
        real total = 0;
        for (Index r = 0; r < n; ++r) total += x.data()[(i / cols * n + r) * cols + i % cols];
        return total;
      });
    }
  }
}

TEST_CASE(
    "sum: squares of several arrays, with the same bits wherever they lie, on 1 to 3 threads") {
  using Sizes = std::vector<Index>;
  for (const Sizes& sizes :
       {Sizes{}, Sizes{1}, Sizes{16}, Sizes{1, 1, 1}, Sizes{0, 5, 0, 17, 0}, Sizes{1023, 1025, 40},
        Sizes{33, 16383, 16384, 16385, 7}, Sizes{50000, 1}}) {
    std::vector<Tensor> here, there;
    std::vector<std::span<const real>> arrays, others;
    Exact expected = 0;
    for (const Index size : sizes) {
      Generator generator(here.size() + 1);
      here.push_back(Tensor::randn({size}, generator));
      arrays.push_back(here.back().values());
      there.push_back(Tensor::zeros({size + 1}));
      std::ranges::copy(arrays.back(), there.back().mutable_data() + 1);  // not aligned
      others.push_back(there.back().values().subspan(1));
      for (const real v : arrays.back()) expected += Exact(v) * v;
    }
    const auto sum_of_squares = [](const std::vector<std::span<const real>>& all) {
      std::vector<double> sums(std::size_t(kernels::piece_count(all)));
      kernels::parallel_sums_of_squares(all, 1, sums);
      return kernels::total(sums);
    };
    const double sum = sum_of_squares(arrays);
    INFO(sizes.size() << " arrays");
    CHECK(std::abs(Exact(sum) - expected) <= 70 * eps * expected);  // chains of 64 terms and less
    for (const int threads : {1, 2, 3}) {
      const ScopedThreads now(threads);
      CHECK(sum_of_squares(others) == sum);
    }
  }
}

TEST_CASE("sum: the rows of a bias's gradient, in one chunk and in many, added to what is there") {
  constexpr Index in = 3;
  // 262,145 rows: sums of sums of 512 rows.
  for (const auto& [rows, out] :
       {std::pair<Index, Index>(5, 600), {33, 600}, {65, 600}, {4200, 600}, {262145, 1}}) {
    const Tensor x = whole_numbers({rows, in}), dy = whole_numbers({rows, out}, 2);
    const Tensor weight = whole_numbers({out, in});
    Tensor bias = whole_numbers({out}).require_gradient();
    for (int pass = 1; pass <= 3; ++pass) {
      Tape tape;
      tape.backward(linear(x, weight, bias), dy);
      INFO(rows << " rows, pass " << pass);
      check_exact("dbias", bias.gradient().value(), [&, n = rows](Index j) {
        real sum = 0;
        for (Index r = 0; r < n; ++r) sum += dy.at({r, j});
        return real(pass) * sum;
      });
    }
  }
}

namespace {

// (..., n, ...) along the axis: `first`, then other(1), other(2), ..., other(n - 1).
template <class Other>
Tensor after_first(const Shape& shape, int axis, real first, Other other) {
  const Tensor x = Tensor::uninitialized(shape);
  const Index inner = shape.product(axis + 1, shape.rank());
  for (Index i = 0; i < x.size(); ++i) {
    const Index k = i / inner % shape[axis];
    x.mutable_data()[i] = k == 0 ? first : other(k);
  }
  return x;
}

// The largest change of a sum by that many roundings, one after another, relative to its terms.
Exact growth(Exact roundings) { return std::pow(1 + eps / 2, roundings) - 1; }

// Along n rows: 512 rows are added in 131 roundings at most, (a + b) + (c + d) and 127 such groups,
// or 3 rows alone with 126 groups before them; so are the sums of 512 rows, and so on.
Exact tall_error(Index n) { return growth(131 * (n <= 512 * 512 ? 2 : 3)); }

}  // namespace

TEST_CASE("sum, mean and variance: small rows below a large one count in tall tensors") {
  const struct {
    Shape shape;
    int axis;
  } cases[] = {{{131071, 3}, 0}, {{262145, 1, 2}, 0}, {{2, 65539, 3}, 1}, {{513, 5}, 0}};
  for (const auto& [shape, axis] : cases) {
    const Index n = shape[axis];
    INFO("shape " << shape << ", axis " << axis);
    // Four of these are less than half a unit in the last place of 1.5: lost if added to it.
    const auto small = real(0.9L * eps / 8);
    const Tensor x = after_first(shape, axis, real(1.5), [&](Index) { return small; });
    const Exact total = 1.5L + Exact(n - 1) * small, error = tall_error(n);
    const Shape slices = shape.without(axis);
    check_values("sum", sum(x, axis), slices, [&](const At&) {
      return Value{total, error * total};
    });
    check_values("mean", mean(x, axis), slices, [&](const At&) {
      return Value{total / Exact(n), (error + 2 * eps) * total / Exact(n)};
    });
    // The same with squares: those of the others are below a quarter of a unit of 1.5^2.
    const auto near = real(std::sqrt(0.9L * eps / 4));
    const Tensor z =
        after_first(shape, axis, real(1.5), [&](Index k) { return k % 2 == 0 ? near : -near; });
    std::vector<Exact> column;
    for (Index k = 0; k < n; ++k) column.push_back(k == 0 ? 1.5L : k % 2 == 0 ? near : -near);
    const Exact exact = variance_of(column, Exact(n)).exact;
    // The computed mean is off by m: then the sum of squares is larger by n m^2. A square has 3
    // roundings, and the division one.
    const Exact m = (error + 2 * eps) * (1.5L + Exact(n) * near) / Exact(n);
    const Exact squares = growth(4) + (1 + growth(4)) * error;
    check_values("variance", variance(z, axis, false, 0), slices, [&](const At&) {
      return Value{exact, squares * exact + (1 + squares) * m * m};
    });
  }
}

TEST_CASE("sum: tall tensors have the same bits on 1, 2, 3 and 8 threads") {
  for (const Shape& shape : {Shape{262145, 3}, Shape{70001, 1, 2}, Shape{2, 40001, 3}}) {
    const Tensor x = input(shape);
    std::vector<real> expected;
    for (const int threads : {1, 2, 3, 8}) {
      const ScopedThreads now(threads);
      const Tensor y = sum(x, shape.rank() == 2 ? 0 : shape[0] == 2 ? 1 : 0);
      if (threads == 1) expected.assign(y.values().begin(), y.values().end());
      INFO("shape " << shape << ", " << threads << " threads");
      CHECK(std::memcmp(y.data(), expected.data(), expected.size() * sizeof(real)) == 0);
    }
  }
}

TEST_CASE("layer_norm: small rows below a large one count in the bias's gradient of many rows") {
  constexpr Index rows = 131073, C = 3;
  const auto small = real(0.9L * eps / 2);  // lost if added to 1.5
  const Tensor dy = after_first({rows, C}, 0, real(1.5), [&](Index) { return small; });
  const Tensor weight = Tensor::ones({C}).require_gradient(),
               bias = Tensor::zeros({C}).require_gradient();
  Tape tape;
  tape.backward(layer_norm(input({rows, C}), weight, bias), dy);
  const Exact total = 1.5L + Exact(rows - 1) * small;
  // 512 rows, one after another; then their sums as in sum().
  check_values("dbias", bias.gradient().value(), {C}, [&](const At&) {
    return Value{total, growth(511 + 2 * 131) * total};
  });
}

TEST_CASE("softmax: the largest value of a row counts wherever it stands") {
  // exp(200) is more than float holds: a maximum that was missed gives infinity.
  for (Index n = 1; n <= 70; ++n)
    for (Index largest = 0; largest < n; ++largest) {
      const Tensor x = Tensor::zeros({n});
      x.mutable_data()[largest] = 2000;
      const auto one = [&](Index i) { return real(i == largest); };
      INFO(n << " values, the largest at " << largest);
      check_exact("softmax", softmax(x), one);
      check_exact("log_softmax", log_softmax(x), [&](Index i) { return 2000 * (one(i) - 1); });
      const std::vector<std::int32_t> target = {static_cast<std::int32_t>(largest)};
      REQUIRE(cross_entropy(x, target).item() == 0);
    }
}

TEST_CASE("finite: a single value that is not, wherever it stands, is found") {
  constexpr real infinity = std::numeric_limits<real>::infinity();
  constexpr real largest = std::numeric_limits<real>::max();
  for (const int threads : {1, 2})
    for (const Index n : {1, 15, 16, 17, 33, 1023, 1024, 1025, 16383, 16384, 16385, 40000}) {
      const ScopedThreads now(threads);
      const Tensor x = whole_numbers({n});
      x.mutable_data()[n / 2] = largest;
      x.mutable_data()[0] = -largest;
      INFO(threads << " threads, " << n << " values");
      CHECK(kernels::all_finite(n, x.data()));
      CHECK(kernels::parallel_all_finite(n, x.data()));
      for (const Index at : {Index(0), n / 3, n - 1})
        for (const real wrong : {infinity, -infinity, std::numeric_limits<real>::quiet_NaN()}) {
          const real kept = std::exchange(x.mutable_data()[at], wrong);
          INFO(wrong << " at " << at);
          CHECK_FALSE(kernels::all_finite(n, x.data()));
          CHECK_FALSE(kernels::parallel_all_finite(n, x.data()));
          x.mutable_data()[at] = kept;
        }
    }
}

// --- every op: ranges of 16,384 elements and more ------------------------------------------------

namespace {

Tensor leaf(const Shape& shape, double low = -2, double high = 2) {
  return input(shape, low, high).require_gradient();
}

struct Call {
  std::vector<Tensor> inputs;
  std::function<Tensor()> f;
};

using Calls = std::vector<Call>;

// Shapes of more than two ranges of 16,384 elements, that no power of two divides.
Calls unary(Tensor (*f)(const Tensor&)) {
  const Tensor x = leaf({131, 257}, 0.1, 3);
  return {{{x}, [=] { return f(x); }}};
}

Calls binary(Tensor (*f)(const Tensor&, const Tensor&)) {
  Calls calls;
  using Shapes = std::pair<Shape, Shape>;
  for (const auto& [a_shape, b_shape] :
       {Shapes{{131, 257}, {131, 257}}, Shapes{{131, 257}, {257}}, Shapes{{131, 1}, {1, 257}},
        Shapes{{3, 1, 257}, {47, 1}}, Shapes{{}, {40000}}}) {
    const Tensor a = leaf(a_shape, 0.5, 2), b = leaf(b_shape, 0.5, 2);
    calls.push_back({{a, b}, [=] { return f(a, b); }});
  }
  return calls;
}

Calls along_axes(Tensor (*f)(const Tensor&, int, bool)) {
  Calls calls;
  for (const int axis : {0, 1, 2}) {
    const Tensor x = leaf({35, 37, 31});
    calls.push_back({{x}, [=] { return f(x, axis, false); }});
  }
  return calls;
}

Calls calls_of(Op op) {
  const Tensor x = leaf({131, 257}), cube = leaf({35, 37, 31});
  const auto of_x = [&](auto f) { return Calls{{{x}, [=] { return f(x); }}}; };
  switch (op) {
    case Op::add: return binary(add);
    case Op::sub: return binary(sub);
    case Op::mul: return binary(mul);
    case Op::div: return binary(div);
    case Op::pow: return binary(pow);
    case Op::neg: return unary(neg);
    case Op::exp: return unary(exp);
    case Op::log: return unary(log);
    case Op::sqrt: return unary(sqrt);
    case Op::tanh: return unary(tanh);
    case Op::relu: return of_x(relu);
    case Op::gelu: return of_x(gelu);
    case Op::gelu_tanh: return of_x(gelu_tanh);
    case Op::sigmoid: return of_x(sigmoid);
    case Op::silu: return of_x(silu);
    case Op::relu2: return of_x(relu2);
    case Op::swiglu: return of_x([](const Tensor& t) { return swiglu(slice(t, 1, 0, 256)); });
    case Op::rms_norm: {
      const Tensor w = leaf({257});
      return {{{x, w}, [=] { return rms_norm(x, w); }}};
    }
    case Op::rope:
      return {{{cube}, [=] { return rope(slice(cube, 2, 0, 30), rope_angles(37, 10), 2); }}};
    case Op::qk_norm: {
      const Tensor qkv = leaf({131, 240}), q = leaf({30}), k = leaf({30});
      return {{{qkv, q, k}, [=] { return qk_norm(qkv, {4, 2}, q, k); }}};
    }
    case Op::sin: return of_x(engine::sin);
    case Op::cos: return of_x(engine::cos);
    case Op::abs: return of_x(engine::abs);
    case Op::sum: return along_axes(sum);
    case Op::mean: return along_axes(mean);
    case Op::variance:
      return along_axes(
          [](const Tensor& t, int axis, bool keep) { return variance(t, axis, keep); });
    case Op::max: return along_axes(max);
    case Op::matmul: {
      const Tensor a = leaf({2, 5, 70, 33}), b = leaf({5, 33, 65}), c = leaf({257, 90});
      return {{{a, b}, [=] { return matmul(a, b); }}, {{x, c}, [=] { return matmul(x, c); }}};
    }
    case Op::permute: {
      const auto turn = [=] { return permute(cube, {2, 0, 1}); };
      return {{{x}, [=] { return transpose(x); }}, {{cube}, turn}};
    }
    case Op::concat: return {{{cube}, [=] { return concat({cube, cube}, 1); }}};
    case Op::slice: return {{{cube}, [=] { return slice(cube, 1, 1, 36); }}};
    case Op::repeat: return {{{x}, [=] { return repeat(x, {2, 1, 2}); }}};
    case Op::embedding: {
      const Tensor weight = leaf({7, 193});
      return {{{weight}, [=] { return embedding(weight, some_ids(200, 7), {200}); }}};
    }
    case Op::where: {
      const Tensor row = leaf({257}), mask = causal_mask(131, 257);
      return {{{x, row}, [=] { return where(mask, x, row); }}};
    }
    case Op::gather: {
      const Shape wider = {131, 300};
      return of_x([=](const Tensor& t) { return gather(t, 1, some_ids(131 * 300, 257), wider); });
    }
    case Op::masked_fill:
      return of_x([](const Tensor& t) { return masked_fill(t, causal_mask(131, 257), -7); });
    case Op::softmax: return of_x(softmax);
    case Op::log_softmax: return of_x(log_softmax);
    case Op::layer_norm: {
      const Tensor w = leaf({257}), b = leaf({257});
      return {{{x, w, b}, [=] { return layer_norm(x, w, b); }}};
    }
    case Op::dropout:
      return of_x([](const Tensor& t) {
        Generator generator(5);
        return dropout(t, 0.3, generator);
      });
    case Op::cross_entropy:
      return of_x([](const Tensor& t) { return cross_entropy(t, some_ids(131, 257)); });
    case Op::linear: {
      const Tensor w = leaf({70, 257}), b = leaf({70});
      return {{{x, w, b}, [=] { return linear(x, w, b); }}};
    }
    case Op::feed_forward: {
      const Tensor y = leaf({131, 40}), w1 = leaf({300, 40}), b1 = leaf({300}),
                   w2 = leaf({40, 300}), b2 = leaf({40});
      Calls calls;
      const auto add = [&](Activation f, const Tensor& w) {
        calls.push_back({{y, w1, b1, w, b2}, [=] { return feed_forward(y, f, w1, b1, w, b2); }});
      };
      for (const Activation f :
           {Activation::gelu, Activation::gelu_tanh, Activation::relu, Activation::relu2})
        add(f, w2);
      add(Activation::swiglu, leaf({40, 150}));
      return calls;
    }
    case Op::attention: {
      const Tensor qkv = leaf({2, 130, 3 * 12});
      const auto call = [&](Heads heads, double p, AttentionScores scores = {}) {
        return Call{{qkv}, [=] {
                      Generator generator(5);
                      return self_attention(qkv, heads, p, &generator, scores);
                    }};
      };
      return {call(3, 0.2), call({4, 1}, 0), call({4, 1}, 0.2, {.causal = false})};
    }
  }
  return {};
}

// The result and the gradients of all inputs, one after another.
std::vector<real> run(const Call& call) {
  for (const Tensor& x : call.inputs) x.gradient().clear();
  Tape tape;
  const Tensor y = call.f();
  const Tensor dy = Tensor::uninitialized(y.shape());
  Generator(9).uniform(dy.mutable_values(), -1, 1);
  tape.backward(y, dy);
  std::vector<real> all(y.values().begin(), y.values().end());
  for (const Tensor& x : call.inputs) {
    const Tensor dx = x.gradient().value();
    all.insert(all.end(), dx.values().begin(), dx.values().end());
  }
  return all;
}

}  // namespace

TEST_CASE("ops: values and gradients have the same bits on 1, 2 and 3 threads") {
  for (int i = 0; i < op_count; ++i) {
    const Calls calls = calls_of(static_cast<Op>(i));
    CHECK_FALSE(calls.empty());
    for (std::size_t k = 0; k < calls.size(); ++k) {
      std::vector<real> expected;
      for (const int threads : {1, 2, 3}) {
        const ScopedThreads now(threads);
        const std::vector<real> got = run(calls[k]);
        if (threads == 1) expected = got;
        INFO(name_of(static_cast<Op>(i)) << ", call " << k << ", " << threads << " threads");
        REQUIRE(got.size() == expected.size());
        REQUIRE(std::memcmp(got.data(), expected.data(), got.size() * sizeof(real)) == 0);
      }
    }
  }
}
