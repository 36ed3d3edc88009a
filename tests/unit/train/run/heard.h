// Captures what the test's own process would write to its standard streams, line by line. Live lines of
// a terminal are left out, and where a terminal breaks a line there is a space.
#pragma once

#include <algorithm>
#include <functional>
#include <string>

#include "model/base/system_calls.h"

namespace heard {

using Hear = std::function<void(int stream, const std::string& line)>;

class Streams {
 public:
  explicit Streams(Hear hear) {
    hear_ = std::move(hear);
    static const model::SystemCalls real;
    model::system_calls.write = [](int file, const void* bytes, std::size_t size) {
      if (file != 1 && file != 2) return real.write(file, bytes, size);
      std::string line(static_cast<const char*>(bytes), size);
      if (!line.empty() && line[0] != '\r') {
        line.pop_back();  // its line feed
        std::ranges::replace(line, '\n', ' ');
        hear_(file, line);
      }
      return static_cast<std::ptrdiff_t>(size);
    };
  }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  ~Streams() { model::system_calls = {}; }

 private:
  static inline Hear hear_;
};

}  // namespace heard
