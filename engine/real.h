// The scalar type of every tensor, chosen by one build flag: float to train, double
// (`make REAL=double`) to check gradients against central differences. One source serves both.
#pragma once

#include <cstdint>

#ifndef GRADUS_REAL
#define GRADUS_REAL float
#endif

namespace engine {

using real = GRADUS_REAL;
using Index = std::int64_t;  // sizes, offsets and loop counters: always 64 bits, always signed

}  // namespace engine
