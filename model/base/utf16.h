// Texts of Windows, which are UTF-16: for system_windows.cpp and train/system/console_windows.cpp.
#pragma once

#include <string>
#include <string_view>

namespace model::system {

std::string narrow(std::wstring_view text);  // as UTF-8

}  // namespace model::system
