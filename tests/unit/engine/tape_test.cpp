#include "engine/tape.h"

#if __has_include(<sys/wait.h>)
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cmath>
#include <csignal>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "engine/base/thread_pool.h"
#include "engine/ops.h"
#include "tests/catch.h"
#include "tests/unit/engine/scoped_threads.h"

using namespace engine;

TEST_CASE("tape: fan-out adds up, in every shape of graph") {
  struct Graph {
    const char* y;
    Tensor (*of)(const Tensor& x);
    std::vector<real> dx;  // at 1, 2, 3
  };
  // Where dy and dz are the same memory for a while, adding to one of them must not change the other.
  for (const auto& [name, of, dx] :
       {Graph{"x x", [](const Tensor& x) { return x * x; }, {2, 4, 6}},
        Graph{"x + x", [](const Tensor& x) { return x + x; }, {2, 2, 2}},
        Graph{"diamond", [](const Tensor& x) { return (x + 1) * (x + 2); }, {5, 7, 9}},
        Graph{"a term of a sum, used again after it",
              [](const Tensor& x) {
                const Tensor y = x + 0, w = y + x * 2;
                return w + y * 3;
              },
              {6, 6, 6}},
        Graph{"used before it: backward adds to dy after the sum has shared it",
              [](const Tensor& x) {
                const Tensor y = x + 0, z = x * 2, t = y * 3;
                return (y + z) + t;
              },
              {6, 6, 6}},
        Graph{"by relu, which adds to the slot's memory itself",
              [](const Tensor& x) {
                const Tensor y = x + 0, z = x * 2, r = relu(y);
                return (y + z) + r;
              },
              {4, 4, 4}}}) {
    const Tensor x = Tensor::of({1, 2, 3}).require_gradient();
    Tape tape;
    tape.backward(sum(of(x)));
    INFO(name);
    const Tensor found = x.gradient().value();
    CHECK(std::ranges::equal(found.values(), dx));
  }
}

TEST_CASE("tape: what is not needed is not recorded") {
  const Tensor data = Tensor::ones({2, 2});
  Tensor parameter = Tensor::ones({2, 2}).require_gradient();
  {
    const Tensor y = data * parameter;
    CHECK_FALSE(y.gradient());  // no tape
  }
  Tape tape;
  CHECK_FALSE((data * data).gradient());
  CHECK((data * parameter).gradient());
  CHECK_FALSE((data * parameter.detach()).gradient());
  CHECK(tape.size() == 1);
  {
    const Tape::Pause pause;
    CHECK_FALSE((data * parameter).gradient());
  }
  CHECK(Tape::current() == &tape);
}

TEST_CASE("tape: each loss has one backward pass") {
  Tensor x = Tensor::ones({2}).require_gradient();
  const auto gradient = [&] { return x.gradient().value().at({0}); };
  Tape tape;
  const Tensor y = x * 3, loss = sum(y), other = sum(y * 2);
  tape.backward(loss);
  CHECK(gradient() == 3);
  // The pass has emptied the tape: these gradients would be 0, not what is missing.
  CHECK_THROWS_WITH(tape.backward(loss), Catch::Contains("the ops that led to this result"));
  CHECK_THROWS_WITH(tape.backward(other), Catch::Contains("run backward once on their sum"));
  CHECK_THROWS_WITH(tape.backward(sum(y * 5)),
                    Catch::StartsWith("backward of mul: ") && Catch::Contains("compute it again"));
  CHECK(gradient() == 3);
  tape.backward(sum(x * 7));  // recorded again on the open tape
  CHECK(gradient() == 10);
  const Tensor again = x * 3;
  tape.backward(sum(again) + sum(again * 2));
  CHECK(gradient() == 19);
  {
    const Tensor after = [&] {
      const Tape inner;
      return sum(x * 2);
    }();
    CHECK_THROWS_WITH(tape.backward(after), Catch::Contains("the ops that led to this result"));
  }
}

