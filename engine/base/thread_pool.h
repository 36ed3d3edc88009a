// Threads that share a loop. parallel_for cuts [0, n) into ranges; which thread runs which range
// is left to chance, so a body must write only what belongs to its own range. Then results have
// the same bits for any number of threads.
//
// Waiting: a worker spins for a few microseconds after its last loop (the next one usually
// follows at once), then sleeps until it is woken. Spinning for longer would steal the CPU from
// the thread that has work, whenever the machine is shared.
#pragma once

#include <type_traits>

#include "engine/base/real.h"

namespace engine {

// Threads that run parallel loops, the caller's included. 1 <= count <= 256.
// The default is the number of CPUs this process may use. Not to be called inside a loop. Returns
// thread_count(): fewer than `count` if the system refuses to start more threads.
int set_thread_count(int count);
int thread_count();
// Which of them is running: below thread_count(), no two at a time the same. For memory that each
// thread of a loop needs for itself, taken before the loop so that it does not depend on chance.
int thread_index();

namespace detail {
void run_parallel(Index n, Index grain, void (*body)(void* context, Index begin, Index end),
                  void* context);
}

// Calls body(begin, end) for disjoint ranges that cover [0, n), each of at least `grain`
// iterations (the last may be shorter): choose grain so that a range costs 10 us or more.
// A loop inside a loop runs on the thread it is in. The first exception of a body is rethrown.
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
