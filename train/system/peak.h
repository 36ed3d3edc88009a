// The most this machine can multiply and add, measured: what a share of peak is a share of.
#pragma once

namespace train {

// Floating-point operations a second (an fma counts two) of all threads together, in registers,
// with nothing to load. Takes some milliseconds.
double measure_peak_flops();

}  // namespace train
