// Parts of a path. Its names are separated as the system's are: by `/`, on Windows also by `\`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace model {

std::size_t last_separator(std::string_view path);  // npos if there is none
std::string directory_of(const std::string& path);  // that it lies in; `.` of a mere name
std::string without_separators(std::string path);   // at its end
// DIRECTORY/NAME, separated as the directory's own path is.
std::string inside(const std::string& directory, std::string_view name);

}  // namespace model
