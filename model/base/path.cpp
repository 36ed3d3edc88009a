#include "model/base/path.h"

#include "engine/base/text.h"
#include "model/base/system.h"

namespace model {

std::size_t last_separator(std::string_view path) { return path.find_last_of(system::separators); }

std::string directory_of(const std::string& path) {
  const std::size_t end = last_separator(path);
  if (end == std::string::npos) return ".";
  const bool is_root = end == 0 || path[end - 1] == ':';  // /x, C:\x
  return path.substr(0, is_root ? end + 1 : end);
}

std::string without_separators(std::string path) {
  while (path.size() > 1 && last_separator(path) == path.size() - 1) path.pop_back();
  return path;
}

std::string inside(const std::string& directory, std::string_view name) {
  const std::size_t last = last_separator(directory);  // what separates there
  return engine::joined(directory, last == std::string::npos ? '/' : directory[last], name);
}

}  // namespace model
