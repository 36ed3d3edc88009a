// Numbers as files hold them: little-endian, as engine/base/real.h demands of the machine, and at
// any place.
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
