// Values copied out of a file, at sizes on both sides of the pieces of 4096 in which they are
// checked and of the 16 pieces of a thread.
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/thread_pool.h"
#include "model/format/safetensors.h"
#include "tests/catch.h"

using engine::Index;
using engine::real;

namespace {

// n values, one after another; `wrong`, if it is a place, is infinite.
template <class Value>
std::string bytes_of(Index n, Index wrong = -1) {
  std::string bytes;
  for (Index i = 0; i < n; ++i) {
    const Value value =
        i == wrong ? std::numeric_limits<Value>::infinity() : Value(i % 9973 - 4000);
    char memory[sizeof value];
    std::memcpy(memory, &value, sizeof value);
    bytes.append(memory, sizeof value);
  }
  return bytes;
}

template <class Value>
void check_copies(model::Dtype dtype) {
  const int before = engine::thread_count();
  for (const int threads : {1, 2})
    for (const Index n : {1, 4095, 4096, 4097, 8192, 65535, 65536, 65537, 150'000}) {
      engine::set_thread_count(threads);
      INFO(threads << " threads, " << n << " values of " << sizeof(Value) << " bytes");
      const std::string bytes = bytes_of<Value>(n);
      std::vector<real> values(static_cast<std::size_t>(n), -1);
      model::copy_values({"w", dtype, {n}, bytes}, values);
      Index wrong = 0;
      for (Index i = 0; i < n; ++i) wrong += values[std::size_t(i)] != real(i % 9973 - 4000);
      CHECK(wrong == 0);
      for (const Index at : {Index(0), n / 2, n - 1}) {
        const std::string damaged = bytes_of<Value>(n, at);
        CHECK_THROWS_WITH(
            model::copy_values({"w", dtype, {n}, damaged}, values),
            engine::joined("tensor \"w\": element ", at, " is inf, expected a finite number"));
      }
    }
  engine::set_thread_count(before);
}

}  // namespace

TEST_CASE("safetensors: values of any number are copied, and one that is not finite is named") {
  check_copies<float>(model::Dtype::f32);
  check_copies<double>(model::Dtype::f64);
}
