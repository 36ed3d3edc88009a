// The result of a program that was run; reading and writing files.
#pragma once

#include <filesystem>
#include <string>

namespace program {

std::string read(const std::filesystem::path& path);
void write(const std::filesystem::path& path, const std::string& bytes);

struct Result {
  int status;  // of exit; 128 + the signal's number if one ended it
  std::string out, err;
};

}  // namespace program
