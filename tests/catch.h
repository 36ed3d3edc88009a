// Catch2, whichever version is installed: v2 (Debian 12) has one header, v3 a library.
#pragma once

#include <string>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>

using Catch::Approx;

namespace Catch {  // v2's names
inline auto Contains(const std::string& part) { return Matchers::ContainsSubstring(part); }
inline auto StartsWith(const std::string& part) { return Matchers::StartsWith(part); }
inline auto EndsWith(const std::string& part) { return Matchers::EndsWith(part); }
}  // namespace Catch
#else
#include <catch2/catch.hpp>
#endif

// A sanitizer ends the program that asks for more memory than there is.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
