#include "train/system/limits.h"

#include <cmath>

#include "engine/base/control_groups.h"
#include "engine/base/cpu.h"
#include "engine/base/number.h"
#include "model/base/system.h"
#include "train/system/words.h"

namespace train {

namespace {

std::string gigabytes(double bytes) { return fixed_text(bytes / 1e9, bytes < 1e9 ? 2 : 1) + " GB"; }

}  // namespace

void check_memory(double needed, std::string_view what, std::string_view advice) {
  const auto there = static_cast<double>(model::total_memory());
  check(there == 0 || needed <= there, what, " about ", gigabytes(needed), " of memory, ",
        there < engine::group_limits().memory ? "this machine has " : "the control group allows ",
        gigabytes(there), "; ", advice);
}

std::string memory_limit() {
  const double bytes = engine::group_limits().memory;
  if (static_cast<double>(model::total_memory()) < bytes) return "";
  return joined(" (the control group allows ", gigabytes(bytes), ")");
}

std::string cpu_limit() {
  const double cpus = engine::group_limits().cpus;
  if (std::ceil(cpus) > engine::available_cpus()) return "";
  return joined(" (the control group allows ", short_text(cpus), cpus == 1 ? " CPU)" : " CPUs)");
}

}  // namespace train