TEST_CASE("tape: a loss runs backward on the tape that recorded it") {
  Tensor x = Tensor::ones({2}).require_gradient();
  Tape outer;
  const Tensor y = x * 3, loss = sum(y);
  Tape inner;
  const Tensor other = sum(y * 2);
  CHECK_THROWS_WITH(inner.backward(loss), Catch::Contains("recorded on another tape"));
  CHECK_THROWS_WITH(outer.backward(other), Catch::Contains("recorded on another tape"));
  inner.backward(other);  // as far as y: its op is on the outer tape
  CHECK(x.gradient().value().at({0}) == 0);
  outer.backward(loss);
  CHECK(x.gradient().value().at({0}) == 9);
}

TEST_CASE("tape: tapes and pauses may end in any order") {
  const Tensor x = Tensor::ones({2}).require_gradient();
  Tape outermost;
  auto first = std::make_unique<Tape>(), second = std::make_unique<Tape>();
  auto pause = std::make_unique<Tape::Pause>();
  auto third = std::make_unique<Tape>();
  first.reset();
  CHECK(Tape::current() == third.get());
  third.reset();
  CHECK(Tape::current() == nullptr);
  second.reset();
  CHECK(Tape::current() == nullptr);
  pause.reset();
  CHECK(Tape::current() == &outermost);
  outermost.backward(sum(x * 2));
  CHECK(x.gradient().value().at({0}) == 2);
}

#if __has_include(<sys/wait.h>)
TEST_CASE("tape: destroyed by another thread, or in its backward, it ends the program", "[fork]") {
  const std::function<void()> ends[] = {
      [] {
        std::unique_ptr<Tape> tape;
        std::thread([&] { tape = std::make_unique<Tape>(); }).join();
        tape.reset();
      },
      [] {
        auto tape = std::make_unique<Tape>();
        const Tensor x = Tensor::ones({1}).require_gradient();
        tape->backward(record("own", x, {x.gradient()}, [&](const Tensor&) { tape.reset(); }));
      }};
  for (const auto& end : ends) {
    int message[2] = {};
    REQUIRE(pipe(message) == 0);
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGABRT, SIG_DFL);
      dup2(message[1], 2);
      end();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    close(message[1]);
    std::string text(1000, '\0');
    text.resize(
        static_cast<std::size_t>(std::max<ssize_t>(0, read(message[0], text.data(), 1000))));
    close(message[0]);
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT));
    CHECK_THAT(text, Catch::Contains("engine::Error"));
  }
}
#endif

TEST_CASE("tape: an op in a parallel loop is an error, unless its tape was opened in the loop") {
  const ScopedThreads threads(GENERATE(1, 4));
  const Tensor x = Tensor::ones({1}).require_gradient();
  for (const Index n : {1, 100}) {
    const Tape tape;
    const auto in_loop = [&](auto body) {
      parallel_for(n, 1, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) body();
      });
    };
    CHECK_THROWS_WITH(in_loop([&] { return x + x; }),
                      Catch::StartsWith("add: recorded in the body"));
    in_loop([&] { return x.detach() + x.detach(); });
    in_loop([&] {
      const Tape::Pause pause;
      return x + x;
    });
    in_loop([&] {
      const Tensor own = Tensor::ones({1}).require_gradient();
      Tape of_body;
      of_body.backward(own + own);
      if (own.gradient().value().item() != 2) throw std::runtime_error("not recorded");
    });
    CHECK(tape.size() == 0);
  }
}

