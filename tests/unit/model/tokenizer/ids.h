// The tokens of a text as a list.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/tokenizer/tokenizer.h"

using Ids = std::vector<std::int32_t>;

inline Ids list(const model::TokenIds& ids) {
  Ids all(static_cast<std::size_t>(ids.size()));
  ids.copy(0, all);
  return all;
}

inline Ids encode(const model::Tokenizer& tokenizer, std::string_view text) {
  return list(tokenizer.encode(text));
}
