// The system calls that read and write files. Tests replace them to make any of them fail.
#pragma once

#include <cerrno>
#include <string_view>

#include "model/base/system.h"

namespace model {

// Writes all bytes to an open descriptor. Returns 0, or the errno of the failure.
int write_all(int descriptor, std::string_view bytes);

struct SystemCalls {
  decltype(&system::open) open = system::open;
  decltype(&system::status) status = system::status;
  decltype(&system::read) read = system::read;
  decltype(&system::write) write = system::write;
  decltype(&system::truncate) truncate = system::truncate;
  decltype(&system::flush) flush = system::flush;
  decltype(&system::lock) lock = system::lock;
  decltype(&system::close) close = system::close;
  decltype(&system::rename) rename = system::rename;
  decltype(&system::unlink) unlink = system::unlink;
  decltype(&system::make_directory) make_directory = system::make_directory;
};
extern SystemCalls system_calls;

// Repeats a system call while handled signals interrupt it.
template <class Call>
auto uninterrupted(Call call) {
  for (;;) {
    const auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

}  // namespace model
