// Parts of a path. Names are separated by `/`, on Windows also by `\`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace model {

std::size_t last_separator(std::string_view path);  // npos if there is none
std::string directory_of(const std::string& path);  // where it lies; `.` for a plain name
std::string without_separators(std::string path);   // at its end
// DIRECTORY/NAME, with the separator that the directory's own path uses.
std::string inside(const std::string& directory, std::string_view name);

}  // namespace model
