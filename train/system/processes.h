// The processes that train one model together: those that mpirun started, in a build made with
// `make MPI=1`; in any other build this one alone, for which each function is at once done.
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
  int rank = 0;             // 0 reads the files, writes them, and speaks; the others only compute
  int on_this_machine = 1;  // of them
  int cpus_here = 1;        // that those may use, all together

  bool alone() const { return count == 1; }
  // "4 processes, each of " if there are several; else empty.
  std::string text() const { return alone() ? "" : joined(count, " processes, each of "); }
  // "mpirun -n 4 ", before a command for as many; else empty.
  std::string launcher() const { return alone() ? "" : joined("mpirun -n ", count, ' '); }
  // Threads that have a CPU, if each process on this machine has `threads` of them.
  int running(int threads) const {
    return alone() ? threads : std::min(on_this_machine * threads, cpus_here);
  }

  // All that mpirun started; called once, first of all.
  static Processes start();
  // Throws Error if this build knows no MPI but was started by it: the copies would all write the
  // same run.
  static void check_build();
  // Called once by each, last of all.
  void end() const;
  // Ends all of them now, this one with `status`.
  [[noreturn]] void abort(int status) const;

  // All call these together, with arguments of the same sizes. One alone has nothing to wait for.

  // Process 0's bytes become everybody's. `patiently`: those who wait sleep meanwhile instead of
  // asking all the time, since process 0 may take minutes to come.
  void broadcast(std::span<char> bytes, bool patiently = false) const;
  // Every number is 0 in all processes but one: afterwards everybody has that one's.
  void gather(std::span<double> numbers) const;
  int max(int number) const;
  // Process `partner` gets `out`, and `in` is what it sent; the partner calls it likewise.
  void exchange(int partner, std::span<const engine::real> out, std::span<engine::real> in) const;

  template <class T>
  requires std::is_trivially_copyable_v<T> T broadcast(T value, bool patiently = false)
  const {
    broadcast(std::span(reinterpret_cast<char*>(&value), sizeof value), patiently);
    return value;
  }
  // A text of any length.
  std::string broadcast(std::string_view text) const;
};

}  // namespace train
