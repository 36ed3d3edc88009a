#include "train/system/processes.h"

#include <cstdlib>

namespace train {

namespace {

// The variables in which mpirun of Open MPI, of MPICH and its relatives, and SLURM's srun give the
// number of processes.
constexpr const char* counts[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};

}  // namespace

Processes Processes::start() { return {}; }

void Processes::check_build() {
  for (const char* const name : counts)
    if (const char* const count = std::getenv(name); count != nullptr && std::atoi(count) > 1)
      fail("one of ", count, " processes (", name,
           "), but this gradus is built to train in one; make MPI=1 builds it for several, and env "
           "-u ",
           name, " before the command trains in one");
}

void Processes::end() const {}
void Processes::abort(int status) const { std::_Exit(status); }
void Processes::broadcast(std::span<char>, bool) const {}
void Processes::gather(std::span<double>) const {}
int Processes::max(int number) const { return number; }
void Processes::exchange(int, std::span<const engine::real>, std::span<engine::real>) const {}
std::string Processes::broadcast(std::string_view text) const { return std::string(text); }

}  // namespace train
