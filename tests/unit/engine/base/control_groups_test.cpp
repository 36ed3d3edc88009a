// What control groups allow, read from made-up trees of /proc and /sys.
#include "engine/base/control_groups.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "engine/base/cpu.h"
#include "model/base/system.h"
#include "tests/catch.h"
#include "tests/temporary.h"

using engine::GroupLimits;

namespace {

// CPUs and bytes.
std::pair<double, double> limits_of(const std::map<std::string, std::string>& files) {
  const TemporaryDirectory root;
  for (const auto& [name, contents] : files) {
    const std::filesystem::path path = root / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << contents;
  }
  const GroupLimits limits = engine::read_group_limits(root.path());
  return {limits.cpus, limits.memory};
}

}  // namespace

TEST_CASE("system: without control groups or limits nothing is limited") {
  for (const auto& limits : {limits_of({}), limits_of({{"proc/self/cgroup", "0::/\n"}}),
                             limits_of({{"proc/self/cgroup", "nonsense\n::\n0::\n4:cpu:x\n"}}),
                             limits_of({{"proc/self/cgroup", "0::/a\n"},
                                        {"sys/fs/cgroup/a/cpu.max", "max 100000\n"},
                                        {"sys/fs/cgroup/a/memory.max", "max\n"}}),
                             limits_of({{"proc/self/cgroup", "4:memory:/\n1:cpu:/\n"},
                                        {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"},
                                        {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}})})
    CHECK(limits == std::pair(GroupLimits::none, GroupLimits::none));
}

TEST_CASE("system: control groups v2: the least of a group and of all above it") {
  std::map<std::string, std::string> files = {
      {"proc/self/cgroup", "0::/pods.slice/pod-1/main\n"},
      {"sys/fs/cgroup/pods.slice/pod-1/main/cpu.max", "400000 100000\n"},
      {"sys/fs/cgroup/pods.slice/pod-1/main/memory.max", "max\n"},
      {"sys/fs/cgroup/pods.slice/pod-1/cpu.max", "75000 50000\n"},
      {"sys/fs/cgroup/pods.slice/pod-1/memory.max", "125829120\n"},
      {"sys/fs/cgroup/pods.slice/memory.max", "1073741824\n"},
      {"sys/fs/cgroup/other/cpu.max", "1000 100000\n"}};
  CHECK(limits_of(files) == std::pair(1.5, 125'829'120.));
  files["sys/fs/cgroup/cpu.max"] = "50000 100000\n";  // in a container this may be its own group
  files["sys/fs/cgroup/memory.max"] = "1000000\n";
  CHECK(limits_of(files) == std::pair(0.5, 1'000'000.));
  files["proc/self/cgroup"] = "0::/\n";
  CHECK(limits_of(files) == std::pair(0.5, 1'000'000.));
}

TEST_CASE("system: control groups v1: each kind of limit in a hierarchy of its own") {
  std::map<std::string, std::string> files = {
      {"proc/self/cgroup",
       "12:cpuset:/\n5:memory:/docker/ab\n4:cpuacct,cpu:/docker/ab\n1:name=systemd:/x\n0::/x\n"},
      {"sys/fs/cgroup/cpu/docker/ab/cpu.cfs_quota_us", "250000\n"},
      {"sys/fs/cgroup/cpu/docker/ab/cpu.cfs_period_us", "100000\n"},
      {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"},
      {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"},
      {"sys/fs/cgroup/memory/docker/ab/memory.limit_in_bytes", "9223372036854771712\n"},
      {"sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "536870912\n"}};
  CHECK(limits_of(files) == std::pair(2.5, 536'870'912.));
  // In a container that sees the path outside, and its own group as the root.
  for (const std::string name : {"cpu.cfs_quota_us", "cpu.cfs_period_us"})
    files["sys/fs/cgroup/cpu/" + name] = files["sys/fs/cgroup/cpu/docker/ab/" + name];
  files.erase("sys/fs/cgroup/cpu/docker/ab/cpu.cfs_quota_us");
  CHECK(limits_of(files) == std::pair(2.5, 536'870'912.));
}

TEST_CASE("system: CPUs and memory are no more than the control groups of this process allow") {
  const GroupLimits& limits = engine::group_limits();
  CHECK(engine::available_cpus() >= 1);
  CHECK(engine::available_cpus() < limits.cpus + 1);
  CHECK(static_cast<double>(model::total_memory()) <= limits.memory);
}
