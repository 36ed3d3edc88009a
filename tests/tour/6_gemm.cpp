// Tour, 6 of 8: where the time goes. Nearly all of a training step is matrix products; here is one
// product, c = a b of 1152 x 1152 floats, in steps from three loops to the engine's own, each step
// with its speed and its share of the most this machine can do (fma_peak).
//
// The steps themselves are in tests/bench/gemm_ladder.h: an idea and some ten lines each.
#include "tests/bench/gemm_ladder.h"

int main() {
  std::printf("one product, seven times:\n\n");
  bench::print_ladder();
  std::printf(
      "  three loops: b is read down its columns, a cache line for every number\n"
      "  inner loop along rows: along b and c, in vectors; bound by loads and stores\n"
      "  a tile of c in registers: while k runs, so that a load serves many fmas\n"
      "  b packed in blocks: copied in the order in which they are read\n"
      "  gemm: the same with edges, strides and small shapes; two threads share the rows of c\n\n"
      "next: tests/tour/7_same_bits.cpp\n");
}
