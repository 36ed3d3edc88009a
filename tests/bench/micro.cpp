// The smallest model that people train to compare programs, Karpathy's microgpt: one layer, 4 heads, 16
// channels, 16 positions, 27 symbols, a sequence an update. Seconds for its 10,000 updates by gradus,
// on one thread and on two, and by a tape of single numbers, as in tests/tour/1_one_number.cpp, where
// each multiplication is a record (30 updates, and as many times more). Medians of five rounds in turns.
//
//     make bench-micro
#include <cmath>
#include <cstdio>
#include <span>

#include "engine/base/thread_pool.h"
#include "engine/ops.h"
#include "nn/adamw.h"
#include "tests/bench/clock.h"
#include "tests/bench/step_model.h"

using engine::Tensor;
using Numbers = std::vector<Tensor>;

namespace {

constexpr bench::Configuration micro{.name = "micro",
                                     .block = 16,
                                     .batch = 1,
                                     .layers = 1,
                                     .heads = 4,
                                     .channels = 16,
                                     .vocabulary = 27,
                                     .dropout = 0,
                                     .family = model::Family::llama};
constexpr double updates = 10'000;

std::span<const Tensor> part(const Numbers& x, std::size_t begin, std::size_t size) {
  return std::span(x).subspan(begin, size);
}
Tensor dot(std::span<const Tensor> a, std::span<const Tensor> b) {
  Tensor sum = a[0] * b[0];
  for (std::size_t i = 1; i < a.size(); ++i) sum = sum + a[i] * b[i];
  return sum;
}
Numbers linear(const Numbers& x, const Numbers& w) {
  Numbers y;
  for (std::size_t i = 0; i < w.size(); i += x.size()) y.push_back(dot(x, part(w, i, x.size())));
  return y;
}
Numbers norm(const Numbers& x) {
  const Tensor scale = pow(dot(x, x) / double(x.size()) + 1e-5, -0.5);
  Numbers y;
  for (const Tensor& number : x) y.push_back(number * scale);
  return y;
}
Numbers sum(const Numbers& a, std::span<const Tensor> b) {
  Numbers y;
  for (std::size_t i = 0; i < a.size(); ++i) y.push_back(a[i] + b[i]);
  return y;
}
Numbers softmax(const Numbers& x) {
  Numbers y;
  for (const Tensor& number : x) y.push_back(exp(number));
  Tensor total = y[0];
  for (std::size_t i = 1; i < y.size(); ++i) total = total + y[i];
  for (Tensor& number : y) number = number / total;
  return y;
}

// The model of single numbers.
class ScalarModel {
 public:
  ScalarModel() {
    engine::Generator generator(1);
    for (Numbers* weight : {&wte_, &wpe_, &q_, &k_, &v_, &o_, &fc_, &proj_, &head_}) {
      const std::size_t rows = weight == &wte_ || weight == &head_ ? V : weight == &fc_ ? 4 * C : C;
      for (std::size_t i = 0; i < rows * (weight == &proj_ ? 4 * C : C); ++i) {
        weight->push_back(Tensor::randn({}, generator) * 0.08);
        weight->back().require_gradient();
        all_.push_back(weight->back());
      }
    }
  }
  const Numbers& parameters() const { return all_; }

  Tensor loss(std::span<const std::size_t> ids) {
    std::vector<Numbers> keys, values;
    Tensor total = 0;
    for (std::size_t t = 0; t + 1 < ids.size(); ++t) {
      const auto embedding = part(wte_, ids[t] * C, C);
      Numbers x = sum({embedding.begin(), embedding.end()}, part(wpe_, t * C, C));
      x = norm(x);
      const Numbers h = norm(x), q = linear(h, q_);
      keys.push_back(linear(h, k_));
      values.push_back(linear(h, v_));
      Numbers attended;
      for (std::size_t head = 0; head < C; head += D) {
        Numbers scores;
        for (const Numbers& key : keys)
          scores.push_back(dot(part(q, head, D), part(key, head, D)) / std::sqrt(double(D)));
        const Numbers weights = softmax(scores);
        for (std::size_t i = head; i < head + D; ++i) {
          Numbers column;
          for (const Numbers& value : values) column.push_back(value[i]);
          attended.push_back(dot(weights, column));
        }
      }
      x = sum(x, linear(attended, o_));
      Numbers hidden = linear(norm(x), fc_);
      for (Tensor& number : hidden) number = relu(number);
      x = sum(x, linear(hidden, proj_));
      total = total - log(softmax(linear(x, head_))[ids[t + 1]]);
    }
    return total / double(ids.size() - 1);
  }

 private:
  static constexpr std::size_t V = 27, C = 16, D = 4;
  Numbers wte_, wpe_, q_, k_, v_, o_, fc_, proj_, head_, all_;
};

}  // namespace

int main() {
  std::vector<double> one, two, scalar;
  ScalarModel numbers;
  nn::AdamW adamw(numbers.parameters(), {});
  const std::vector<std::size_t> ids{0, 5, 13, 13, 1, 0, 15, 12, 9, 22, 9, 1, 0, 1, 22, 1, 0};
  for (int round = 0; round < 5; ++round) {
    for (const int threads : {1, 2}) {
      engine::set_thread_count(threads);
      bench::Training training(micro);
      training.run(100);
      (threads == 1 ? one : two).push_back(bench::time_of([&] {
        training.run(static_cast<engine::Index>(updates));
      }));
    }
    engine::set_thread_count(1);
    constexpr int some = 30;
    scalar.push_back(updates / some * bench::time_of([&] {
                       for (int i = 0; i < some; ++i) {
                         engine::Tape tape;
                         tape.backward(numbers.loss(ids));
                         adamw.step(1e-2);
                       }
                     }));
  }
  std::printf(
      "microgpt's 10,000 updates of 16 positions: gradus %.2f s on one thread, %.2f s on two; "
      "a tape of single numbers %.0f s\n",
      bench::median(one), bench::median(two), bench::median(scalar));
}
