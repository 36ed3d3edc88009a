// The processes that train one model together: those started by mpirun, in a build made with `make
// MPI=1`; in any other build only this process, for which each function does nothing.
// train/loop/gradient_sum.h says why their number never changes a bit of a run.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "engine/base/real.h"
#include "train/system/words.h"

namespace train {

struct Processes {
  int count = 1;
  int rank = 0;             // 0 reads and writes files and prints; the others only compute
  int on_this_machine = 1;  // of them
  int cpus_here = 1;        // that these may use together

  bool alone() const { return count == 1; }
  // "4 processes, each of " if there are several; else empty.
  std::string text() const { return alone() ? "" : joined(count, " processes, each of "); }
  // "mpirun -n 4 ", before a command for 4 processes; empty for one.
  std::string launcher() const { return alone() ? "" : joined("mpirun -n ", count, ' '); }
  // Threads that have a CPU, if each process on this machine has `threads` of them.
  int running(int threads) const {
    return alone() ? threads : std::min(on_this_machine * threads, cpus_here);
  }

  // The processes that mpirun started. Call it once, first of all.
  static Processes start();
  // Throws Error if a build without MPI was started by mpirun: the copies would all write the same
  // run.
  static void check_build();
  // Each process calls it once, last of all.
  void end() const;
  // Ends all processes now, this one with `status`.
  [[noreturn]] void abort(int status) const;

  // All processes call these together, with arguments of the same sizes. A single process does not
  // wait.

  // All processes get process 0's bytes. `patiently`: waiting processes sleep instead of polling,
  // since process 0 may take minutes.
  void broadcast(std::span<char> bytes, bool patiently = false) const;
  // Every number is 0 in all processes but one; afterwards all processes have that one's number.
  void gather(std::span<double> numbers) const;
  int max(int number) const;
  // Sends `out` to process `partner` and receives its `out` as `in`; the partner makes the same
  // call.
  void exchange(int partner, std::span<const engine::real> out, std::span<engine::real> in) const;

  template <class T>
  requires std::is_trivially_copyable_v<T> T broadcast(T value, bool patiently = false)
  const {
    broadcast(std::span(reinterpret_cast<char*>(&value), sizeof value), patiently);
    return value;
  }
  // The same for a text of any length.
  std::string broadcast(std::string_view text) const;
};

}  // namespace train
