// The I/O layer: what it refuses to read, and that no failing call, at whatever moment, costs the
// old file or leaves half of a new one.
#include "model/base/files.h"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/base/check.h"
#include "model/base/directories.h"
#include "model/base/new_directory.h"
#include "model/base/system_calls.h"
#include "model/base/temporary.h"
#include "tests/catch.h"
#include "tests/temporary.h"

using model::read_file;
using model::system_calls;
using model::write_file;

namespace {

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

template <class Body>
std::string error_of(Body body) {
  try {
    body();
  } catch (const engine::Error& error) {
    return error.what();
  }
  return "no error";
}

void write(const std::string& path, const std::vector<std::string_view>& pieces) {
  write_file(path, pieces);
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

// Lets one system call fail: the one that the countdown reaches, among those `name` selects.
struct Fault {
  std::string name;
  int countdown;
  int code;
};
Fault fault;

bool fails(const char* name) {
  if (fault.name != name || --fault.countdown != 0) return false;
  errno = fault.code;
  return true;
}

class FaultyCalls {
 public:
  FaultyCalls(const std::string& name, int countdown, int code) {
    fault = {name, countdown, code};
    static const model::SystemCalls real;
    system_calls.open = [](const char* path, int flags, mode_t mode) {
      return fails("open") ? -1 : real.open(path, flags, mode);
    };
    system_calls.fstat = [](int file, struct stat* status) {
      return fails("fstat") ? -1 : real.fstat(file, status);
    };
    system_calls.read = [](int file, void* bytes, std::size_t size) {
      return fails("read") ? -1 : real.read(file, bytes, size);
    };
    // At most five bytes a time, so that there are several calls to fail.
    system_calls.write = [](int file, const void* bytes, std::size_t size) {
      return fails("write") ? -1 : real.write(file, bytes, std::min<std::size_t>(size, 5));
    };
    system_calls.ftruncate = [](int file, off_t size) {
      return fails("ftruncate") ? -1 : real.ftruncate(file, size);
    };
    system_calls.fsync = [](int file) { return fails("fsync") ? -1 : real.fsync(file); };
    system_calls.flock = [](int file, int operation) {
      return fails("flock") ? -1 : real.flock(file, operation);
    };
    system_calls.close = [](int file) {
      const int result = real.close(file);
      return fails("close") ? -1 : result;
    };
    system_calls.rename = [](const char* from, const char* to) {
      return fails("rename") ? -1 : real.rename(from, to);
    };
    system_calls.unlink = [](const char* path) { return fails("unlink") ? -1 : real.unlink(path); };
    system_calls.mkdir = [](const char* path, mode_t mode) {
      return fails("mkdir") ? -1 : real.mkdir(path, mode);
    };
  }
  ~FaultyCalls() { system_calls = {}; }
  bool struck() const { return fault.countdown <= 0; }
};

}  // namespace

TEST_CASE("files: what is written is read back, replaced and of the umask's mode", "[native]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "model";
  const mode_t umask_before = umask(027);
  write(path, {"one ", "", "two"});
  umask(umask_before);
  CHECK(read_file(path, no_limit) == "one two");
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);

