#include "engine/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/cpu.h"
#include "engine/base/index.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace engine {

constinit thread_local detail::Scope *detail::innermost_scope = nullptr,
                                     *detail::scope_of_loop = nullptr;

detail::Scope::Scope(Tape* tape_) : tape(tape_), outer_(innermost_scope) { innermost_scope = this; }

detail::Scope::~Scope() {
  Scope** link = &innermost_scope;
  while (*link != this && *link != nullptr) link = &(*link)->outer_;
  // An entry of another thread's list cannot be removed here. The error, thrown by a destructor,
  // ends the program.
  check(*link == this, "tape: opened in another thread than the one that destroys it");
  *link = outer_;
}

namespace {

inline void pause_briefly() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// True while this thread runs the body of a loop: nested loops run on this thread alone.
thread_local bool inside_loop = false;
thread_local int index_in_pool = 0;  // 0 for every caller of a loop

// While one exists, this thread runs the body of a loop that was started in `scope`.
class InScope {
 public:
  explicit InScope(detail::Scope* scope) {
    detail::innermost_scope = detail::scope_of_loop = scope;
  }
  ~InScope() {
    detail::innermost_scope = innermost_;
    detail::scope_of_loop = of_loop_;
  }
  InScope(const InScope&) = delete;
  InScope& operator=(const InScope&) = delete;

 private:
  detail::Scope *const innermost_ = detail::innermost_scope, *const of_loop_ =
                                                                 detail::scope_of_loop;
};

class ThreadPool {
 public:
  explicit ThreadPool(int count) { start(count); }

  int count() const { return static_cast<int>(workers_.size()) + 1; }

  void resize(int count) {
    stop();
    start(count);
  }

