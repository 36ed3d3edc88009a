// This program's operator new counts. A check that passes allocates nothing, the text of a file
// little; and from the fourth step on training takes no memory from the system: the heap's end and
// the list of mappings stay as they are.

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/thread_pool.h"
#include "engine/ops.h"
#include "engine/tape.h"
#include "model/base/text.h"
#include "model/format/json.h"
#include "model/format/tensor_entry.h"
#include "model/gpt/gpt.h"
#include "nn/adamw.h"
#include "nn/muon.h"
#include "tests/catch.h"

namespace {

std::atomic<long> allocations = 0;
std::atomic<std::size_t> bytes_allocated = 0;

void* allocate(std::size_t bytes, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  bytes_allocated.fetch_add(bytes, std::memory_order_relaxed);
  bytes = (bytes + alignment - 1) / alignment * alignment;
  if (void* const block = std::aligned_alloc(alignment, bytes == 0 ? alignment : bytes))
    return block;
  throw std::bad_alloc();
}

}  // namespace

// Not inlined: where one of a pair is and the other is not, GCC warns of a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return allocate(bytes, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  std::free(block);
}

namespace {

// Where the heap ends and what is mapped, read without allocating. Empty if there is no /proc.
struct Mappings {
  void* heap_end = sbrk(0);
  std::size_t size = 0;
  char text[1 << 16] = {};
  Mappings() {
    std::filebuf file;
    file.pubsetbuf(nullptr, 0);
    if (file.open("/proc/self/maps", std::ios::in))
      size = static_cast<std::size_t>(file.sgetn(text, sizeof text));
  }
};

}  // namespace

TEST_CASE("a check that passes makes no text") {
  const std::string name(1000, 'x');
  const std::vector<engine::Index> shape(1000, 1);
  const long before = allocations;
  for (int i = 0; i < 10; ++i)
    engine::check(i >= 0, model::titled(name), " of shape ", model::shape_text(shape), " takes ",
                  model::bytes_text({}), " bytes under ", model::in_quotes(name));
  CHECK(allocations == before);
}

TEST_CASE("a JSON text takes a small multiple of its size, whatever is in it") {
  const auto repeated = [](const std::string& part, int count, const std::string& begin,
                           const std::string& end) {
    std::string text = begin;
    for (int i = 0; i < count; ++i) text += part;
    return text + end;
  };
  std::string members = "{";
  for (int i = 0; i < 20'000; ++i) members += engine::joined('"', i, "\":0,");
  const std::string texts[] = {repeated("0,", 100'000, "[", "0]"),
                               repeated("[],", 60'000, "[", "[]]"),
                               repeated("\"\\n\",", 40'000, "[", "0]"),
                               repeated("{\"a\":{}},", 20'000, "[", "{}]"), members + "\"\":0}"};
  for (const std::string& text : texts) {
    const std::size_t before = bytes_allocated;
    const model::Json json(text);
    // All allocations together: the text once, twelve bytes for each value and key, and the keys of
    // the last object, four bytes each, in a vector that doubles.
    INFO(text.substr(0, 20));
    CHECK(bytes_allocated - before < 10 * text.size());
    CHECK(json.root().size() > 10'000);
  }
}

namespace {

// Each thread takes its own workspace when it first multiplies; on a busy machine that could be at
// any step, so here all of them multiply at once.
void let_all_threads_multiply() {
  using namespace engine;
  std::atomic<int> waiting = thread_count();
  parallel_for(thread_count(), 1, [&](Index, Index) {
    for (--waiting; waiting > 0;) std::this_thread::yield();
    const Tensor square = Tensor::ones({64, 64});
    matmul(square, square);
  });
}

}  // namespace

TEST_CASE("from the fourth token on nothing is allocated") {
  const model::Config config{
      .vocab_size = 65, .block_size = 40, .n_layer = 2, .n_head = 4, .n_embd = 64, .bias = true};
  model::GPT gpt(config);
  engine::Generator generator(1);
  initialize(gpt, generator);
  gpt.pack();
  model::Cache cache(config);
  const std::int32_t id[] = {3};
  let_all_threads_multiply();
  for (int i = 0; i < 3; ++i) gpt.next_logits(id, cache);
  const long allocated = allocations;
  while (cache.size() < config.block_size) gpt.next_logits(id, cache);
  CHECK(allocations - allocated == 0);
}

TEST_CASE("from the fourth training step on nothing is allocated") {
  const bool in_one_block = GENERATE(true, false);
  using namespace engine;
  const model::Config config{.vocab_size = 65,
                             .block_size = 64,
                             .n_layer = 2,
                             .n_head = 4,
                             .n_embd = 64,
                             .dropout = 0.1,
                             .bias = true};
  model::GPT gpt(config);
  Generator generator(1);
  initialize(gpt, generator);
  std::optional<nn::FlatParameters> flat;
  if (in_one_block) flat.emplace(gpt);
  // AdamW for all, or Muon for some of the matrices.
  const bool with_muon = GENERATE(false, true);
  std::vector<Tensor> all = nn::tensors(gpt);
  std::vector<nn::ParameterGroup> matrices;
  if (with_muon)
    for (model::Block& block : gpt.h) {
      matrices.push_back({.parameters = {block.attn.c_attn.weight}, .parts = {64, 64, 64}});
      matrices.push_back({.parameters = {block.mlp.c_fc.weight}});
      std::erase_if(all, [&](const Tensor& t) {
        return t.data() == block.attn.c_attn.weight.data() ||
               t.data() == block.mlp.c_fc.weight.data();
      });
    }
  nn::AdamW optimizer(nn::decay_matrices(all), {});
  nn::Muon muon(matrices, {});
  std::vector<std::int32_t> ids(8 * 64, 3);
  const auto step = [&] {
    Tape tape;
    for (int micro_batch = 0; micro_batch < 2; ++micro_batch)
      tape.backward(gpt.loss(ids, ids, 8, 64, &generator), 0.5);
    optimizer.step(1e-3);
    muon.step(1e-3);
  };
  let_all_threads_multiply();
  for (int i = 0; i < 3; ++i) step();
  static Mappings before, after;
  before = Mappings();
  const long allocated = allocations;
  for (int i = 0; i < 5; ++i) step();
  CHECK(allocations - allocated == 0);
  after = Mappings();
  CHECK(after.heap_end == before.heap_end);
  CHECK(std::string_view(after.text, after.size) == std::string_view(before.text, before.size));
}
