// The instruction sets that the program was compiled for, as data that main can read before any of
// that code runs.
#pragma once

namespace train {

inline constexpr int avx2 = 1, fma = 2, bmi2 = 4, avx512f = 8, avx512bw = 16, avx512dq = 32,
                     avx512vl = 64;
extern const int compiled_for;  // the sum of those the compiler was allowed to use

}  // namespace train
