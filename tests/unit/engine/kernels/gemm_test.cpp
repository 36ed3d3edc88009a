#include "engine/kernels/gemm/gemm.h"

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#include <unistd.h>
#else
#include <windows.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "engine/kernels/bfloat16.h"
#include "engine/kernels/gemm/problem.h"
#include "engine/kernels/simd.h"
#include "tests/catch.h"
#include "tests/scoped_precision.h"
#include "tests/unit/engine/kernels/bfloat16_exact.h"
#include "tests/unit/engine/scoped_threads.h"

using namespace engine;
using namespace engine::kernels;

namespace {

constexpr real eps = std::numeric_limits<real>::epsilon();
constexpr real not_a_number = std::numeric_limits<real>::quiet_NaN();
constexpr real untouched = 12345;  // what lies between the elements of a strided matrix

// Memory that ends at a page nobody may touch: a read or write past its end stops the test.
class Guarded {
 public:
  explicit Guarded(Index capacity) {
#if __has_include(<sys/mman.h>)
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    bytes_ = (static_cast<std::size_t>(capacity) * sizeof(real) + page - 1) / page * page;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    start_ = static_cast<char*>(mmap(nullptr, bytes_ + page, PROT_READ | PROT_WRITE, flags, -1, 0));
    REQUIRE(start_ != MAP_FAILED);
    REQUIRE(mprotect(start_ + bytes_, page, PROT_NONE) == 0);
#else
    constexpr std::size_t page = 4096;
    bytes_ = (static_cast<std::size_t>(capacity) * sizeof(real) + page - 1) / page * page;
    start_ = static_cast<char*>(
        VirtualAlloc(nullptr, bytes_ + page, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE));
    DWORD before = 0;
    REQUIRE(VirtualProtect(start_ + bytes_, page, PAGE_NOACCESS, &before));
#endif
  }
  // The last n values before the guard.
  real* last(Index n) const {
    REQUIRE(static_cast<std::size_t>(n) * sizeof(real) <= bytes_);
    return reinterpret_cast<real*>(start_ + bytes_) - n;
  }

 private:
  char* start_;
  std::size_t bytes_;
};

enum Layout { rows_dense, cols_dense, rows_apart, scattered, layouts };

struct Matrix {
  MutableMatrixView view;
  real* memory;
  Index size;
};

// A matrix in one of the layouts, its last element right before the guard.
Matrix lay_out(const Guarded& guarded, Index rows, Index cols, int layout) {
  MutableMatrixView v{nullptr, rows, cols, cols, 1};
  if (layout == cols_dense) v.row_stride = 1, v.col_stride = rows;
  if (layout == rows_apart) v.row_stride = cols + 3;
  if (layout == scattered) v.row_stride = 2, v.col_stride = 2 * rows + 1;
  const Index size =
      rows == 0 || cols == 0 ? 0 : (rows - 1) * v.row_stride + (cols - 1) * v.col_stride + 1;
  v.data = guarded.last(size);
  std::fill(v.data, v.data + size, untouched);
  return {v, v.data, size};
}

// Multiples of 1/64 in [-2, 2), a fixed sequence.
real next_value() {
  static std::uint32_t state = 1;
  state = state * 1664525u + 1013904223u;
  return static_cast<real>(static_cast<int>(state >> 24) - 128) / 64;
}
template <class T>
void fill(T&& view, real divisor) {
  for (Index i = 0; i < view.rows; ++i)
    for (Index j = 0; j < view.cols; ++j) view(i, j) = next_value() / divisor;
}
// Thirds: unlike sums of next_value(), sums of their products are rounded, each order in its own
// way.
std::vector<real> values(Index n) {
  std::vector<real> v(static_cast<std::size_t>(n));
  for (real& x : v) x = next_value() / 3;
  return v;
}

// The meaning of a product in bfloat16, to the bit: sums of pairs, in the blocks that gemm.h
// promises.
void bfloat16_reference(MatrixView a, MatrixView b, MutableMatrixView c, Write write,
                        const real* bias) {
  const auto steps = [](Index k, auto element) {
    std::vector<std::uint32_t> pairs;
    for (Index i = 0; i < k; i += 2)
      pairs.push_back(plain::pair_of(static_cast<float>(element(i)),
                                     i + 1 < k ? static_cast<float>(element(i + 1)) : 0));
    return pairs;
  };
  std::vector<std::vector<std::uint32_t>> rows, cols;
  for (Index i = 0; i < c.rows; ++i)
    rows.push_back(steps(a.cols, [&](Index k) { return a(i, k); }));
  for (Index j = 0; j < c.cols; ++j)
    cols.push_back(steps(a.cols, [&](Index k) { return b(k, j); }));
  const auto n = static_cast<std::size_t>((a.cols + 1) / 2);
  const auto block = static_cast<std::size_t>(depth_of_blocks(static_cast<Index>(n)));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < cols.size(); ++j) {
      real& out = c(static_cast<Index>(i), static_cast<Index>(j));
      if (write == Write::overwrite) out = bias != nullptr ? bias[j] : 0;
      for (std::size_t k = 0; k < n; k += block) {
        float sum = 0;
        for (std::size_t l = k; l < std::min(n, k + block); ++l)
          sum = bfloat16_exact::multiply_pair(rows[i][l], cols[j][l], sum);
        out = out + static_cast<real>(sum);
      }
    }
}

