// gemm against the machine and against its peers: `make bench-gemm`.
//
//     .build/.../bench-gemm [WORD]     only the rows with WORD in their text
//     .build/.../bench-gemm bf16 [WORD]   in bfloat16; without words both tables are printed
//
// A row is one product for one number of threads. In turns, gemm, each installed peer and the fma
// peak are sampled; medians are compared. "warm" repeats a product on the same operands, "cold"
// first removes them from every cache. Ratios above 1 are in our favor.
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>

#include "tests/bench/gemm_ladder.h"
#include "tests/bench/gemm_peers.h"
#include "tests/bench/measure.h"

using namespace bench;
using namespace engine::kernels;

namespace {

struct Shape {
  const char* kind;  // what is transposed: "nn" none, "nt" the second operand, "tn" the first;
                     // "np" as "nt", but gemm is given it packed beforehand, as sampling does
  Index m, n, k;
  Index count = 1;  // independent products
};

// A linear layer of x (M, K), W (N, K), y (M, N) as its three products.
std::vector<Shape> layer(Index m, Index n, Index k) {
  return {{"nt", m, n, k}, {"nn", m, k, n}, {"tn", n, k, m}};
}

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  const auto add = [&](const std::vector<Shape>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  // Layers: x W^T, dy W and dy^T x.
  for (const Index n : {384, 128, 512}) add(layer(768, n, 128));
  add(layer(768, 128, 512));
  add(layer(768, 65, 128));
  for (const Index n : {1152, 384, 1536}) add(layer(16384, n, 384));
  add(layer(16384, 384, 1536));
  add(layer(16384, 65, 384));
  for (const Index n : {2304, 768, 3072}) add(layer(256, n, 768));
  add(layer(256, 768, 3072));
  add(layer(256, 50257, 768));
  for (const Index n : {64, 128, 256, 512, 1024, 2048}) add({{"nn", n, n, n}});
  // Attention: q k^T, p v and p^T dy for each of 384 (batch, head).
  add({{"nt", 256, 256, 64, 384}, {"nn", 256, 64, 256, 384}, {"tn", 256, 64, 256, 384}});
  // One token.
  add({{"nt", 1, 1152, 384}, {"np", 1, 1152, 384}, {"nt", 1, 50257, 768}, {"np", 1, 50257, 768}});
  return all;
}

bool is_large(const Shape& s) { return s.m * s.n * s.k >= (Index(1) << 27) && s.k >= 384; }

class Operands {
 public:
  Operands(const Shape& shape, Precision precision)
      : shape_(shape),
        a_(shape.count * shape.m * shape.k),
        b_(shape.count * shape.k * shape.n),
        c_(shape.count * shape.m * shape.n),
        a_rounded_(precision == Precision::bfloat16 ? a_.size() : 0),
        b_rounded_(precision == Precision::bfloat16 ? b_.size() : 0) {
    Index i = 0;
    for (real& x : a_) x = static_cast<real>(i++ * 37 % 101 - 50) / 50;
    for (real& x : b_) x = static_cast<real>(i++ * 41 % 103 - 51) / 51;
    std::fill(c_.begin(), c_.end(), real(0));
    if (shape.kind[1] == 'p') packed_ = PackedMatrix(product(0).b);
    if (precision == Precision::bfloat16) {
      round_all(a_.data(), a_.size(), a_rounded_.data());
      round_all(b_.data(), b_.size(), b_rounded_.data());
    }
  }
  Product product(Index i) const {
    const auto [kind, m, n, k, count] = shape_;
    const real *a = a_.data() + i * m * k, *b = b_.data() + i * k * n;
    return {kind[0] == 't' ? matrix(a, k, m).transposed() : matrix(a, m, k),
            kind[1] != 'n' ? matrix(b, n, k).transposed() : matrix(b, k, n),
            matrix(c_.data() + i * m * n, m, n)};
  }
  Task task(Index i) const {
    const Product p = product(i);
    const auto rounded = [](const Rounded& all, Index at) {
      return all.size() == 0 ? nullptr : all.data() + at;
    };
    return {p.a, p.b, p.c, rounded(a_rounded_, i * shape_.m * shape_.k),
            rounded(b_rounded_, i * shape_.k * shape_.n)};
  }
  void evict() const {
    for (const auto* part : {&a_, &b_, &c_}) bench::evict(part->data(), part->size());
    for (const Rounded* part : {&a_rounded_, &b_rounded_})
      bench::evict(reinterpret_cast<const real*>(part->data()), part->size() / 2);
    if (packed_.rows() > 0)
      bench::evict(packed_.panel(0, 0, 0),
                   steps_of(packed_.rows(), packed_.precision()) * packed_.cols());
  }
  const PackedMatrix& packed() const { return packed_; }

