// Tour, 6 of 8: where the time goes. Nearly all of a training step is matrix products. Here one
// product, c = a b of 1152 x 1152 floats, goes from three loops to the engine's own in several
// steps, each with its speed and its share of this machine's peak (fma_peak).
//
// The steps are in tests/bench/gemm_ladder.h: each is one idea and some ten lines.
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
      "next: make tour N=7 (tests/tour/7_same_bits.cpp)\n");
}
