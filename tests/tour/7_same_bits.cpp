// Tour, 7 of 8: why a result has the same bits for any number of threads.
//
// An addition of floats rounds, so a sum depends on the order of its additions. If every thread
// summed its share, the loss would depend on the number of threads. The engine's rule: in one build
// of it the sizes alone decide where a sum is cut, and the pieces are added in the order of their
// indices. Only which thread computes which piece varies.
#include <cstdio>
#include <cstring>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/ops.h"
#include "engine/tape.h"

using namespace engine;

namespace {

constexpr int terms = 1'000'000;  // 1 + 1/2 + 1/3 + ...

float term(int i) { return 1 / static_cast<float>(i + 1); }

// Each of `shares` threads would sum its share of the terms; then the shares are added.
float sum_in_shares(int shares) {
  float total = 0;
  for (int share = 0; share < shares; ++share) {
    float sum = 0;
    for (int i = terms / shares * share; i < terms / shares * (share + 1); ++i) sum += term(i);
    total += sum;
  }
  return total;
}

// The rule: chunks of 1000 terms, however many threads there are.
float sum_in_chunks() { return sum_in_shares(terms / 1000); }

// The gradients of a small network: a product, a norm, softmax, and sums over many rows.
std::vector<real> gradients() {
  Generator generator(1337);
  Tensor w = Tensor::randn({96, 96}, generator), gain = Tensor::ones({96}),
         bias = Tensor::zeros({96});
  const Tensor x = Tensor::randn({3000, 96}, generator);
  for (Tensor* parameter : {&w, &gain, &bias}) parameter->require_gradient();
  Tape tape;
  tape.backward(mean(softmax(layer_norm(matmul(x, w), gain, bias)) * x));
  std::vector<real> all;
  for (const Tensor& parameter : {w, gain, bias}) {
    const Tensor gradient = parameter.gradient().value();
    all.insert(all.end(), gradient.values().begin(), gradient.values().end());
  }
  return all;
}

bool same_bits(const std::vector<real>& a, const std::vector<real>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(real)) == 0;
}

}  // namespace

int main() {
  const float large = 1e8f;
  std::printf("three floats: (1e8 + 1) - 1e8 = %g, but (1e8 - 1e8) + 1 = %g\n\n",
              (large + 1) - large, (large - large) + 1);

  std::printf("the sum of 1/i for i up to 1,000,000 (14.392727 with more digits), in floats:\n");
  float backwards = 0;
  for (int i = terms - 1; i >= 0; --i) backwards += term(i);
  std::printf("  from the first to the last     %.6f\n", sum_in_shares(1));
  std::printf("  from the last to the first     %.6f\n", backwards);
  for (const int threads : {2, 4, 5})
    std::printf("  a share for each of %d threads  %.6f\n", threads, sum_in_shares(threads));
  std::printf("  1000 chunks of 1000 terms      %.6f  whoever sums which chunk\n\n",
              sum_in_chunks());

  std::printf("9,408 gradients by the engine:\n");
  set_thread_count(1);
  const std::vector<real> alone = gradients();
  for (const int threads : {2, 3, 4}) {
    set_thread_count(threads);
    std::printf("  %d threads: the same bits as one thread: %s\n", threads,
                same_bits(gradients(), alone) ? "yes" : "NO");
  }
  std::printf(
      "\nwhere the rule is kept:\n"
      "  engine/kernels/reduce.h   chunks of 1024 elements\n"
      "  engine/ops/row_chunks.h   the gradient of a norm's weight: chunks of 16 to 512 rows\n"
      "  engine/kernels/gemm/      an element of a product is summed by one thread, in blocks of\n"
      "                            k of at most 512 steps (AVX-512) or 384 (all others)\n"
      "It makes a run repeatable: a resumed run, or one on more threads, ends in the same file.\n"
      "That is so within one build. A build for other instructions has wider or narrower vectors\n"
      "and other blocks of k, and so other last digits; --dtype auto may also choose bfloat16.\n\n"
      "next: make tour N=8 (tests/tour/8_muon.cpp)\n");
}
