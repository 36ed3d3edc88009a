// Messages about a lack of memory, with this machine's numbers; what just fits is not refused.
#include <cmath>
#include <cstdio>

#include "engine/base/control_groups.h"
#include "engine/base/cpu.h"
#include "model/base/system.h"
#include "tests/catch.h"
#include "train/system/limits.h"
#include "train/system/words.h"

using namespace train;

namespace {

std::string gigabytes(double bytes) {
  char text[64];
  std::snprintf(text, sizeof text, bytes < 1e9 ? "%.2f GB" : "%.1f GB", bytes / 1e9);
  return text;
}

}  // namespace

TEST_CASE("memory limits: what is needed and what is there, to a tenth of a gigabyte") {
  const auto there = double(model::total_memory()), allowed = engine::group_limits().memory;
  if (there == 0) return;  // not known here
  CHECK_NOTHROW(check_memory(there, "it needs", "less is more"));
  for (const double needed : {std::nextafter(there, 1e300), 1.5 * there, 1e15})
    CHECK_THROWS_WITH(check_memory(needed, "it needs", "less is more"),
                      joined("it needs about ", gigabytes(needed), " of memory, ",
                             there < allowed ? "this machine has " : "the control group allows ",
                             gigabytes(there), "; less is more"));
  CHECK(memory_limit() ==
        (there < allowed ? "" : joined(" (the control group allows ", gigabytes(allowed), ")")));
  const double cpus = engine::group_limits().cpus;
  CHECK(cpu_limit() == (std::ceil(cpus) > engine::available_cpus()
                            ? ""
                            : joined(" (the control group allows ", short_text(cpus),
                                     cpus == 1 ? " CPU)" : " CPUs)")));
}
