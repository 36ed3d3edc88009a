// Tokens a second in generation: with the KV cache, without it, and as many as reading the weights
// once per token would allow. Random weights; the machine's reading speed is measured in turns
// with the model, over as many bytes: a model that fits in a cache is read from there. Medians,
// and in brackets the best rounds, the better measure on a shared machine. Then the same with
// products in bfloat16, where the CPU has them: the weights take half the memory.
//
//     make bench-sample
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/kernels/gemm/gemm.h"
#include "engine/kernels/instruction_set.h"
#include "engine/kernels/simd.h"
#include "model/generate/generate.h"
#include "tests/bench/clock.h"

using namespace model;
using bench::median;
using bench::time_of;

namespace {

// Reads all of it on all threads, each in four streams; returns something that depends on it.
real read_all(const engine::Scratch<real>& memory) {
  using namespace engine::kernels;
  const Index threads = engine::thread_count();
  const Index stream = memory.size() / threads / (8 * lanes) * (2 * lanes);
  std::vector<real> sums(static_cast<std::size_t>(threads));
  engine::parallel_for(threads, 1, [&](Index begin, Index end) {
    for (Index thread = begin; thread < end; ++thread) {
      const real* const from = memory.data() + 4 * stream * thread;
      Vec sum[8] = {};
      for (Index i = 0; i < stream; i += 2 * lanes)
#pragma GCC unroll 8
        for (int v = 0; v < 8; ++v)
          sum[v] = max(sum[v], load(from + v / 2 * stream + i + v % 2 * lanes));
      for (int v = 1; v < 8; ++v) sum[0] = max(sum[0], sum[v]);
      sums[static_cast<std::size_t>(thread)] = reduce_max(sum[0]);
    }
  });
  return std::accumulate(sums.begin(), sums.end(), real(0));
}

void measure(const Config& config, const char* name) {
  using namespace engine::kernels;
  const bool half = product_precision() == Precision::bfloat16;
  GPT gpt(config);
  engine::Generator generator(1337);
  initialize(gpt, generator);
  GPT packed = gpt;
  packed.pack();
  Cache cache(config);
  const Index T = config.block_size, V = config.vocab_size;
  std::vector<std::int32_t> ids;
  for (Index i = 0; i < T; ++i) ids.push_back(static_cast<std::int32_t>(i * 7919 % V));
  const auto tokens = [&](Index begin, Index end) {
    return std::span(ids).subspan(static_cast<std::size_t>(begin),
                                  static_cast<std::size_t>(end - begin));
  };

  // All weights but the positions' are read for each token.
  const Index weights = config.parameter_count() - T * config.n_embd;
  const engine::Scratch<real> memory(half ? weights / 2 : weights);
  std::fill(memory.begin(), memory.end(), real(1));
  volatile real sink = read_all(memory);

  // From an empty context to a full one; of a large model parts of that way, evenly spread.
  const Index rounds = 11, repeats = std::max<Index>(3, (Index(1) << 24) / weights);
  const Index steps = std::clamp<Index>((Index(3) << 30) / weights, 1, T - 1);
  std::vector<double> token_times, read_times;
  for (Index round = 0; round < rounds; ++round) {
    const Index begin = 1 + (T - 1 - steps) * round / (rounds - 1);
    cache.clear();
    packed.next_logits(tokens(0, begin), cache);
    const double token_time = time_of([&] {
      for (Index i = begin; i < begin + steps; ++i) packed.next_logits(tokens(i, i + 1), cache);
    });
    sink = read_all(memory);  // into the caches, as far as they reach
    const double read_time = time_of([&] {
      for (Index i = 0; i < repeats; ++i) sink = read_all(memory);
    });
    token_times.push_back(token_time / static_cast<double>(steps));
    read_times.push_back(read_time / static_cast<double>(repeats));
  }
  std::vector<double> without;
  for (Index part = 1; part <= 4; ++part)
    without.push_back(time_of([&] { gpt.logits(tokens(0, T * part / 4), 1, T * part / 4); }));

  const double token = median(token_times), least_token = std::ranges::min(token_times);
  const double read = median(read_times), least_read = std::ranges::min(read_times);
  const double megabytes = static_cast<double>(memory.size()) * sizeof(real) / 1e6;
  std::printf("%s%s: %.1f MB of weights\n", half ? "bf16 " : "", name, megabytes);
  std::printf("  with the cache   %8.0f tokens/s (%.0f)\n", 1 / token, 1 / least_token);
  std::printf("  without it       %8.1f tokens/s, mean over the context\n",
              4 / std::accumulate(without.begin(), without.end(), 0.0));
  std::printf("  bound            %8.0f tokens/s (%.0f), %.1f GB/s (%.1f)\n", 1 / read,
              1 / least_read, megabytes / read / 1e3, megabytes / least_read / 1e3);
  std::printf("  share reached    %8.0f %% (%.0f %%)\n", 100 * read / token,
              100 * least_read / least_token);

  if (T > 256 || half) return;
  Sampler sampler({.temperature = 0.8, .top_k = 200}, 1337);
  std::vector<std::int32_t> text{0};
  const double time =
      time_of([&] { generate(packed, sampler, V, text, 2000, [](std::int32_t) { return true; }); });
  std::printf("  2,000 tokens, drawn and with the context read again: %.0f tokens/s\n",
              2000 / time);
}

void measure_all() {
  measure({.vocab_size = 65, .block_size = 64, .n_layer = 4, .n_head = 4, .n_embd = 128},
          "(4 layers, 128 channels, block 64)");
  measure({.vocab_size = 65, .block_size = 256, .n_layer = 6, .n_head = 6, .n_embd = 384},
          "(6 layers, 384 channels, block 256)");
  measure({.vocab_size = 50257,
           .block_size = 1024,
           .n_layer = 12,
           .n_head = 12,
           .n_embd = 768,
           .bias = true},
          "GPT-2 124M");
}

}  // namespace

int main() {
  std::printf("%d threads\n", engine::thread_count());
  measure_all();
  if (!engine::kernels::has_bfloat16_products()) return 0;
  engine::kernels::set_product_precision(engine::kernels::Precision::bfloat16);
  measure_all();
}
