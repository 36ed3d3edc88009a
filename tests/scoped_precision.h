// The precision of products for as long as an object lives.
#pragma once

#include "engine/kernels/gemm/gemm.h"

class ScopedPrecision {
 public:
  explicit ScopedPrecision(engine::kernels::Precision precision)
      : before_(engine::kernels::product_precision()) {
    engine::kernels::set_product_precision(precision);
  }
  ScopedPrecision(const ScopedPrecision&) = delete;
  ScopedPrecision& operator=(const ScopedPrecision&) = delete;
  ~ScopedPrecision() { engine::kernels::set_product_precision(before_); }

 private:
  engine::kernels::Precision before_;
};

inline const char* precision_name(engine::kernels::Precision precision) {
  return precision == engine::kernels::Precision::bfloat16 ? "bfloat16" : "float32";
}
