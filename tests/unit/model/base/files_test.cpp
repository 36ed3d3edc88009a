// The I/O layer: what it refuses to read, and that no failing call, at whatever moment, costs the
// old file or leaves half of a new one. (files_posix_test.cpp: what Windows has not.)
#include "model/base/files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.h"
#include "tests/unit/model/base/faulty_calls.h"
#include "train/system/directories.h"
#include "train/system/files.h"

using namespace files;

TEST_CASE("files: any failing call leaves the old file, no temporary one, and one clear line",
          "[native]") {
  const ForModel directory;
  const std::string& path = directory.model;
  struct Case {
    const char* call;
    const char* what;
    int code;
    const char* reason;
  };
  const Case cases[] = {
      {"open", "open", EMFILE, "Too many open files"},
      {"open", "create", EACCES, "Permission denied"},
      {"open", "create", EROFS, "Read-only file system"},
      {"write", "write", ENOSPC, "No space left on device"},
      {"write", "write", EFBIG, "File too large"},
      {"write", "write", EIO, "Input/output error"},
      {"flush", "flush to disk", EIO, "Input/output error"},
      {"rename", "replace", EACCES, "Permission denied"},
  };
  int tried = 0;
  for (const Case& c : cases)
    for (int occurrence = 1;; ++occurrence) {
      INFO(c.call << " number " << occurrence << ": " << c.reason);
      const bool opens = c.call == std::string("open"), flushes = c.call == std::string("flush");
      write(path, {"the old contents"});
      std::string error;
      {
        const FaultyCalls calls(c.call, occurrence, c.code);
        error = error_of([&] { write(path, {"something ", "quite new"}); });
        if (!calls.struck()) break;
      }
      ++tried;
      // One of the calls comes when the new file is in place: flushing its directory.
      const bool after_rename = occurrence == 2 && flushes;
      CHECK(read_file(path) == (after_rename ? "something quite new" : "the old contents"));
      CHECK(names_in(directory.path()) == Names{"model"});
      // The first thing opened is the directory, and the second thing flushed.
      const bool of_directory = (opens && occurrence == 1) || after_rename;
      const std::string what =
          opens && occurrence <= 2 ? (occurrence == 1 ? "open" : "create") : c.what;
      CHECK(error ==
            (of_directory ? directory.path() : path) + ": cannot " + what + ": " + c.reason);
    }
  // 3 codes x 2 opens, 4 x 4 writes (10 and 9 bytes by fives), 2 fsyncs, 1 rename
  CHECK(tried == 3 * 2 + 3 * 4 + 2 + 1);
}

TEST_CASE("files: one that may no longer be replaced stays, and leaves no temporary one") {
  const ForModel directory;
  write(directory.model, {"the old contents"});
  const std::string_view bytes = "quite new";
  Names while_asked;
  const auto may_not = [&] {
    while_asked = directory.names();
    return false;
  };
  CHECK_THROWS_AS(model::replace_file(directory.model, {&bytes, 1}, "", may_not),
                  model::SystemError);
  CHECK(while_asked.size() == 2);  // the temporary file was there
  CHECK(directory.names() == Names{"model"});
  CHECK(read_file(directory.model) == "the old contents");
}

TEST_CASE("files: what a file system need not have is done without", "[native]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "model", made = directory / "a";
  for (const int code : {ENOSYS, ENOLCK, EOPNOTSUPP, ENOTSUP, EINVAL, EBADF}) {
    INFO(std::strerror(code));
    {
      const FaultyCalls calls("lock", 1, code);
      CHECK_FALSE(train::DirectoryLock(directory.path()).is_possible());
      CHECK(calls.struck());
    }
    const FaultyCalls calls("lock", 1, code);
    write(path, {"unlocked"});
    CHECK(calls.struck());
    CHECK(read_file(path) == "unlocked");
  }
  CHECK(train::DirectoryLock(directory.path()).is_possible());
  for (const int code : {ENOSYS, EOPNOTSUPP, ENOTSUP, EINVAL})
    for (const int occurrence : {1, 2, 3}) {  // a file, its directory, the one above a new one
      INFO(std::strerror(code) << ", fsync number " << occurrence);
      const FaultyCalls calls("flush", occurrence, code);
      write(path, {"unflushed"});
      train::make_directories(made);
      CHECK(calls.struck());
      CHECK(read_file(path) == "unflushed");
      CHECK(model::system::remove_directory(made.c_str()) == 0);
    }
  const FaultyCalls calls("truncate", 1, ENOSYS);
  CHECK(train::append_to_file(path, 9, " log"));
  CHECK_FALSE(calls.struck());
  CHECK(read_file(path) == "unflushed log");
}

