// train/system/processes.h by MPI; the only file that includes its header (make MPI=1).
#include <mpi.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>

#include "engine/base/control_groups.h"
#include "engine/base/cpu.h"
#include "train/system/processes.h"

namespace train {

namespace {

const MPI_Comm all = MPI_COMM_WORLD;
const MPI_Datatype real_type = std::is_same_v<engine::real, float> ? MPI_FLOAT : MPI_DOUBLE;

// MPI counts in int. Pieces of 64 MiB.
constexpr std::size_t max_piece = std::size_t(1) << 26;
template <class Each>
void in_pieces(std::size_t size, std::size_t most, Each each) {
  for (std::size_t begin = 0; begin < size; begin += most)
    each(begin, static_cast<int>(std::min(most, size - begin)));
}

}  // namespace

void Processes::check_build() {}

Processes Processes::start() {
  // Only the main thread calls MPI. Errors end all processes with MPI's own words.
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  Processes processes;
  MPI_Comm_size(all, &processes.count);
  MPI_Comm_rank(all, &processes.rank);
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, processes.rank, MPI_INFO_NULL, &here);
  MPI_Comm_size(here, &processes.on_this_machine);
  engine::CpuSet cpus = engine::cpus_of_process();
  MPI_Allreduce(MPI_IN_PLACE, cpus.data(), static_cast<int>(cpus.size()), MPI_UINT64_T, MPI_BOR,
                here);
  int count = 0;
  for (const std::uint64_t bits : cpus) count += std::popcount(bits);
  if (count == 0) count = engine::machine_cpus();
  processes.cpus_here = std::max(
      1, static_cast<int>(std::min<double>(count, std::ceil(engine::group_limits().cpus))));
  MPI_Comm_free(&here);
  return processes;
}

void Processes::end() const { MPI_Finalize(); }

void Processes::abort(int status) const {
  MPI_Abort(all, status);
  std::_Exit(status);
}

void Processes::broadcast(std::span<char> bytes, bool patiently) const {
  if (alone()) return;
  if (!patiently)
    return in_pieces(bytes.size(), max_piece, [&](std::size_t begin, int size) {
      MPI_Bcast(bytes.data() + begin, size, MPI_CHAR, 0, all);
    });
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(bytes.data(), static_cast<int>(bytes.size()), MPI_CHAR, 0, all, &request);
  for (int done = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE), done == 0;)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

// Since the other processes contribute zeros, the sum is exact in any order.
void Processes::gather(std::span<double> numbers) const {
  if (alone()) return;
  MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, MPI_SUM,
                all);
}

int Processes::max(int number) const {
  if (alone()) return number;
  MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_MAX, all);
  return number;
}

void Processes::exchange(int partner, std::span<const engine::real> out,
                         std::span<engine::real> in) const {
  constexpr std::size_t most = max_piece / sizeof(engine::real);
  in_pieces(std::max(out.size(), in.size()), most, [&](std::size_t begin, int) {
    const auto size_of = [&](std::size_t size) {
      return static_cast<int>(std::min(most, size - std::min(begin, size)));
    };
    MPI_Sendrecv(out.data() + std::min(begin, out.size()), size_of(out.size()), real_type, partner,
                 0, in.data() + std::min(begin, in.size()), size_of(in.size()), real_type, partner,
                 0, all, MPI_STATUS_IGNORE);
  });
}

std::string Processes::broadcast(std::string_view text) const {
  std::string bytes(text);
  bytes.resize(broadcast(bytes.size()));
  broadcast(std::span(bytes.data(), bytes.size()));
  return bytes;
}

}  // namespace train
