// What the fuzz targets (libFuzzer, `make fuzz`) have in common. A target gives some bytes to a
// parser; the only thing that may go wrong is an engine::Error with one printable line of text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/base/check.h"
#include "model/base/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fuzz {

inline std::string_view bytes_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// libFuzzer reports everything that ends the program.
inline void demand(bool condition) {
  if (!condition) __builtin_trap();
}

// Runs the body. True if it accepted the input, false if it refused with one clear line.
template <class Body>
bool accepts(Body body) {
  try {
    body();
    return true;
  } catch (const engine::Error& error) {
    const std::string_view line = error.what();
    demand(!line.empty() && line.size() < 2000 && model::valid_utf8_prefix(line) == line.size());
    for (const char c : line) demand(static_cast<unsigned char>(c) >= ' ' && c != 0x7F);
    return false;
  }
}

}  // namespace fuzz