// One product against the definition, in bfloat16 exactly, in float32 within rounding errors: each of
// the two sums K + 1 rounded products in some order, so it is off by at most (K + 1) eps (|start| +
// sum |a| |b|), and so is the other.
void check_product(Index m, Index n, Index k, int layout_a, int layout_b, int layout_c, Write write,
                   bool with_bias) {
  const bool exact = product_precision() == Precision::bfloat16;
  INFO("m " << m << " n " << n << " k " << k << " layouts " << layout_a << layout_b << layout_c
            << (write == Write::add ? " add" : " overwrite") << " bias " << with_bias);
  static const Guarded memory_a(1 << 18), memory_b(1 << 18), memory_c(1 << 18), memory_bias(4096);
  const Matrix a = lay_out(memory_a, m, k, layout_a), b = lay_out(memory_b, k, n, layout_b),
               c = lay_out(memory_c, m, n, layout_c);
  fill(a.view, exact ? 3 : 1);  // thirds are rounded to bfloat16
  fill(b.view, exact ? 3 : 1);
  std::vector<real> expected_values(static_cast<std::size_t>(m * n)),
      scale_values = expected_values, abs_a(static_cast<std::size_t>(m * k)),
      abs_b(static_cast<std::size_t>(k * n));
  const MutableMatrixView expected = matrix(expected_values.data(), m, n);
  const MutableMatrixView scale = matrix(scale_values.data(), m, n);
  real* const bias = memory_bias.last(n);
  for (Index j = 0; j < n; ++j) bias[j] = next_value();
  const real* const given_bias = with_bias ? bias : nullptr;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) {
      expected(i, j) = next_value();
      c.view(i, j) =
          write == Write::add ? expected(i, j) : not_a_number;  // overwrite must not read it
      scale(i, j) = std::abs(write == Write::add ? expected(i, j) : with_bias ? bias[j] : 0);
    }
  (exact ? bfloat16_reference : gemm_reference)(a.view, b.view, expected, write, given_bias);
  for (Index i = 0; i < m * k; ++i)
    abs_a[static_cast<std::size_t>(i)] = std::abs(a.view(i / k, i % k));
  for (Index i = 0; i < k * n; ++i)
    abs_b[static_cast<std::size_t>(i)] = std::abs(b.view(i / n, i % n));
  gemm_reference(matrix(std::as_const(abs_a).data(), m, k),
                 matrix(std::as_const(abs_b).data(), k, n), scale, Write::add);

  gemm(a.view, b.view, c.view, write, given_bias);
  Index first_wrong = -1;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) {
      const real tolerance = exact ? 0 : 2 * static_cast<real>(k + 1) * eps * scale(i, j);
      if (!(std::abs(c.view(i, j) - expected(i, j)) <= tolerance) && first_wrong < 0)
        first_wrong = i * n + j;
      c.view(i, j) = untouched;
    }
  CHECK(first_wrong == -1);
  CHECK(std::all_of(c.memory, c.memory + c.size, [](real x) { return x == untouched; }));
}

// Of a product: a (m, k), b (k, n).
struct Size {
  Index m, n, k;
};
constexpr Index last_size = 2 * lanes + 1;

std::vector<real> product(MatrixView a, MatrixView b) {
  std::vector<real> c(static_cast<std::size_t>(a.rows * b.cols), not_a_number);
  gemm(a, b, matrix(c.data(), a.rows, b.cols), Write::overwrite);
  return c;
}
bool same_bits(const std::vector<real>& x, const std::vector<real>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(real)) == 0;
}

}  // namespace

