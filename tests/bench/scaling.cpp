// How a training step would speed up on more cores than this machine has, computed from what can be
// counted on one: its parallel loops, how long each of their ranges takes, and the time outside of them.
//
//     scaling [--only c]
//
// A step is made on one thread, but the engine is told that there are P. The linker sends its loops here
// (--wrap, see tests/Makefile). The ranges that P threads would have are run one after another and timed,
// in seven steps; the least time of each range counts, so what other programs took is not part of it. (The
// time of the process would not need seven, but reading it takes 600 ns, twice for each of 2,000 ranges; the
// clock takes 20.) Then P threads are simulated: each takes the next range when it is free, and all wait for
// the last. A loop also costs a barrier, measured with two threads and assumed to grow with log2(P). The
// simulation leaves out that cores share caches and memory, and that clocks fall when all cores work. So the
// numbers are upper bounds.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <functional>
#include <map>
#include <queue>
#include <string>

#include "engine/base/thread_pool.h"
#include "tests/bench/step_model.h"

namespace {

using namespace bench;

struct Loop {
  std::vector<double> ranges;  // seconds, in the order in which they are handed out
  double work() const {
    double sum = 0;
    for (const double range : ranges) sum += range;
    return sum;
  }
  // Until the last of `threads` has nothing left to do.
  double time_on(int threads) const {
    std::priority_queue<double, std::vector<double>, std::greater<>> free;
    for (int i = 0; i < threads; ++i) free.push(0);
    double last = 0;
    for (const double range : ranges) {
      const double end = free.top() + range;
      free.pop();
      free.push(end);
      last = std::max(last, end);
    }
    return last;
  }
};

std::vector<Loop> loops;  // since the last event of the tape
bool counting = false, inside = false;

// Assigns the time between two events of the tape to the op that the latter names.
struct Book : engine::Tape::Observer {
  struct Part {
    double serial = 0;
    std::vector<Loop> loops;
  };
  std::map<std::string, Part> parts;
  double last = seconds();

  void book(const std::string& what) {
    const double now = seconds();
    Part& part = parts[what];
    double within = 0;
    for (const Loop& loop : loops) within += loop.work();
    part.serial += now - last - within;
    part.loops.insert(part.loops.end(), loops.begin(), loops.end());
    loops.clear();
    last = seconds();
  }
  // The least of each time, here and in another step.
  void take_least(const Book& other) {
    for (auto& [name, part] : parts) {
      const Part& again = other.parts.at(name);
      part.serial = std::min(part.serial, again.serial);
      for (std::size_t i = 0; i < part.loops.size(); ++i)
        std::ranges::transform(part.loops[i].ranges, again.loops.at(i).ranges,
                               part.loops[i].ranges.begin(),
                               [](double a, double b) { return std::min(a, b); });
    }
  }
  void recorded(const char* op, const engine::Gradient&,
                std::span<const engine::Gradient>) override {
    book(std::string(op) + " forward");
  }
  void ran_backward(const char* op, const engine::Gradient&, const engine::Tensor&) override {
    book(std::string(op) + " backward");
  }
};

// What a loop on two threads costs beyond half of its work: eight ranges of five microseconds.
double barrier_of_two() {
  const auto work = [](Index, Index) {
    for (const double end = seconds() + 5e-6; seconds() < end;) {
    }
  };
  engine::set_thread_count(2);
  double least = 1;
  for (int turn = 0; turn < 200; ++turn)
    least = std::min(least, time_of([&] {
                              for (int i = 0; i < 20; ++i) engine::parallel_for(8, 1, work);
                            }) / 20);
  return std::max(least - 20e-6, 0.0);
}

struct Step {
  double one, on_all;  // seconds on one thread and on all of them
  Book book;
};

Step step_on(const Configuration& c, int threads, double barrier) {
  engine::set_thread_count(threads);
  counting = true;
  Training training(c);
  Step step{};
  for (int turn = 0; turn < 7; ++turn) {
    Book book;
    loops.clear();
    book.last = seconds();
    training.run_observed(book, [&] { book.book("between"); });
    book.book("optimizer");
    if (turn > 0) book.take_least(step.book);
    step.book = std::move(book);
  }
  counting = false;
  engine::set_thread_count(1);
  for (const auto& [name, part] : step.book.parts) {
    step.one += part.serial;
    step.on_all += part.serial;
    for (const Loop& loop : part.loops) {
      step.one += loop.work();
      step.on_all += loop.ranges.size() == 1
                         ? loop.work()
                         : loop.time_on(threads) + barrier * std::bit_width(unsigned(threads - 1));
    }
  }
  return step;
}

void print(const Configuration& c, const std::string& name, double barrier) {
  std::printf("%-14s", name.c_str());
  for (const int threads : {4, 8, 16, 64}) {
    const Step step = step_on(c, threads, barrier);
    std::printf("  %2d: %5.1f x", threads, step.one / step.on_all);
    if (threads != 16) {
      std::fflush(stdout);
      continue;
    }
    double serial = 0, few = 0;
    Index count = 0, ranges = 0;
    std::map<double, std::string, std::greater<>> limits;
    for (const auto& [op, part] : step.book.parts) {
      double lost = part.serial * 15 / 16;
      serial += part.serial;
      for (const Loop& loop : part.loops) {
        ++count;
        ranges += std::ssize(loop.ranges);
        if (loop.ranges.size() < 16) few += loop.work();
        lost += (loop.ranges.size() == 1 ? loop.work() : loop.time_on(16)) - loop.work() / 16;
      }
      limits[lost / step.on_all] = op;
    }
    std::printf(
        " (%lld loops, %.1f ranges each, %.2f %% outside, %.2f %% in loops of fewer than 16;",
        (long long)count, double(ranges) / double(count), 100 * serial / step.one,
        100 * few / step.one);
    int shown = 0;
    for (const auto& [lost, op] : limits)
      if (shown++ < 4) std::printf(" %s %.0f %%", op.c_str(), 100 * lost);
    std::printf(")");
    std::fflush(stdout);
  }
  std::printf("\n");
}

}  // namespace

