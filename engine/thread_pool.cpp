#include "engine/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/check.h"
#include "engine/system.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace engine {
namespace {

inline void pause_briefly() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// True while this thread runs the body of a loop: loops inside it do not fork again.
thread_local bool inside_loop = false;
thread_local int index_in_pool = 0;  // 0 for every caller of a loop

class ThreadPool {
 public:
  ThreadPool() { start(available_cpus()); }
  ~ThreadPool() { stop(); }

  int count() const { return static_cast<int>(workers_.size()) + 1; }

  void resize(int count) {
    stop();
    start(count);
  }

  void run(Index n, Index grain, void (*body)(void*, Index, Index), void* context) {
    if (n <= 0) return;
    grain = std::max<Index>(grain, 1);
    if (workers_.empty() || inside_loop || n <= grain) {
      body(context, 0, n);
      return;
    }
    // Four ranges a thread: a thread that is held up for a while leaves its share to the others.
    const Index ranges = std::min((n + grain - 1) / grain, static_cast<Index>(count()) * 4);
    const std::lock_guard one_loop_at_a_time(mutex_);
    n_ = n;
    ranges_ = ranges;
    body_ = body;
    context_ = context;
    error_ = nullptr;
    next_.store(0, std::memory_order_relaxed);
    joined_.store(open, std::memory_order_release);
    caller_cpu_.store(current_cpu(), std::memory_order_relaxed);
    loop_.fetch_add(1, std::memory_order_seq_cst);
    if (sleeping_.load(std::memory_order_seq_cst) > 0) loop_.notify_all();
    work();
    // A worker that has not woken by now is not waited for: it finds the door closed.
    joined_.fetch_and(~open, std::memory_order_acquire);
    for (int spin = 0; joined_.load(std::memory_order_acquire) != 0; ++spin) {
      if (spin < spins_)
        pause_briefly();
      else
        std::this_thread::yield();
    }
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void start(int count) {
    stopping_ = false;
    // With more threads than CPUs, spinning only keeps the CPU from whoever has work.
    spins_ = count <= available_cpus() ? 2000 : 1;  // 2000 pauses are 20 to 100 us
    workers_.reserve(static_cast<std::size_t>(count - 1));
    const unsigned seen = loop_.load();
    for (int i = 1; i < count; ++i)
      workers_.emplace_back([this, i, seen] {
        index_in_pool = i;
        wait_and_work(seen);
      });
  }

  void stop() {
    stopping_ = true;
    loop_.fetch_add(1);
    loop_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
  }

  void wait_and_work(unsigned seen) {
    for (;;) {
      for (int spin = 0; spin < spins_ && loop_.load(std::memory_order_acquire) == seen; ++spin)
        pause_briefly();
      if (loop_.load(std::memory_order_acquire) == seen) {
        sleeping_.fetch_add(1, std::memory_order_seq_cst);
        loop_.wait(seen, std::memory_order_seq_cst);
        sleeping_.fetch_sub(1, std::memory_order_relaxed);
      }
      // The system may have put this thread behind the caller, on its CPU, and leave it there for
      // 50 ms and more, though another is idle.
      if (spins_ > 1) leave_cpu(caller_cpu_.load(std::memory_order_relaxed));
      seen = loop_.load(std::memory_order_acquire);
      if (stopping_) return;
      for (unsigned joined = joined_.load(std::memory_order_relaxed); joined & open;) {
        if (!joined_.compare_exchange_weak(joined, joined + 1, std::memory_order_acquire)) continue;
        work();
        joined_.fetch_sub(1, std::memory_order_release);
        break;
      }
    }
  }

  void work() {
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
  std::mutex mutex_, error_mutex_;
  std::exception_ptr error_;
  void (*body_)(void*, Index, Index) = nullptr;
  void* context_ = nullptr;
  Index n_ = 0, ranges_ = 0;
  int spins_ = 0;
  std::atomic<bool> stopping_ = false;
  // Each on a cache line of its own: one is polled while the other is written.
  alignas(64) std::atomic<unsigned> loop_ = 0;  // counts loops; a change wakes the workers
  alignas(64) std::atomic<Index> next_ = 0;     // the next range to hand out
  static constexpr unsigned open = 1u << 31;
  alignas(64) std::atomic<unsigned> joined_ = 0;  // workers inside the loop, and whether it is open
  std::atomic<int> sleeping_ = 0;
  std::atomic<int> caller_cpu_ = -1;
};

ThreadPool& pool() {
  static ThreadPool pool;
  return pool;
}

}  // namespace

void set_thread_count(int count) {
  check(count >= 1 && count <= 256, "threads: ", count, " is not in 1..256");
  if (count != pool().count()) pool().resize(count);
}

int thread_count() { return pool().count(); }
int thread_index() { return index_in_pool; }

void detail::run_parallel(Index n, Index grain, void (*body)(void*, Index, Index), void* context) {
  pool().run(n, grain, body, context);
}

}  // namespace engine