TEST_CASE("gemm: every size, with layouts, writes and bias in turn") {
  const ScopedPrecision scoped(GENERATE(Precision::float32, Precision::bfloat16));
  INFO(precision_name(product_precision()));
  int turn = 0;
  // The plain functions of bfloat16 are slow where they stand for an instruction.
  const bool slow = product_precision() == Precision::bfloat16 && !has_bfloat16_products();
  for (Index m = 0; m <= last_size; m += slow ? 3 : 1)
    for (Index n = 0; n <= last_size; ++n)
      for (Index k = 0; k <= last_size; ++k) {
        turn += 5;  // all 192 combinations come up again and again
        const int writes = turn / (layouts * layouts * layouts) % 3;
        check_product(m, n, k, turn % layouts, turn / layouts % layouts,
                      turn / (layouts * layouts) % layouts,
                      writes == 0 ? Write::add : Write::overwrite, writes == 2);
      }
}

TEST_CASE("gemm: every layout, write and bias, at sizes around the edges of tiles and blocks") {
  const ScopedPrecision scoped(GENERATE(Precision::float32, Precision::bfloat16));
  INFO(precision_name(product_precision()));
  const Size sizes[] = {
      Size{1, 1, 1}, Size{1, 70, 90}, Size{70, 1, 90}, Size{14, 32, 64}, Size{15, 33, 17},
      Size{65, 64, 3}, Size{64, 65, 33}, Size{6, 16, 31}, Size{29, 97, 20}, Size{97, 29, 20},
      Size{5, 200, 0}, Size{3, 5, 400}, Size{9, 40, 801},
      // A single row or column, of whole vectors; a lone column.
      Size{1, 9 * lanes, 90}, Size{9 * lanes, 1, 90}, Size{1, 4 * lanes, 500},
      Size{4 * lanes, 1, 500}, Size{40, 2 * lanes + 1, 50}, Size{40, lanes + 1, 520},
      // Blocks of pairs that just fill up, and an odd number of k.
      Size{3, 40, 1023}, Size{1, 2 * lanes, 1025}, Size{15, 7, 1025}};
  for (const auto& [m, n, k] : sizes)
    for (int combination = 0; combination < 3 * layouts * layouts * layouts; ++combination) {
      const int writes = combination % 3, layout = combination / 3;
      check_product(m, n, k, layout % layouts, layout / layouts % layouts,
                    layout / layouts / layouts, writes == 0 ? Write::add : Write::overwrite,
                    writes == 2);
    }
}

TEST_CASE("gemm: the same bits on every path and for any number of threads") {
  const ScopedPrecision scoped(GENERATE(Precision::float32, Precision::bfloat16));
  INFO(precision_name(product_precision()));
  const Size sizes[] = {
      Size{130, 97, 800}, Size{768, 65, 128}, Size{65, 700, 500}, Size{1, 1152, 1000},
      Size{600, 1, 1000}, Size{40, 2500, 70}, Size{300, 640, 33}, Size{64, 64, 64},
      // Rows of a, and of b, a page apart; blocks of k that just fill up; b's rows on both sides of the
      // distance read in place.
      Size{70, 97, 1024}, Size{300, 1024, 40}, Size{33, 64, 511}, Size{33, 64, 512},
      Size{33, 64, 513}, Size{33, 64, 1025}, Size{1, 700, 1031}, Size{70, 40, 2049},
      Size{113, 40, 384}, Size{112, 48, 385}, Size{70, 512, 60}, Size{70, 528, 60},
      Size{257, 528, 60}, Size{20, 768, 512}, Size{20, 800, 600},
      Size{120, 40, 768}};  // many tiles of whole blocks of k
  for (const Size& size : sizes) {
    const Index m = size.m, n = size.n, k = size.k;
    INFO("m " << m << " n " << n << " k " << k);
    const std::vector<real> a_values = values(m * k), b_values = values(k * n), bias = values(n);
    const MatrixView a = matrix(a_values.data(), m, k), b = matrix(b_values.data(), k, n);
    const auto written = [&](auto write) {
      std::vector<real> c(static_cast<std::size_t>(m * n), not_a_number);
      write(matrix(c.data(), m, n));
      return c;
    };
    const auto turned = [](MatrixView x) {
      std::vector<real> by_columns;
      for (Index j = 0; j < x.cols; ++j)
        for (Index i = 0; i < x.rows; ++i) by_columns.push_back(x(i, j));
      return by_columns;
    };
    const std::vector<real> a_turned = turned(a), b_turned = turned(b);
    const MatrixView a_by_columns{a_turned.data(), m, k, 1, m},
        b_by_columns{b_turned.data(), k, n, 1, k};
    const std::vector<real> expected = [&] {
      const ScopedThreads one(1);
      return product(a, b);
    }();
    const std::vector<real> expected_turned = turned(matrix(expected.data(), m, n));
    const PackedMatrix packed(b_by_columns);
    for (const int threads : {1, 2, 3, 8}) {
      INFO("threads " << threads);
      const ScopedThreads scoped_threads(threads);
      CHECK(same_bits(product(a, b), expected));
      CHECK(same_bits(product(a, b_by_columns), expected));
      CHECK(same_bits(product(a_by_columns, b), expected));
      CHECK(same_bits(product(a_by_columns, b_by_columns), expected));
      const auto from_packed = written([&](auto c) { gemm(a, packed, c, Write::overwrite); });
      CHECK(same_bits(from_packed, expected));
      const auto to_columns = written([&](auto c) {
        gemm(a, b, {c.data, m, n, 1, m}, Write::overwrite);
      });
      CHECK(same_bits(to_columns, expected_turned));
      const auto by_rows = written([&](auto c) {  // inside a parallel loop if there are many
        const auto row = [&](Index i) {
          return Product{a.block(i, 0, 1, k), b, c.block(i, 0, 1, n)};
        };
        gemm_batch(m, row, Write::overwrite);
      });
      CHECK(same_bits(by_rows, expected));
      const auto with_bias =
          written([&](auto c) { gemm(a, packed, c, Write::overwrite, bias.data()); });
      const auto by_columns = written([&](auto c) {
        for (Index j = 0; j < n; j += 37) {
          const Index some = std::min<Index>(37, n - j);
          gemm(a, b.block(0, j, k, some), c.block(0, j, m, some), Write::overwrite,
               bias.data() + j);
        }
      });
      CHECK(same_bits(by_columns, with_bias));
    }
  }
}

