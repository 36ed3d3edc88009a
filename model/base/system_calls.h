// The system's calls by which files are read and written. Tests replace them to let any of them fail.
#pragma once

#include <cerrno>
#include <string_view>

#include "engine/base/system.h"

namespace model {

// Writes all bytes to an open descriptor. Returns 0, or the errno of the failure.
int write_all(int descriptor, std::string_view bytes);

struct SystemCalls {
  decltype(&engine::system::open) open = engine::system::open;
  decltype(&engine::system::status) status = engine::system::status;
  decltype(&engine::system::read) read = engine::system::read;
  decltype(&engine::system::write) write = engine::system::write;
  decltype(&engine::system::truncate) truncate = engine::system::truncate;
  decltype(&engine::system::flush) flush = engine::system::flush;
  decltype(&engine::system::lock) lock = engine::system::lock;
  decltype(&engine::system::close) close = engine::system::close;
  decltype(&engine::system::rename) rename = engine::system::rename;
  decltype(&engine::system::unlink) unlink = engine::system::unlink;
  decltype(&engine::system::make_directory) make_directory = engine::system::make_directory;
};
extern SystemCalls system_calls;

// Repeats a system call as long as a handled signal interrupts it.
template <class Call>
auto uninterrupted(Call call) {
  for (;;) {
    const auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

}  // namespace model