  void run(Index n, Index grain, void (*body)(void*, Index, Index), void* context) {
    if (n <= 0) return;
    const Index ranges = detail::range_count(n, grain, count());
    if (ranges == 1 || inside_loop) {
      const InScope scope(detail::innermost_scope);
      body(context, 0, n);
      return;
    }
    const std::lock_guard one_loop_at_a_time(mutex_);
    n_ = n;
    ranges_ = ranges;
    body_ = body;
    context_ = context;
    scope_ = detail::innermost_scope;
    error_ = nullptr;
    next_.store(0, std::memory_order_relaxed);
    joined_.store(open, std::memory_order_release);
    caller_cpu_.store(current_cpu(), std::memory_order_relaxed);
    loop_.fetch_add(1, std::memory_order_seq_cst);
    wake(workers_asleep_, workers_wake_);
    work();
    // Clearing `open` keeps workers that have not woken yet out of this loop: no waiting for them.
    joined_.fetch_and(~open, std::memory_order_seq_cst);
    wait_until([&] { return joined_.load(std::memory_order_seq_cst) == 0; }, caller_asleep_,
               caller_wakes_);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void start(int count) {
    stopping_ = false;
    // With more threads than CPUs, spinning would take the CPU from a thread that has work.
    spins_ = count <= available_cpus() ? 2000 : 1;  // 2000 pauses are 20 to 100 us
    workers_.reserve(unsigned_size(count - 1));
    const unsigned seen = loop_.load();
    try {
      for (int i = 1; i < count; ++i)
        workers_.emplace_back([this, i, seen] {
          index_in_pool = i;
          wait_and_work(seen);
        });
    } catch (const std::exception&) {
      // The system refuses more threads, or memory for their stacks. The work will need memory too:
      // continue with half of the threads that could be started.
      resize((this->count() + 1) / 2);
    }
  }

  void stop() {
    stopping_ = true;
    loop_.fetch_add(1);
    wake(workers_asleep_, workers_wake_);
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
  }

  // Spins, since the next loop usually follows at once, then sleeps. Does not yield, nor use
  // std::atomic::wait, which yields: that would give another process a time slice of milliseconds.
  template <class Condition>
  void wait_until(Condition condition, std::atomic<int>& asleep, std::condition_variable& wakes) {
    for (int spin = 0; spin < spins_; ++spin) {
      if (condition()) return;
      pause_briefly();
    }
    std::unique_lock lock(sleep_mutex_);
    ++asleep;  // before checking the condition again; wake() reads asleep after making it true
    wakes.wait(lock, condition);
    --asleep;
  }
  void wake(const std::atomic<int>& asleep, std::condition_variable& wakes) {
    if (asleep.load(std::memory_order_seq_cst) == 0) return;
    const std::lock_guard wait_until_they_sleep(sleep_mutex_);
    wakes.notify_all();
  }

  void wait_and_work(unsigned seen) {
    for (;;) {
      wait_until([&] { return loop_.load(std::memory_order_seq_cst) != seen; }, workers_asleep_,
                 workers_wake_);
      // The scheduler may have put this thread on the caller's CPU and leave it there for 50 ms and
      // more, although another CPU is idle.
      if (spins_ > 1) leave_cpu(caller_cpu_.load(std::memory_order_relaxed));
      seen = loop_.load(std::memory_order_acquire);
      if (stopping_) return;
      for (unsigned joined = joined_.load(std::memory_order_relaxed); joined & open;) {
        if (!joined_.compare_exchange_weak(joined, joined + 1, std::memory_order_acquire)) continue;
        work();
        if (joined_.fetch_sub(1, std::memory_order_seq_cst) == 1)
          wake(caller_asleep_, caller_wakes_);
        break;
      }
    }
  }

  void work() {
    const InScope scope(scope_);
    inside_loop = true;
    for (;;) {
      const Index range = next_.fetch_add(1, std::memory_order_relaxed);
      if (range >= ranges_) break;
      try {
        body_(context_, n_ / ranges_ * range + std::min(range, n_ % ranges_),
              n_ / ranges_ * (range + 1) + std::min(range + 1, n_ % ranges_));
      } catch (...) {
        const std::lock_guard lock(error_mutex_);
        if (!error_) error_ = std::current_exception();
      }
    }
    inside_loop = false;
  }

  std::vector<std::thread> workers_;
  std::mutex mutex_, error_mutex_, sleep_mutex_;
  std::condition_variable workers_wake_, caller_wakes_;
  std::exception_ptr error_;
  void (*body_)(void*, Index, Index) = nullptr;
  void* context_ = nullptr;
  detail::Scope* scope_ = nullptr;  // of the caller
  Index n_ = 0, ranges_ = 0;
  int spins_ = 0;
  std::atomic<bool> stopping_ = false;
  // Each atomic on its own cache line, since one is polled while another is written.
  alignas(64) std::atomic<unsigned> loop_ = 0;  // counts loops; a change wakes the workers
  alignas(64) std::atomic<Index> next_ = 0;     // the next range to hand out
  static constexpr unsigned open = 1u << 31;
  alignas(64) std::atomic<unsigned> joined_ = 0;  // number of workers in the loop, plus `open`
  std::atomic<int> workers_asleep_ = 0, caller_asleep_ = 0;
  std::atomic<int> caller_cpu_ = -1;
};

// Never destroyed: static objects may use it when they are. In a child of fork there are no
// workers, but perhaps locks that they held: the child has a new pool, with the calling thread
// alone.
ThreadPool& pool() {
  static ThreadPool* pool = [] {
    around_fork(nullptr, nullptr, [] { pool = new ThreadPool(1); });
    return new ThreadPool(available_cpus());
  }();
  return *pool;
}

}  // namespace

int set_thread_count(int count) {
  check(count >= 1 && count <= max_threads, "threads: ", count, " is not in 1..", max_threads);
  if (count != pool().count()) pool().resize(count);
  return thread_count();
}

int thread_count() { return pool().count(); }
int thread_index() { return index_in_pool; }

// Four ranges a thread: if one thread is delayed, others take over its remaining ranges. Where
// there are more threads than grains, a range for each.
Index detail::range_count(Index n, Index grain, Index threads) {
  grain = std::max<Index>(grain, 1);
  if (threads == 1 || n <= grain) return 1;
  const Index quarters = ceil_div(n, ceil_div(grain, Index(4)));
  return std::max(std::min(ceil_div(n, grain), 4 * threads), std::min(quarters, threads));
}

void detail::run_parallel(Index n, Index grain, void (*body)(void*, Index, Index), void* context) {
  pool().run(n, grain, body, context);
}

}  // namespace engine
