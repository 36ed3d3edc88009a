// Paths for std::filesystem.
#pragma once

#include <filesystem>
#include <string>

namespace model {

// Names of `char` are not UTF-8 for std::filesystem on Windows.
inline std::filesystem::path system_path(const std::string& path) {
  return std::u8string(path.begin(), path.end());
}

inline std::string name_of(const std::filesystem::path& path) {
  const std::u8string name = path.generic_u8string();
  return {name.begin(), name.end()};
}

}  // namespace model