TEST_CASE("gemm: blocks of b fit the L2 cache and cover every step and column once") {
  CHECK(block_size(0) == block_size(512 << 10));  // unknown
  for (const std::size_t l2 : std::initializer_list<std::size_t>{1, 256 << 10, 512 << 10, 2 << 20})
    for (const Index steps : {0, 1, 16, 384, 385, 512, 513, 3000})
      for (const Index j0 : {Index(0), width, 5 * width})
        for (const Index cols : {Index(1), width, 2 * width + 1, Index(384), Index(1537)}) {
          CAPTURE(l2, steps, j0, cols);
          const Blocks blocks(steps, j0, j0 + cols, block_size(l2));
          Index j = j0, k = 0;
          for (Index n = 0; n < blocks.count(); ++n) {
            const Block block = blocks[n];
            CHECK(block.j == j);
            CHECK(block.k == k);
            CHECK(block.depth * (block.cols - (width - 1)) <=
                  std::max(block_size(l2), block.depth * width));
            k += block.depth;
            if (k < steps) continue;
            j += block.cols;
            k = 0;
          }
          CHECK(j == j0 + cols);
        }
}

TEST_CASE(
    "gemm: a packed matrix keeps the precision it was packed with, and bfloat16 is half as large") {
  const Index k = 70, n = 40;
  const std::vector<real> a_values = values(3 * k), b_values = values(k * n);
  const MatrixView a = matrix(a_values.data(), 3, k), b = matrix(b_values.data(), k, n);
  const auto packed_in = [&](Precision precision) {
    const ScopedPrecision scoped(precision);
    return PackedMatrix(b);
  };
  const PackedMatrix single = packed_in(Precision::float32), half = packed_in(Precision::bfloat16);
  const auto times = [&](const PackedMatrix& m) {
    std::vector<real> c(static_cast<std::size_t>(3 * n), not_a_number);
    gemm(a, m, matrix(c.data(), 3, n), Write::overwrite);
    return c;
  };
  for (const Precision now : {Precision::float32, Precision::bfloat16}) {
    const ScopedPrecision scoped(now);
    CHECK(same_bits(product(a, b), times(now == Precision::float32 ? single : half)));
    CHECK_FALSE(same_bits(product(a, b), times(now == Precision::float32 ? half : single)));
  }
  // The next panel lies a panel of steps further: two k in one, in bfloat16.
  CHECK(single.panel(0, k, width) - single.panel(0, k, 0) == k * width);
  CHECK(half.panel(0, k / 2, width) - half.panel(0, k / 2, 0) == k / 2 * width);
}