TEST_CASE("tape: what changes in place between forward and backward is found") {
  Tensor x = Tensor::of({2}, {2, 3}).require_gradient();
  const std::function<void(const Tensor&)> changes[] = {
      [](const Tensor& t) { t.mutable_data()[0] = 1; },
      [](const Tensor& t) { t.mutable_values()[0] = 1; },
      [](const Tensor& t) { t.mutable_matrix()(0, 0) = 1; },
      [](const Tensor& t) {
        t.reshape({2, 1}).mutable_data()[1] = 1;
      },
      [](const Tensor& t) { t.assign(Tensor::ones({2})); }};
  for (const auto& change : changes) {
    Tape tape;
    const Tensor loss = sum(x * x);
    change(x);
    CHECK_THROWS_WITH(tape.backward(loss),
                      Catch::StartsWith("backward of mul: an input of shape (2) ") &&
                          Catch::Contains("changed in place between forward and backward"));
    CHECK(tape.size() == 0);  // what a pass leaves behind that fails would spoil the next
    x.gradient().clear();
    change(x);
    tape.backward(sum(x * 5));  // recorded after the change
    CHECK(x.gradient().value().at({0}) == 5);
    x.gradient().clear();

    const Tensor y = exp(x);
    const Tensor recorded_before = sum(y);
    change(y);
    CHECK_THROWS_WITH(tape.backward(recorded_before),
                      Catch::StartsWith("backward of sum: an input of shape (2) "));
    const Tensor z = exp(x);
    change(z);
    CHECK_THROWS_WITH(tape.backward(sum(z)),
                      Catch::StartsWith("backward of exp: its result of shape (2) "));
    x.gradient().clear();
  }
  // A handle on a gradient that is held over a change can still be read and cleared.
  const Gradient held = x.gradient();
  x.assign(Tensor::ones({2}));
  Tape tape;
  tape.backward(sum(x * 4));
  CHECK(held.value().at({1}) == 4);
  held.clear();
  CHECK(x.gradient().value().at({1}) == 0);
}

TEST_CASE("tape: an operand that no gradient needs is not saved") {
  const Tensor w = Tensor::ones({2, 2}).require_gradient(), data = Tensor::of({{1, 2}, {3, 4}});
  const auto is_saved = [&](auto op) {
    const Tape tape;
    const Tensor x = w + w;  // add saves nothing
    const Tensor y = op(x);
    CHECK(tape.size() == 2);
    return !x.buffer().unshared();
  };
  CHECK_FALSE(is_saved([&](const Tensor& x) { return x * data; }));
  CHECK_FALSE(is_saved([&](const Tensor& x) { return x / data; }));
  CHECK_FALSE(is_saved([&](const Tensor& x) { return matmul(data, x); }));
  CHECK_FALSE(is_saved([&](const Tensor& x) { return matmul(x, data); }));
  CHECK_FALSE(is_saved([&](const Tensor& x) { return linear(x, data); }));
  CHECK(is_saved([&](const Tensor& x) { return x * w; }));
  CHECK(is_saved([&](const Tensor& x) { return data / x; }));
  CHECK(is_saved([&](const Tensor& x) { return matmul(x, w); }));
  CHECK(is_saved([&](const Tensor& x) { return linear(x, w); }));
}

TEST_CASE("tape: no gradient that stays shares memory") {
  Tensor a = Tensor::ones({2}).require_gradient(), b = Tensor::ones({2}).require_gradient();
  const Tensor dy = Tensor::ones({2});
  Tape tape;
  SECTION("the leaves of a sum") {
    tape.backward(a + b, dy);
    const Tensor g = a.gradient().value();
    g.mutable_data()[0] = 7;
    CHECK(a.gradient().value().at({0}) == 7);
    CHECK(b.gradient().value().at({0}) == 1);
  }
  SECTION("a leaf and an inner result") {
    tape.backward(a + (a + b).reshape({1, 2}).reshape({2}), dy);
    CHECK(a.gradient().value().at({0}) == 2);
    CHECK(b.gradient().value().at({0}) == 1);
  }
  SECTION("the gradient that backward was given") {
    tape.backward(a.reshape({2}) + 0, dy);
    dy.mutable_data()[0] = 5;
    CHECK(a.gradient().value().at({0}) == 1);
    a.gradient().value().mutable_data()[1] = 7;
    CHECK(dy.at({1}) == 1);
  }
}
