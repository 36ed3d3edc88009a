// Numbers in files: little-endian (engine/base/real.h requires a little-endian machine), at any
// alignment.
#pragma once

#include <cstring>
#include <string>

#include "engine/base/real.h"

namespace model {

template <class Number>
Number load(const char* from) {
  Number number;
  std::memcpy(&number, from, sizeof number);
  return number;
}

template <class... Numbers>
void append(std::string& bytes, Numbers... numbers) {
  (bytes.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
}

}  // namespace model
