// The standard headers most files begin with, for the Makefile to parse once and keep: half of the
// build would be spent on them. Nothing includes this file; every file names the headers it uses.
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>
#if defined(__x86_64__)
#include <immintrin.h>
#endif
