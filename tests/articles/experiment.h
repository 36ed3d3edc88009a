// What the experiments have in common. Each is one file that leaves out a part of a model, trains
// it and states the outcome in numbers. Its CHECKs were tried with many seeds: README.md.
// Another seed: GRADUS_SEED=2 make articles ARTICLE=scale.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <iomanip>
#include <sstream>
#include <string>

#include "engine/base/text.h"
#include "engine/ops.h"
#include "tests/articles/walkthrough.h"

namespace articles {

inline std::uint64_t experiment_seed() {
  const char* const given = std::getenv("GRADUS_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 123;
}

// The length of x as one vector.
inline double norm(const Tensor& x) { return std::sqrt(static_cast<double>(sum(x * x).item())); }

// A row of a table: its name, then columns of 14 characters, flushed right.
inline void say_row(const std::string& name, std::initializer_list<std::string> cells) {
  std::ostringstream row;
  row << std::left << std::setw(24) << name << std::right;
  for (const std::string& cell : cells) row << std::setw(14) << cell;
  say(row.str());
}

}  // namespace articles
