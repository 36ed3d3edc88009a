#include "tests/program/result.h"

#include <fstream>
#include <sstream>

namespace fs = std::filesystem;

namespace program {

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

namespace {

std::string state_of(const fs::path& file) {
  if (!fs::is_regular_file(file)) return "";
  if (fs::file_size(file) <= 1 << 20) return read(file);
  const auto written = fs::last_write_time(file).time_since_epoch().count();
  return std::to_string(fs::file_size(file)) + " bytes at " + std::to_string(written);
}

}  // namespace

void add_files(Files& files, const fs::path& root, const fs::path& path) {
  if (fs::is_directory(path)) {
    for (const auto& entry : fs::directory_iterator(path)) {
      if (path == root && entry.path().filename().generic_string().starts_with('.')) continue;
      if (entry.is_symlink())
        files[entry.path().lexically_relative(root).generic_string()] =
            fs::read_symlink(entry.path()).string();
      else
        add_files(files, root, entry.path());
    }
  } else {
    files[path.lexically_relative(root).generic_string()] = state_of(path);
  }
}

Files files_in(const fs::path& root) {
  Files files;
  add_files(files, root, root);
  return files;
}

}  // namespace program
