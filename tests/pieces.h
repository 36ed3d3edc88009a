// The pieces of a file, as writers of files return them, in one string.
#pragma once

#include <string>
#include <string_view>
#include <vector>

inline std::string joined_pieces(const std::vector<std::string_view>& pieces) {
  std::string file;
  for (const std::string_view piece : pieces) file += piece;
  return file;
}
