// What the control groups of this process let it use: Linux's way of giving a container, a job or a
// service a part of the machine.
#pragma once

#include <limits>
#include <string>

namespace engine {

// The least of what the process's own group and each group above it have; no more than `none` if they
// say nothing, or where there are no control groups.
struct GroupLimits {
  static constexpr double none = std::numeric_limits<double>::infinity();
  double cpus = none;    // 1.5: 150 ms of every 100 ms, over all threads
  double memory = none;  // in bytes
};
const GroupLimits& group_limits();
// The same from the files below `root`: proc/self/cgroup and those in sys/fs/cgroup, of cgroup v2 and
// v1 (one hierarchy for each kind of limit), where systems and containers have them by convention.
GroupLimits read_group_limits(const std::string& root);

}  // namespace engine
