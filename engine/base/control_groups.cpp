#include "engine/base/control_groups.h"

#include <algorithm>
#include <fstream>

namespace engine {

namespace {

// The limits of the group and all groups above it, up to the root of its hierarchy. In a container
// the path may be the outside one; then only the root, the container's own group, is visible.
void read_groups(const std::string& hierarchy, std::string path, GroupLimits& limits) {
  const auto lower = [](double& limit, double value) {
    if (value > 0) limit = std::min(limit, value);  // -1: no limit, in v1
  };
  for (;; path.resize(path.find_last_of('/'))) {
    const std::string group = hierarchy + path + '/';
    double quota = 0, period = 0, bytes = 0;
    if (std::ifstream(group + "cpu.max") >> quota >> period ||  // a word, max: no limit, in v2
        (std::ifstream(group + "cpu.cfs_quota_us") >> quota &&
         std::ifstream(group + "cpu.cfs_period_us") >> period))
      lower(limits.cpus, quota / period);
    if (std::ifstream(group + "memory.max") >> bytes ||
        std::ifstream(group + "memory.limit_in_bytes") >> bytes)
      lower(limits.memory, bytes);
    if (path.empty()) return;
  }
}

}  // namespace

GroupLimits read_group_limits(const std::string& root) {
  GroupLimits limits;
  std::ifstream groups(root + "/proc/self/cgroup");
  // 0::/path in v2; 4:cpu,cpuacct:/path in v1
  std::string number, kinds, path;
  while (std::getline(groups, number, ':') && std::getline(groups, kinds, ':') &&
         std::getline(groups, path)) {
    if (!path.starts_with('/')) continue;
    if (path == "/") path.clear();
    if (kinds.empty()) read_groups(root + "/sys/fs/cgroup", path, limits);
    for (const std::string kind : {"cpu", "memory"})
      if ((',' + kinds + ',').find(',' + kind + ',') != std::string::npos)
        read_groups(root + "/sys/fs/cgroup/" + kind, path, limits);
  }
  return limits;
}

const GroupLimits& group_limits() {
#ifdef __linux__
  static const GroupLimits limits = read_group_limits("");
#else
  static const GroupLimits limits;
#endif
  return limits;
}

}  // namespace engine
