// The machine's peak speed in fused multiply-adds, measured; progress lines give speeds as a share
// of it.
#pragma once

namespace train {

// Floating-point operations a second (an fma counts as two) of all threads together, on values in
// registers. Takes some milliseconds; measured once per start.
double measure_peak_flops();

}  // namespace train
