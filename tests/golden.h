// Numbers that PyTorch computed, from tests/data/: lines of a name, a count and as many values.
// Inputs are not stored: element i of tensor k is a formula's, computed in double and rounded once.
#pragma once

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "engine/base/number.h"
#include "engine/tensor.h"
#include "tests/catch.h"

namespace golden {

using engine::Index;
using engine::real;
using engine::Tensor;

inline constexpr bool in_double = sizeof(real) == 8;

using Values = std::vector<double>;

inline std::map<std::string, Values> read(const std::string& path) {
  std::ifstream file(path);
  REQUIRE(file.good());
  std::map<std::string, Values> all;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name, word;
    std::size_t count = 0;
    words >> name >> count;
    Values& values = all[name];
    while (words >> word) {
      values.emplace_back();
      REQUIRE(engine::parse_number(word, values.back()) == engine::Parsed::ok);
    }
    REQUIRE(values.size() == count);
  }
  return all;
}

inline double formula(Index i, Index k) {
  return double((31 * i * i + 7919 * i + 104729 * k + 17) % 2003 - 1001) / 1000;
}

// Tensor k: center + scale formula(i, k).
inline void fill(const Tensor& x, Index k, double scale, double center = 0) {
  for (Index i = 0; i < x.size(); ++i)
    x.mutable_data()[i] = static_cast<real>(center + scale * formula(i, k));
}

}  // namespace golden