TEST_CASE("files: interrupted calls are made again, and a write may be short", "[native]") {
  const ForModel directory;
  const std::string& path = directory.model;
  for (const char* call : {"open", "write", "flush", "close", "read", "lock"}) {
    INFO(call);
    const FaultyCalls calls(call, 1, EINTR);
    write(path, {"some thing longer"});
    CHECK(read_file(path) == "some thing longer");
    train::DirectoryLock lock(directory.path());
    CHECK(train::append_to_file(path, 17, "x"));
    CHECK(calls.struck());
  }
  const FaultyCalls calls("write", 2, EAGAIN);
  write(path, {"some thing longer"});
  CHECK(calls.struck());
  CHECK(read_file(path) == "some thing longer");
}

TEST_CASE("files: a write that writes nothing is an error, not a loop", "[native]") {
  const TemporaryDirectory directory;
  system_calls.write = [](int, const void*, std::size_t) -> std::ptrdiff_t { return 0; };
  CHECK_THROWS_WITH(write(directory / "model", {"x"}),
                    directory / "model" + ": cannot write: Input/output error");
  system_calls = {};
}

TEST_CASE("files: one that shrinks while it is read is refused", "[native]") {
  const TemporaryDirectory directory;
  static std::string path;
  path = directory / "text";
  write(path, {"all of it"});
  system_calls.read = [](int file, void* bytes, std::size_t size) -> std::ptrdiff_t {
    const std::ptrdiff_t got = model::system::read(file, bytes, std::min<std::size_t>(size, 4));
    std::filesystem::resize_file(path, 4);
    return got;
  };
  CHECK_THROWS_WITH(
      read_file(path),
      path + ": has 4 bytes now, 9 when it was opened; another program is writing to it");
  system_calls = {};
}

TEST_CASE("files: reading reports the failing call", "[native]") {
  const ForModel directory;
  const std::string& path = directory.model;
  write(path, {"contents"});
  const auto error = [&](const char* call) {
    const FaultyCalls calls(call, 1, EIO);
    return error_of([&] { read_file(path); });
  };
  CHECK(error("open") == path + ": cannot open: Input/output error");
  CHECK(error("status") == path + ": cannot examine: Input/output error");
  CHECK(error("read") == path + ": cannot read: Input/output error");
  CHECK(error("close") == "accepted");
}

TEST_CASE("files: a look at the first bytes comes before the rest is read", "[native]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "large";
  std::string contents;
  for (int i = 0; i < 5000; ++i) contents += static_cast<char>(i % 251);
  write(path, {contents});
  static std::size_t bytes_read;
  bytes_read = 0;
  static const model::SystemCalls real;
  system_calls.read = [](int file, void* bytes, std::size_t size) {
    const std::ptrdiff_t got = real.read(file, bytes, std::min<std::size_t>(size, 700));  // a part
    if (got > 0) bytes_read += static_cast<std::size_t>(got);
    return got;
  };
  std::vector<std::size_t> seen;
  const auto look = [&](std::string_view first, std::int64_t size) -> std::size_t {
    CHECK(size == 5000);
    CHECK(first == contents.substr(0, first.size()));
    seen.push_back(first.size());
    return first.size() < 8 ? 8 : 3000;
  };
  const model::FileBytes all = model::read_large_file(path, no_limit, look);
  CHECK(view(all) == contents);
  CHECK(seen == std::vector<std::size_t>{0, 8, 3000});
  CHECK(bytes_read == 5000);
  bytes_read = 0;
  const auto refuse = [](std::string_view first, std::int64_t) -> std::size_t {
    engine::check(first.empty(), "begins with ", first.size(), " bytes that are wrong");
    return 100;
  };
  CHECK_THROWS_WITH(model::read_large_file(path, no_limit, refuse),
                    path + ": begins with 100 bytes that are wrong");
  CHECK(bytes_read == 100);
  system_calls = {};
}
