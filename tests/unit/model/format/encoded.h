// Values as the bytes of a data type.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/base/index.h"
#include "model/format/tensor_entry.h"

inline std::string encoded(std::string_view name, model::Dtype dtype,
                           std::span<const engine::real> values) {
  const model::DtypeLayout& unit = model::layout(dtype);
  std::string bytes(
      values.size() / engine::unsigned_size(unit.block) * engine::unsigned_size(unit.bytes), '\0');
  model::encode(name, dtype, values, bytes);
  return bytes;
}
