// A thread pool for loops. parallel_for cuts [0, n) into ranges. Which thread runs which range
// varies from run to run, so a body must write only to memory of its own range; then results have
// the same bits for any number of threads.
//
// A worker spins for 20 to 100 us after a loop, since the next loop usually follows at once, then
// sleeps. Spinning longer would take CPU time from other processes on a shared machine.
#pragma once

#include <type_traits>

#include "engine/base/real.h"

namespace engine {

// Sets the number of threads that run parallel loops, the calling thread included, 1..max_threads
// (cpu.h); default: the CPUs this process may use; in a child of fork 1. Must not be called inside
// a loop, nor while another thread runs one. Returns thread_count(). If the system refuses to start
// `count` threads, the count is half of those that did start, since the work needs memory too.
int set_thread_count(int count);
int thread_count();
// The number of the calling thread in [0, thread_count()), unique inside a loop. It is the index of
// the thread's part in scratch memory that was allocated before the loop.
int thread_index();

class Tape;

namespace detail {
// An entry of this thread's linked list of open tapes and pauses (engine/tape.h), innermost first.
class Scope {
 public:
  explicit Scope(Tape* tape);
  ~Scope();  // removes this entry, wherever in the list it is
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  Tape* const tape;  // null: a pause

 private:
  Scope* outer_;
};
// The workers of a loop take over the innermost entry of its caller, and all its threads keep it as
// the loop's; outside of a loop's body that is null.
extern constinit thread_local Scope *innermost_scope, *scope_of_loop;

// The number of ranges that parallel_for makes of [0, n) on `threads` threads; n > 0.
Index range_count(Index n, Index grain, Index threads);
void run_parallel(Index n, Index grain, void (*body)(void* context, Index begin, Index end),
                  void* context);
}  // namespace detail

// Calls body(begin, end) for disjoint ranges that cover [0, n), each of about `grain` iterations
// or more (n = 9 and grain = 4 give three ranges of 3), or of a quarter of that where some threads
// would have none. Choose grain so that a range costs 10 us or more. A nested loop runs on the
// calling thread alone. The first exception of a body is rethrown. Several threads may call
// parallel_for; their loops run one after another. So a body must not start a thread that calls
// parallel_for and wait for it: that would deadlock.
template <class Body>
void parallel_for(Index n, Index grain, Body&& body) {
  detail::run_parallel(
      n, grain,
      [](void* context, Index begin, Index end) {
        (*static_cast<std::remove_reference_t<Body>*>(context))(begin, end);
      },
      const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace engine
