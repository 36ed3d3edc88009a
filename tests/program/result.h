// What a program that was run has left, and reading and writing files.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace program {

inline std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

inline void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

struct Result {
  int status;  // of exit; 128 + the signal's number if one ended it
  std::string out, err;
};

}  // namespace program
