// The precision of products for as long as an object lives; bfloat16 on every CPU.
#pragma once

#include "engine/kernels/gemm/gemm.h"

class ScopedPrecision {
 public:
  explicit ScopedPrecision(engine::kernels::Precision precision)
      : before_(engine::kernels::product_precision()) {
    engine::kernels::detail::precision_of_products = precision;
  }
  ScopedPrecision(const ScopedPrecision&) = delete;
  ScopedPrecision& operator=(const ScopedPrecision&) = delete;
  ~ScopedPrecision() { engine::kernels::detail::precision_of_products = before_; }

 private:
  engine::kernels::Precision before_;
};

inline const char* precision_name(engine::kernels::Precision precision) {
  return precision == engine::kernels::Precision::bfloat16 ? "bfloat16" : "float32";
}