 private:
  Shape shape_;
  using Rounded = engine::Scratch<std::uint16_t>;
  engine::Scratch<real> a_, b_, c_;
  Rounded a_rounded_, b_rounded_;
  PackedMatrix packed_;
};

void multiply(const Shape& shape, const Operands& operands) {
  if (shape.count > 1)
    return gemm_batch(
        shape.count, [&](Index i) { return operands.product(i); }, Write::overwrite);
  const Product p = operands.product(0);
  if (shape.kind[1] == 'p') return gemm(p.a, operands.packed(), p.c, Write::overwrite);
  gemm(p.a, p.b, p.c, Write::overwrite);
}

// A peer is fastest on a batch in the same way as gemm: each thread computes products of its own.
void multiply(Peer& peer, const Shape& shape, const Operands& operands) {
  engine::parallel_for(shape.count, 1, [&](Index begin, Index end) {
    if (shape.count > 1) peer.set_threads(1);
    for (Index i = begin; i < end; ++i) {
      peer.multiply(operands.task(i));
    }
  });
}

// Runs a contender for a while before it is timed, until each of its threads is awake on a CPU of
// its own, and until the threads of the contender before, which spin for 10 to 30 ms, sleep.
template <class Run>
void warm_up(double duration, const Run& run) {
  const double start = seconds();
  do run();
  while (seconds() - start < duration);
}

struct Row {
  std::vector<double> warm, cold;  // seconds for one product: gemm, then each peer
  double peak, bandwidth;
};

using Peers = std::vector<std::unique_ptr<Peer>>;

template <Precision precision>
Row measure(const Shape& shape, int threads, const Peers& peers) {
  const Operands operands(shape, precision);
  const Shape small_shape{"nn", 192, 256, 128};  // 50 us of work for all threads
  const Operands small(small_shape, precision);
  struct Contender {
    std::function<void()> run, run_small;
    std::vector<double> warm, cold;
  };
  std::vector<Contender> contenders;
  contenders.push_back(
      {[&] { multiply(shape, operands); }, [&] { multiply(small_shape, small); }, {}, {}});
  for (const auto& peer : peers) {
    peer->set_threads(threads);
    contenders.push_back({[&] { multiply(*peer, shape, operands); },
                          [&] {
                            shape.count > 1 ? multiply(small_shape, small)
                                            : multiply(*peer, small_shape, small);
                          },
                          {},
                          {}});
  }
  const double expected = 2.0 * double(shape.m * shape.n * shape.k * shape.count) / 100e9 / threads;
  const int repeats = static_cast<int>(std::clamp(2e-3 / expected, 1.0, 100.0));
  const int turns = static_cast<int>(std::clamp(0.2 / expected, 3.0, 7.0));
  std::vector<double> peaks, bandwidths;
  for (int turn = 0; turn < turns; ++turn) {
    peaks.push_back(fma_peak<precision>(threads));
    if (shape.m == 1) bandwidths.push_back(read_bandwidth(threads));
    for (Contender& contender : contenders) {
      warm_up(threads > 1 ? 40e-3 : 2e-3, contender.run);
      for (int i = 0; i < repeats; ++i) contender.warm.push_back(time_of(contender.run));
      for (int i = 0; i < 2; ++i) {
        operands.evict();
        if (threads > 1) warm_up(3e-3, contender.run_small);
        contender.cold.push_back(time_of(contender.run));
      }
    }
  }
  Row row{{}, {}, median(peaks), bandwidths.empty() ? 0 : median(bandwidths)};
  for (const Contender& contender : contenders) {
    row.warm.push_back(median(contender.warm));
    row.cold.push_back(median(contender.cold));
  }
  return row;
}

// One row for each shape and number of threads, and their summary, which begins with `label`.
template <Precision precision>
void print_table(const char* label, const Peers& peers, const char* word) {
  set_product_precision(precision);
  std::printf("%-30s %2s | %8s %6s", "warm, then cold", "th", "GFLOP/s", "peak");
  for (int half = 0; half < 2; ++half) {
    for (const auto& peer : peers) std::printf(" %9.9s", peer->name().c_str());
    if (half == 0) std::printf(" | %8s %6s", "GFLOP/s", "peak");
  }
  std::printf("\n");
  std::vector<double> ratios, shares;
  // Means by transposition, with "1 row" for one token: a mean over all rows would hide slow cases.
  std::map<std::string, std::vector<double>> ratios_by_kind, shares_by_kind;
  std::vector<std::vector<double>> ratios_to(peers.size());
  for (const Shape& shape : shapes())
    for (const int threads : {1, 2}) {
      char name[80];
      std::snprintf(name, sizeof name, "%s (%lld, %lld, %lld)%s", shape.kind, (long long)shape.m,
                    (long long)shape.n, (long long)shape.k, shape.count > 1 ? " x 384" : "");
      if (std::strstr(name, word) == nullptr) continue;
      engine::set_thread_count(threads);
      const Row row = measure<precision>(shape, threads, peers);
      const double flops = 2e-9 * double(shape.m * shape.n * shape.k * shape.count);
      std::printf("%-30s %2d", name, threads);
      for (const auto* times : {&row.warm, &row.cold}) {
        const double speed = flops / times->front();
        std::printf(" | %8.1f %5.1f%%", speed, 100 * speed / row.peak);
        double best_ratio = 1e9;
        for (std::size_t peer = 1; peer < times->size(); ++peer) {
          const double ratio = (*times)[peer] / times->front();
          best_ratio = std::min(best_ratio, ratio);
          ratios_to[peer - 1].push_back(ratio);
          std::printf(" %9.2f", ratio);
        }
        const std::string kind = shape.m == 1 ? "1 row" : shape.kind;
        if (!peers.empty()) ratios.push_back(best_ratio);
        if (!peers.empty()) ratios_by_kind[kind].push_back(best_ratio);
        if (is_large(shape) && times == &row.warm)
          shares_by_kind[kind + (threads > 1 ? ", 2 threads" : ", 1 thread")].push_back(speed /
                                                                                        row.peak);
        if (is_large(shape) && times == &row.warm) shares.push_back(speed / row.peak);
      }
      if (row.bandwidth > 0) {
        const double read = shape.kind[1] == 'p' ? double(sizeof(real) / k_per_step(precision))
                                                 : double(sizeof(real));
        std::printf("   %.1f GB/s of %.1f", read * double(shape.n * shape.k) / row.cold[0] / 1e9,
                    row.bandwidth);
      }
      std::printf("\n");
      std::fflush(stdout);
    }
  if (ratios.empty()) ratios.push_back(std::nan(""));
  if (shares.empty()) shares.push_back(std::nan(""));
  std::printf("%s: geomean %.3f worst %.3f peak %.1f%%\n", label, geometric_mean(ratios),
              *std::min_element(ratios.begin(), ratios.end()), 100 * geometric_mean(shares));
  for (const auto& [kind, of] : ratios_by_kind)
    std::printf("%s, %s: geomean %.3f worst %.3f\n", label, kind.c_str(), geometric_mean(of),
                *std::min_element(of.begin(), of.end()));
  for (const auto& [kind, of] : shares_by_kind)
    std::printf("%s, %s: peak %.1f%%\n", label, kind.c_str(), 100 * geometric_mean(of));
  if (precision == Precision::bfloat16)
    for (std::size_t i = 0; i < peers.size(); ++i)
      std::printf("bf16 against %s: geomean %.3f\n", peers[i]->name().c_str(),
                  geometric_mean(ratios_to[i]));
}

}  // namespace

int main(int argc, char** argv) {
  const bool only_bfloat16 = argc > 1 && std::strcmp(argv[1], "bf16") == 0;
  const char* const word = argc > 1 + only_bfloat16 ? argv[1 + only_bfloat16] : "";
  const Peers peers = installed_peers();
  std::printf("%s, vectors of %d bytes; peers:", is_float ? "float" : "double", vector_bytes);
  for (const auto& peer : peers) std::printf(" %s;", peer->name().c_str());
  std::printf("\n\n");
  if (argc < 2) print_ladder();
  if (!only_bfloat16) print_table<Precision::float32>("summary", peers, word);
  if (argc > 1 && !only_bfloat16) return 0;
  if (!has_bfloat16_products())
    return std::puts("bf16: this CPU has no instructions for it, or this build does not use them"),
           0;
  std::puts(
      "\nbfloat16: the peak is that of vdpbf16ps; oneDNN is given rounded factors, or rounds them");
  print_table<Precision::bfloat16>("bf16 summary", bfloat16_peers(), word);
}
