// Exercise 18: a sum that has the same bits for any number of threads.
//
// Sum the numbers of x on several threads. You have one function that uses threads:
//
//     for_each(count, body)   calls body(i) for i = 0 .. count - 1, each once, on any thread that is
//                             free: in an order that you do not know, and that changes from run to
//                             run; it returns when all are done
//
// Return the sum of x, such that
//     - it has the same bits for any `threads` and any order of the bodies,
//     - the work is shared: for 1,000 numbers there are at least 8 bodies.
//
// A body may write to memory of its own index; two bodies that write to one number race. (The
// grader plays the threads: it calls the bodies one after another, in three orders.)
//
// Derive: (a + b) + c and a + (b + c) may differ in their last bit. What may the places where the sum
// is cut depend on, and in which order are the parts added?
//
// Read before: chapter 14 of the book. `parallel_sum_of` in engine/kernels/reduce.cpp has the result.
#include <algorithm>
#include <vector>

#include "tests/exercises/exercise.h"

using namespace exercises;

real same_sum(Vector x, Index threads, const ForEach& for_each) {
  // --- your code instead of the next line: for_each(..., [&](Index i) { ... }); return ... ---
  not_done(x, threads, for_each);
}

int main() { return grade_same_sum(same_sum); }
