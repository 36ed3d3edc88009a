// The limits that control groups set for this process. Linux gives containers, jobs and services a
// part of the machine by control groups.
#pragma once

#include <limits>
#include <string>

namespace engine {

// The tightest limits among the process's own group and the groups above it; `none` (infinity)
// where no limit is set or there are no control groups.
struct GroupLimits {
  static constexpr double none = std::numeric_limits<double>::infinity();
  double cpus = none;    // 1.5: 150 ms of every 100 ms, over all threads
  double memory = none;  // in bytes
};
const GroupLimits& group_limits();
// The same, read from the files below `root`: proc/self/cgroup and sys/fs/cgroup, for cgroup v2 and
// v1 (which has one hierarchy for each kind of limit), at their conventional places.
GroupLimits read_group_limits(const std::string& root);

}  // namespace engine
