// The scalar type of every tensor, chosen by one build flag: float to train, double
// (`make REAL=double`) to check gradients against central differences.
#pragma once

#if __cplusplus < 202002L
#error "gradus is written in C++20: compile it with -std=c++20, by g++ 12, clang 14 or later"
#endif

#include <bit>
#include <cstdint>

#ifndef GRADUS_REAL
#define GRADUS_REAL float
#endif

static_assert(std::endian::native == std::endian::little,
              "gradus needs a little-endian machine: its files and checksums are little-endian");

namespace engine {

using real = GRADUS_REAL;
using Index = std::int64_t;  // sizes, offsets and loop counters: always 64 bits, always signed
using Id = std::int32_t;     // a token or a class: what embedding, cross_entropy and gather look up

// Every object file refers to this function; real.cpp defines it for its own `real` only. Linking
// float and double objects together fails with an undefined reference that names this function.
void link_with_objects_built_for(real);
[[gnu::used]] static void (*const linked_for)(real) = link_with_objects_built_for;

}  // namespace engine
