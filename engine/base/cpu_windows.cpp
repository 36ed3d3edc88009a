#undef NOMINMAX  // libstdc++ has it
#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "engine/base/cpu.h"

namespace engine {

namespace {

// The CPUs that this process may run on, as bits: those of its processor group, 64 at most.
DWORD_PTR affinity() {
  DWORD_PTR process = 0, machine = 0;
  return GetProcessAffinityMask(GetCurrentProcess(), &process, &machine) ? process : 0;
}

}  // namespace

CpuSet cpus_of_process() { return {affinity()}; }
int available_cpus() { return std::max(std::popcount(affinity()), 1); }
int machine_cpus() { return static_cast<int>(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS)); }
int current_cpu() { return static_cast<int>(GetCurrentProcessorNumber()); }

void leave_cpu(int cpu) {
  const DWORD_PTR all = affinity();
  if (cpu < 0 || cpu > 63 || current_cpu() != cpu) return;
  const DWORD_PTR others = all & ~(DWORD_PTR{1} << cpu);
  // Moves the thread, then restores its affinity.
  if (others != 0 && SetThreadAffinityMask(GetCurrentThread(), others) != 0)
    SetThreadAffinityMask(GetCurrentThread(), all);
}

std::size_t l2_cache() {
  DWORD bytes = 0;
  GetLogicalProcessorInformation(nullptr, &bytes);  // asks for the size
  std::vector<SYSTEM_LOGICAL_PROCESSOR_INFORMATION> all(bytes / sizeof all[0]);
  if (!GetLogicalProcessorInformation(all.data(), &bytes)) return 0;
  for (const auto& part : all)
    if (part.Relationship == RelationCache && part.Cache.Level == 2) return part.Cache.Size;
  return 0;
}

void around_fork(void (*)(), void (*)(), void (*)()) {}

void advise_large_pages(void*, std::size_t) {}  // need a privilege that users do not have

}  // namespace engine
