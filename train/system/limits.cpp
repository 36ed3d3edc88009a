#include "train/system/limits.h"

#include <cmath>

#include "engine/base/control_groups.h"
#include "engine/base/number.h"
#include "engine/base/system.h"
#include "train/system/words.h"

namespace train {

void check_memory(double needed, std::string_view what, std::string_view advice) {
  const auto there = static_cast<double>(engine::total_memory());
  const auto gigabytes = [](double bytes) {
    return fixed_text(bytes / 1e9, bytes < 1e9 ? 2 : 1) + " GB";
  };
  check(there == 0 || needed <= there, what, " about ", gigabytes(needed), " of memory, ",
        there < engine::group_limits().memory ? "this machine has " : "the control group allows ",
        gigabytes(there), "; ", advice);
}

std::string cpu_limit() {
  const double cpus = engine::group_limits().cpus;
  if (std::ceil(cpus) > engine::available_cpus()) return "";
  return joined(" (the control group allows ", short_text(cpus), cpus == 1 ? " CPU)" : " CPUs)");
}

}  // namespace train
