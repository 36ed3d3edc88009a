// The number of threads for as long as an object lives.
#pragma once

#include "engine/base/thread_pool.h"

class ScopedThreads {
 public:
  explicit ScopedThreads(int count) : before_(engine::thread_count()) {
    engine::set_thread_count(count);
  }
  ScopedThreads(const ScopedThreads&) = delete;
  ScopedThreads& operator=(const ScopedThreads&) = delete;
  ~ScopedThreads() { engine::set_thread_count(before_); }

 private:
  int before_;
};
