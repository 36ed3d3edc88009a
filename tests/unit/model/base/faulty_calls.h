// System calls that fail on demand, and what the tests of files share.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/files.h"
#include "model/base/system_calls.h"
#include "tests/temporary.h"
#include "tests/unit/model/error.h"

namespace files {

using model::system_calls;
using Names = std::vector<std::string>;

inline constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

inline std::string read_file(const std::string& path, std::int64_t most = no_limit) {
  return model::read_file(path, most);
}

inline void write(const std::string& path, const std::vector<std::string_view>& pieces) {
  model::write_file(path, pieces);
}

inline Names names_in(const std::string& directory) {
  Names names;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// A directory with room for one file, a model.
struct ForModel : TemporaryDirectory {
  const std::string model = *this / "model";
  std::string contents() const { return read_file(model); }
  Names names() const { return names_in(path()); }
};

// Lets one system call fail: the one that the countdown reaches, among those of this name.
struct Fault {
  std::string name;
  int countdown;
  int code;
};
inline Fault fault;

inline bool fails(const char* name) {
  if (fault.name != name || --fault.countdown != 0) return false;
  errno = fault.code;
  return true;
}

class FaultyCalls {
 public:
  FaultyCalls(const std::string& name, int countdown, int code) {
    fault = {name, countdown, code};
    static const model::SystemCalls real;
    system_calls.open = [](const char* path, int opening, int permissions) {
      return fails("open") ? -1 : real.open(path, opening, permissions);
    };
    system_calls.status = [](int file, model::system::Status& status) {
      return fails("status") ? -1 : real.status(file, status);
    };
    system_calls.read = [](int file, void* bytes, std::size_t size) {
      return fails("read") ? std::ptrdiff_t{-1} : real.read(file, bytes, size);
    };
    // At most five bytes a time, so that there are several calls to fail.
    system_calls.write = [](int file, const void* bytes, std::size_t size) {
      return fails("write") ? std::ptrdiff_t{-1}
                            : real.write(file, bytes, std::min<std::size_t>(size, 5));
    };
    system_calls.truncate = [](int file, std::int64_t size) {
      return fails("truncate") ? -1 : real.truncate(file, size);
    };
    system_calls.flush = [](int file) { return fails("flush") ? -1 : real.flush(file); };
    system_calls.lock = [](int file) { return fails("lock") ? -1 : real.lock(file); };
    system_calls.close = [](int file) {
      const int result = real.close(file);
      return fails("close") ? -1 : result;
    };
    system_calls.rename = [](const char* from, const char* to) {
      return fails("rename") ? -1 : real.rename(from, to);
    };
    system_calls.unlink = [](const char* path) { return fails("unlink") ? -1 : real.unlink(path); };
    system_calls.make_directory = [](const char* path) {
      return fails("make_directory") ? -1 : real.make_directory(path);
    };
  }
  ~FaultyCalls() { system_calls = {}; }
  bool struck() const { return fault.countdown <= 0; }
};

}  // namespace files
