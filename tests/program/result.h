// The result of a program that was run; reading and writing files.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace program {

std::string read(const std::filesystem::path& path);
void write(const std::filesystem::path& path, const std::string& bytes);

// The contents of files by name: of one below the root, or all in a directory, but those in the root
// that begin with a dot, which Sandbox makes for itself. What a link leads to is not read; of a file of
// more than a megabyte its size and the time of its last write stand for the contents.
using Files = std::map<std::string, std::string>;
void add_files(Files& files, const std::filesystem::path& root, const std::filesystem::path& path);
Files files_in(const std::filesystem::path& root);

struct Result {
  int status;  // of exit; 128 + the signal's number if one ended it
  std::string out, err;
};

}  // namespace program
