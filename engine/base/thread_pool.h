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

// Sets the number of threads that run parallel loops, the calling thread included, 1..256; default:
// the CPUs this process may use. Must not be called inside a loop, nor while another thread runs one.
// Returns thread_count(), which is below `count` if the system refuses to start more threads: then
// half of those that started, since the work needs memory too.
int set_thread_count(int count);
int thread_count();
// The number of the calling thread in [0, thread_count()), unique inside a loop: the index of its
// part of scratch memory that was allocated before the loop.
int thread_index();

namespace detail {
void run_parallel(Index n, Index grain, void (*body)(void* context, Index begin, Index end),
                  void* context);
}

// Calls body(begin, end) for disjoint ranges that cover [0, n), each of about `grain` iterations
// or more (9 with a grain of 4: three ranges of 3); choose grain so that a range costs 10 us or
// more. A nested loop runs on the calling thread alone. The first exception of a body is rethrown.
// Several threads may call it; one loop runs after another. So a body must not wait for a thread
// that it has started and that calls parallel_for: each would wait for the other.
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