// Names of the linker's: what the engine calls, and what it called before.
extern "C" void __wrap__ZN6engine6detail12run_parallelEllPFvPvllES1_(
    Index n, Index grain, void (*body)(void*, Index, Index), void* context);
extern "C" void __real__ZN6engine6detail12run_parallelEllPFvPvllES1_(
    Index n, Index grain, void (*body)(void*, Index, Index), void* context);

void __wrap__ZN6engine6detail12run_parallelEllPFvPvllES1_(Index n, Index grain,
                                                          void (*body)(void*, Index, Index),
                                                          void* context) {
  if (!counting || inside || n <= 0)
    return inside ? (n > 0 ? body(context, 0, n) : void())
                  : __real__ZN6engine6detail12run_parallelEllPFvPvllES1_(n, grain, body, context);
  inside = true;
  const Index ranges = engine::detail::range_count(n, grain, engine::thread_count());
  Loop loop;
  for (Index range = 0; range < ranges; ++range) {
    const double start = seconds();
    body(context, n / ranges * range + std::min(range, n % ranges),
         n / ranges * (range + 1) + std::min(range + 1, n % ranges));
    loop.ranges.push_back(seconds() - start);
  }
  loops.push_back(std::move(loop));
  inside = false;
}

int main(int argc, char** argv) try {
  const std::string only = argc == 3 && argv[1] == std::string("--only") ? argv[2] : "";
  engine::check(argc == 1 || !only.empty(), "scaling: expected nothing or --only NAME");
  const double barrier = barrier_of_two();
  std::printf("a loop on two threads costs %.2f us beyond its work\n", 1e6 * barrier);
  std::vector<std::pair<std::string, Configuration>> all;
  for (const Configuration& c : configurations) all.emplace_back(std::string(c.name), c);
  for (const Index channels : {96, 128})
    all.emplace_back("4 x " + std::to_string(channels),
                     Configuration{"", 128, 8, 4, channels == 96 ? Index(3) : Index(4), channels,
                                   512, 0.0, model::Family::qwen3, train::OptimizerKind::muon});
  for (const auto& [name, c] : all)
    if (only.empty() || only == name) print(c, name, barrier);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