  const std::string all = [] {
    std::string bytes;
    for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>(i);
    return bytes;
  }();
  write(path, {all});
  CHECK(read_file(path, 100'000) == all);
  write(path, {});
  CHECK(read_file(path, 0).empty());
  CHECK(names_in(directory.path()) == std::vector<std::string>{"model"});
}

TEST_CASE("files: temporary files of others stay; what a kill left is removed", "[native]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "model", first = directory / ".model.gradus-1";
  write(directory / "model.tmp", {"somebody's own"});
  write(first, {"left behind by a kill, and longer"});
  write(path, {"new"});
  CHECK(read_file(path, no_limit) == "new");
  CHECK(names_in(directory.path()) == std::vector<std::string>{"model", "model.tmp"});

  // Another process writes the same file at this moment.
  write(first, {"half"});
  const model::Descriptor other(first, O_WRONLY, first);
  REQUIRE(other.lock() == model::Descriptor::Lock::taken);
  write(path, {"newer"});
  CHECK(read_file(path, no_limit) == "newer");
  CHECK(read_file(first, no_limit) == "half");

  // A link is not followed.
  write(directory / "precious", {"precious"});
  std::filesystem::remove(first);
  std::filesystem::create_symlink(directory / "precious", first);
  write(path, {"newest"});
  CHECK(read_file(path, no_limit) == "newest");
  CHECK(read_file(directory / "precious", no_limit) == "precious");
  CHECK(std::filesystem::is_symlink(first));
}

TEST_CASE("files: a file that is replaced keeps its permissions, and a link its place",
          "[native]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "model", link = directory / "link";
  const auto mode_of = [](const std::string& name) {
    struct stat status {};
    REQUIRE(stat(name.c_str(), &status) == 0);
    return status.st_mode & 07777;
  };
  for (const mode_t mode : {0600u, 0644u, 0666u, 0755u}) {
    write(path, {"old"});
    REQUIRE(chmod(path.c_str(), mode) == 0);
    write(path, {"new"});
    CHECK(mode_of(path) == mode);
  }
  std::filesystem::create_symlink("model", link);
  model::probe_output(link);
  write(link, {"by the link"});
  CHECK(std::filesystem::is_symlink(link));
  CHECK(read_file(path, no_limit) == "by the link");

  std::filesystem::remove(path);  // the link now leads to nothing
  write(link, {"made"});
  CHECK(std::filesystem::is_symlink(link));
  CHECK(read_file(path, no_limit) == "made");

  std::filesystem::remove(path);
  std::filesystem::create_symlink("link", path);
  CHECK(error_of([&] { write(path, {"x"}); }) ==
        path + ": cannot follow the link: Too many levels of symbolic links");
}

TEST_CASE("files: processes that write one file leave one of their files whole", "[native]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "model";
  constexpr int writers = 4, rounds = 20;
  std::vector<pid_t> children;
  for (int i = 0; i < writers; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const std::string bytes(100'000, static_cast<char>('a' + i));
      for (int round = 0; round < rounds; ++round) {
        try {
          write(path, {std::string_view(bytes).substr(0, 50'000), std::string_view(bytes)});
        } catch (...) {
          _exit(1);
        }
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  const std::string bytes = read_file(path, no_limit);
  CHECK(bytes == std::string(150'000, bytes.at(0)));
  CHECK(names_in(directory.path()) == std::vector<std::string>{"model"});
}

TEST_CASE("files: a signal removes what is unfinished", "[native]") {
  const TemporaryDirectory directory;
  const pid_t child = fork();
  if (child == 0) {
    model::NewDirectory made(directory / "made");
    made.write("inner/file", "x");
    const model::Temporary file(directory / "file", model::Temporary::Kind::file);
    const model::OutputDirectory run(directory / "out/run");
    const bool all = names_in(directory.path()).size() == 3;
    model::remove_unfinished();
    _exit(all ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(names_in(directory.path()).empty());
}

TEST_CASE("files: what is no plain file is refused", "[native]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path();
  const auto error = [](const std::string& name) {
    return error_of([&] { read_file(name, no_limit); });
  };
  CHECK(error(path + "/none") == path + "/none: cannot open: No such file or directory");
  CHECK(error(path) == path + ": is a directory, expected a file");
  REQUIRE(mkfifo((path + "/pipe").c_str(), 0666) == 0);
  CHECK(error(path + "/pipe") == path + "/pipe: is a pipe, expected a file");
  CHECK(error("/dev/null") == "/dev/null: is a device, expected a file");
  CHECK(error("/dev/zero") == "/dev/zero: is a device, expected a file");
  CHECK(error("") == ": cannot open: No such file or directory");
  CHECK(error("a\nb") == "a\\nb: cannot open: No such file or directory");
  CHECK(error(std::string(5000, 'x')) ==
        std::string(100, 'x') + "...: cannot open: File name too long");
  write(path + "/five", {"12345"});
  CHECK(error_of([&] { read_file(path + "/five", 4); }) ==
        path + "/five: has 5 bytes, expected at most 4");
  CHECK(read_file(path + "/five", 5) == "12345");
  CHECK(error(path + "/five/x") == path + "/five/x: cannot open: Not a directory");
}

#ifdef __linux__
TEST_CASE("files: a file that does not say its size is read to its end", "[native]") {
  CHECK_THAT(read_file("/proc/self/status", no_limit), Catch::Contains("Name:"));
  CHECK(read_file("/proc/self/maps", no_limit).size() > 4096);
  CHECK_THAT(error_of([&] { read_file("/proc/self/maps", 100); }),
             Catch::Matchers::EndsWith(" bytes, expected at most 100"));
}
#endif

TEST_CASE("files: any failing call leaves the old file, no temporary one, and one clear line",
          "[native]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "model";
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
      {"write", "write", EDQUOT, "Disk quota exceeded"},
      {"write", "write", EIO, "Input/output error"},
      {"fsync", "flush to disk", EIO, "Input/output error"},
      {"rename", "replace", EACCES, "Permission denied"},
  };
  int tried = 0;
  for (const Case& c : cases)
    for (int occurrence = 1;; ++occurrence) {
      INFO(c.call << " number " << occurrence << ": " << c.reason);
      write(path, {"the old contents"});
      std::string error;
      {
        const FaultyCalls calls(c.call, occurrence, c.code);
        error = error_of([&] { write(path, {"something ", "quite new"}); });
        if (!calls.struck()) break;
      }
      ++tried;
      const std::string now = read_file(path, no_limit);
      // One of the calls comes when the new file is in place: flushing its directory.
      const bool after_rename = occurrence == 2 && c.call == std::string("fsync");
      CHECK(now == (after_rename ? "something quite new" : "the old contents"));
      CHECK(names_in(directory.path()) == std::vector<std::string>{"model"});
      // The first thing opened is the directory, and the second thing flushed.
      const bool of_directory = (c.call == std::string("open") && occurrence == 1) || after_rename;
      const std::string what = c.call == std::string("open") && occurrence == 1   ? "open"
                               : c.call == std::string("open") && occurrence == 2 ? "create"
                                                                                  : c.what;
      CHECK(error ==
            (of_directory ? directory.path() : path) + ": cannot " + what + ": " + c.reason);
    }
  // 3 codes x 2 opens, 4 x 4 writes (10 and 9 bytes by fives), 2 fsyncs, 1 rename
  CHECK(tried == 3 * 2 + 4 * 4 + 2 + 1);
}

TEST_CASE("files: what a file system need not have is done without", "[native]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "model", made = directory / "a";
  for (const int code : {ENOSYS, ENOLCK, EOPNOTSUPP, ENOTSUP, EINVAL, EBADF}) {
    INFO(std::strerror(code));
    {
      const FaultyCalls calls("flock", 1, code);
      CHECK_FALSE(model::DirectoryLock(directory.path()).is_possible());
      CHECK(calls.struck());
    }
    const FaultyCalls calls("flock", 1, code);
    write(path, {"unlocked"});
    CHECK(calls.struck());
    CHECK(read_file(path, no_limit) == "unlocked");
  }
  CHECK(model::DirectoryLock(directory.path()).is_possible());
  for (const int code : {ENOSYS, EOPNOTSUPP, ENOTSUP, EINVAL})
    for (const int occurrence : {1, 2, 3}) {  // a file, its directory, the one above a new one
      INFO(std::strerror(code) << ", fsync number " << occurrence);
      const FaultyCalls calls("fsync", occurrence, code);
      write(path, {"unflushed"});
      model::make_directories(made);
      CHECK(calls.struck());
      CHECK(read_file(path, no_limit) == "unflushed");
      CHECK(rmdir(made.c_str()) == 0);
    }
  const FaultyCalls calls("ftruncate", 1, ENOSYS);
  model::AppendFile(path, 9).append(" log");
  CHECK_FALSE(calls.struck());
  CHECK(read_file(path, no_limit) == "unflushed log");
}

TEST_CASE("files: interrupted calls are made again, and a write may be short", "[native]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "model";
  for (const char* call : {"open", "write", "fsync", "close", "read", "flock", "ftruncate"}) {
    INFO(call);
    {
      const FaultyCalls calls(call, 1, EINTR);
      write(path, {"some thing longer"});
      CHECK(read_file(path, no_limit) == "some thing longer");
      model::DirectoryLock lock(directory.path());
      write(directory / "log", {"x"});
      model::AppendFile log(directory / "log", 0);
      CHECK(calls.struck());
    }
    CHECK(read_file(path, no_limit) == "some thing longer");
  }
  const FaultyCalls calls("write", 2, EAGAIN);
  write(path, {"some thing longer"});
  CHECK(calls.struck());
  CHECK(read_file(path, no_limit) == "some thing longer");
}

TEST_CASE("files: where there is no room, a write waits for it", "[native]") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  REQUIRE(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
  std::vector<char> bytes(1 << 20, 'x');
  while (::write(ends[1], bytes.data(), bytes.size()) > 0) {
  }
  static int calls;
  calls = 0;
  system_calls.write = [](int file, const void* from, std::size_t size) {
    ++calls;
    return ::write(file, from, size);
  };
  std::thread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    bytes.resize(static_cast<std::size_t>(::read(ends[0], bytes.data(), bytes.size())));
  });
  CHECK(model::write_all(ends[1], "y") == 0);
  reader.join();
  system_calls = {};
  CHECK(bytes.size() > 1000);
  CHECK(calls <= 2);  // one that was refused, one when there was room
  for (const int end : ends) close(end);
}

TEST_CASE("files: a write that writes nothing is an error, not a loop", "[native]") {
  const TemporaryDirectory directory;
  system_calls.write = [](int, const void*, std::size_t) -> ssize_t { return 0; };
  const std::string error = error_of([&] { write(directory / "model", {"x"}); });
  system_calls = {};
  CHECK(error == directory / "model" + ": cannot write: Input/output error");
}

TEST_CASE("files: beyond the file-size limit there is an error, not a signal", "[native]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "model";
  write(path, {"old"});
  const auto handler_before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  rlimit low = before;
  low.rlim_cur = 1000;
  REQUIRE(setrlimit(RLIMIT_FSIZE, &low) == 0);
  const std::string large(1001, 'x');
  const std::string error = error_of([&] { write(path, {large}); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler_before);
  CHECK(error == path + ": cannot write: File too large");
  CHECK(read_file(path, no_limit) == "old");
  CHECK(names_in(directory.path()) == std::vector<std::string>{"model"});
}

TEST_CASE("files: an output path is probed without leaving a trace", "[native]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "model";
  model::probe_output(path);
  CHECK(names_in(directory.path()).empty());
  write(path, {"old"});
  model::probe_output(path);
  CHECK(read_file(path, no_limit) == "old");
  const auto error = [](const std::string& name) {
    return error_of([&] { model::probe_output(name); });
  };
  CHECK(error(directory.path()) == directory.path() + ": is a directory, expected a file");
  CHECK(error(directory / "none/model") ==
        directory / "none" + ": cannot open: No such file or directory");
  CHECK(error(path + "/x") == path + ": cannot open: Not a directory");
  const FaultyCalls calls("open", 2, EROFS);
  CHECK_THAT(error(path), Catch::Matchers::EndsWith(": Read-only file system"));
  CHECK(calls.struck());
}

TEST_CASE("files: directories are made all or none", "[native]") {
  const TemporaryDirectory directory;
  model::make_directories(directory / "a//b/c/");
  CHECK(model::is_directory(directory / "a/b/c"));
  const mode_t mask = umask(022);  // for all, but for what the user keeps from others
  model::make_directories(directory / "open");
  umask(mask);
  struct stat status {};
  REQUIRE(stat((directory / "open").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0755);
  model::make_directories(directory / "a/b");
  model::make_directories(".");
  write(directory / "a/file", {"x"});
  CHECK(error_of([&] { model::make_directories(directory / "a/file/b"); }) ==
        directory / "a/file" + ": cannot create: File exists");
  for (int occurrence = 1; occurrence <= 3; ++occurrence)
    for (const char* call : {"mkdir", "fsync"}) {
      const FaultyCalls calls(call, occurrence, ENOSPC);
      CHECK_THAT(error_of([&] { model::make_directories(directory / "x/y/z"); }),
                 Catch::Matchers::EndsWith(": No space left on device"));
      CHECK(calls.struck());
      CHECK_FALSE(model::file_exists(directory / "x"));
    }
}

TEST_CASE("files: a log grows by whole pieces and is cut back on request", "[native]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "log.csv";
  {
    model::AppendFile log(path, 0);
    log.append("step,loss\n");
    log.append("0,4.1\n");
  }
  {
    model::AppendFile log(path, 10);
    CHECK(read_file(path, no_limit) == "step,loss\n");
    for (const char* call : {"write", "fsync"})
      for (int occurrence = 1; occurrence <= (call == std::string("write") ? 3 : 1); ++occurrence) {
        const FaultyCalls calls(call, occurrence, ENOSPC);
        CHECK_THAT(error_of([&] { log.append("250,2.345678\n"); }),
                   Catch::Matchers::StartsWith(path + ": cannot "));
        CHECK(calls.struck());
        CHECK(read_file(path, no_limit) == "step,loss\n");
      }
    log.append("250,2.4\n");
    CHECK(read_file(path, no_limit) == "step,loss\n250,2.4\n");
  }
  CHECK(error_of([&] { model::AppendFile(path, 19); }) ==
        path + ": has 18 bytes, expected at least 19");
  CHECK(read_file(path, no_limit) == "step,loss\n250,2.4\n");
  model::remove_file(path);
  model::remove_file(path);
  CHECK_FALSE(model::file_exists(path));
}

TEST_CASE("files: a directory has one writer", "[native]") {
  const TemporaryDirectory directory;
  {
    const model::DirectoryLock lock(directory.path());
    CHECK(error_of([&] { model::DirectoryLock second(directory.path()); }) ==
          directory.path() + ": another gradus is writing to this directory");
  }
  CHECK(model::DirectoryLock(directory.path()).is_possible());
}

TEST_CASE("files: reading reports the failing call", "[native]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "model";
  write(path, {"contents"});
  const auto error = [&](const char* call) {
    const FaultyCalls calls(call, 1, EIO);
    return error_of([&] { read_file(path, no_limit); });
  };
  CHECK(error("open") == path + ": cannot open: Input/output error");
  CHECK(error("fstat") == path + ": cannot examine: Input/output error");
  CHECK(error("read") == path + ": cannot read: Input/output error");
  CHECK(error("close") == "no error");
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
    const ssize_t got = real.read(file, bytes, std::min<std::size_t>(size, 700));  // a part
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
  // More than there is: what there is.
  seen.clear();
  CHECK(view(model::read_large_file(path, no_limit, [&](std::string_view first, std::int64_t) {
          seen.push_back(first.size());
          return std::size_t{9000};
        })) == contents);
  CHECK(seen == std::vector<std::size_t>{0});
  bytes_read = 0;
  const auto refuse = [](std::string_view first, std::int64_t) -> std::size_t {
    engine::check(first.empty(), "begins with ", first.size(), " bytes that are wrong");
    return 100;
  };
  CHECK(error_of([&] { model::read_large_file(path, no_limit, refuse); }) ==
        path + ": begins with 100 bytes that are wrong");
  CHECK(bytes_read == 100);
  system_calls = {};
}

TEST_CASE("files: all names of a file have one identity", "[native]") {
  const TemporaryDirectory directory;
  const std::string a = directory / "a", b = directory / "b", c = directory / "c";
  write(a, {"x"});
  write(b, {"x"});
  std::filesystem::create_hard_link(a, directory / "hard");
  std::filesystem::create_symlink(a, directory / "soft");
  CHECK(model::file_identity(a) == model::file_identity(directory / "hard"));
  CHECK(model::file_identity(a) == model::file_identity(directory / "soft"));
  CHECK(model::file_identity(a) != model::file_identity(b));
  CHECK(model::file_size(a) == 1);
  CHECK(error_of([&] { model::file_identity(c); }) ==
        c + ": cannot open: No such file or directory");
}

TEST_CASE("files: absolute paths", "[native]") {
  CHECK(model::absolute_path("/a/./b/../c") == "/a/c");
  CHECK(model::absolute_path("x") == std::filesystem::current_path().string() + "/x");
}
