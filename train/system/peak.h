// The machine's peak speed in fused multiply-adds, measured; progress lines give speeds as a share
// of it.
#pragma once

#include "engine/kernels/gemm/gemm.h"
#include "train/system/processes.h"

namespace train {

// Floating-point operations per second of all threads together, on values in registers: by fma,
// which counts as two, or by sums of pairs of bfloat16, which count as four. Takes some
// milliseconds.
double measure_peak_flops(
    engine::kernels::Precision precision = engine::kernels::Precision::float32);
// The same for all processes together, assuming that all machines are like this one.
double measure_peak_flops(engine::kernels::Precision precision, const Processes& processes);

}  // namespace train
