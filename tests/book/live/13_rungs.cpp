// Chapter 13: each step of the ladder (tests/bench/gemm_ladder.h), its speed here and now, and whether its product is
// that of three loops.
#include <algorithm>
#include <limits>

#include "tests/bench/gemm_ladder.h"
#include "tests/book/live/live.h"

namespace {

using namespace engine::kernels;
using engine::Index, engine::real;

constexpr Index n = 384;  // a multiple of every tile and depth of the ladder

struct Rung {
  const char* name;
  void (*multiply)(MatrixView a, MatrixView b, MutableMatrixView c);
};
constexpr Rung rungs[] = {
    {"three loops", [](MatrixView a, MatrixView b,
                       MutableMatrixView c) { gemm_reference(a, b, c, Write::overwrite); }},
    {"along the rows", bench::ladder::by_rows},
    {"a tile in registers", bench::ladder::register_tile},
    {"b in blocks", bench::ladder::packed},
    {"the engine's product",
     [](MatrixView a, MatrixView b, MutableMatrixView c) { gemm(a, b, c, Write::overwrite); }}};

live::JsonObject answer(const live::Choices& choices) {
  std::vector<real> a(n * n), b(n * n), c(n * n), first(n * n);
  for (Index i = 0; i < n * n; ++i) engine::at(a, i) = engine::at(b, i) = static_cast<real>(i % 7);
  const MatrixView left = matrix(std::as_const(a).data(), n, n),
                   right = matrix(std::as_const(b).data(), n, n);
  rungs[0].multiply(left, right, matrix(first.data(), n, n));
  std::string said;
  std::vector<double> best(std::size(rungs), std::numeric_limits<double>::infinity());
  // In turns, since others use the machine too. A browser compiles a function again when it has run for a while: the best
  // time is that of the last code.
  for (int turn = 0; turn < choices.number("turns", 5, 1, 20); ++turn)
    for (std::size_t i = 0; i < best.size(); ++i) {
      const double start = bench::seconds();
      for (double before = start; before - start < 0.04; before = bench::seconds()) {
        rungs[i].multiply(left, right, matrix(c.data(), n, n));
        best[i] = std::min(best[i], bench::seconds() - before);
      }
      if (turn == 0)
        live::print(said, "  %-21s %s\n", rungs[i].name,
                    c == first ? "the same product" : "another product");
    }
  const auto rung = [&](Index i) {
    return live::JsonObject().add("name", rungs[i].name, "speed",
                                  2e-9 * n * n * n / engine::at(best, i));
  };
  return live::JsonObject().add("rungs", live::json_array(std::ssize(best), rung), "said", said);
}

const live::Figure figure(answer, "turns=5");

}  // namespace
