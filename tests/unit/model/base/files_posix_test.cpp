// The I/O layer where POSIX has what Windows has not: permissions, links, pipes, devices, limits, fork.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "model/base/temporary.h"
#include "tests/catch.h"
#include "tests/unit/model/base/faulty_calls.h"
#include "train/system/directories.h"
#include "train/system/files.h"
#include "train/system/new_directory.h"

using namespace files;

namespace {

mode_t mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

// A child process ends well.
void check_child(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}

}  // namespace

TEST_CASE("files: what is written is read back, replaced and of the umask's mode", "[native]") {
  const ForModel directory;
  const std::string& path = directory.model;
  const mode_t umask_before = umask(027);
  write(path, {"one ", "", "two"});
  umask(umask_before);
  CHECK(read_file(path) == "one two");
  CHECK(mode_of(path) == 0640);

  std::string all;
  for (int i = 0; i < 100'000; ++i) all += static_cast<char>(i);
  write(path, {all});
  CHECK(read_file(path, 100'000) == all);
  write(path, {});
  CHECK(read_file(path, 0).empty());
  CHECK(names_in(directory.path()) == Names{"model"});
}

TEST_CASE("files: temporary files of others stay; what a kill left is removed", "[native]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "model", first = directory / ".model.gradus-1";
  write(directory / "model.tmp", {"somebody's own"});
  write(first, {"left behind by a kill, and longer"});
  write(path, {"new"});
  CHECK(read_file(path) == "new");
  CHECK(names_in(directory.path()) == Names{"model", "model.tmp"});

  // Another process writes the same file at this moment.
  write(first, {"half"});
  const model::Descriptor other(first, model::system::writing, first);
  REQUIRE(other.lock() == model::Descriptor::Lock::taken);
  write(path, {"newer"});
  CHECK(read_file(path) == "newer");
  CHECK(read_file(first) == "half");

  // A link is not followed.
  write(directory / "precious", {"precious"});
  std::filesystem::remove(first);
  std::filesystem::create_symlink(directory / "precious", first);
  write(path, {"newest"});
  CHECK(read_file(path) == "newest");
  CHECK(read_file(directory / "precious") == "precious");
  CHECK(std::filesystem::is_symlink(first));
}

TEST_CASE("files: a file that is replaced keeps its permissions, and a link its place",
          "[native]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "model", link = directory / "link";
  for (const mode_t mode : {0600u, 0644u, 0666u, 0755u}) {
    write(path, {"old"});
    REQUIRE(chmod(path.c_str(), mode) == 0);
    write(path, {"new"});
    CHECK(mode_of(path) == mode);
  }
  std::filesystem::create_symlink("model", link);
  train::probe_output(link);
  write(link, {"by the link"});
  CHECK(std::filesystem::is_symlink(link));
  CHECK(read_file(path) == "by the link");

  std::filesystem::remove(path);  // the link now leads to nothing
  write(link, {"made"});
  CHECK(std::filesystem::is_symlink(link));
  CHECK(read_file(path) == "made");

  const std::string_view bytes = "in place of the link";
  model::replace_file(link, {&bytes, 1});
  CHECK_FALSE(std::filesystem::is_symlink(link));
  CHECK(read_file(path) == "made");
  CHECK_FALSE(train::append_to_file(link, 4, "x"));

  std::filesystem::remove(path);
  std::filesystem::remove(link);
  std::filesystem::create_symlink("model", link);
  std::filesystem::create_symlink("link", path);
  CHECK_THROWS_WITH(write(path, {"x"}),
                    path + ": cannot follow the link: Too many levels of symbolic links");
}

TEST_CASE("files: processes that write one file leave one of their files whole", "[native]") {
  const ForModel directory;
  const std::string& path = directory.model;
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
  for (const pid_t child : children) check_child(child);
  const std::string bytes = read_file(path);
  CHECK(bytes == std::string(150'000, bytes.at(0)));
  CHECK(names_in(directory.path()) == Names{"model"});
}

TEST_CASE("files: a signal removes what is unfinished", "[native]") {
  const TemporaryDirectory directory;
  const pid_t child = fork();
  if (child == 0) {
    train::NewDirectory made(directory / "made");
    made.write("inner/file", "x");
    const model::Temporary file(directory / "file", model::Temporary::Kind::file);
    const train::OutputDirectory run(directory / "out/run");
    const bool all = names_in(directory.path()).size() == 3;
    model::remove_unfinished();
    _exit(all ? 0 : 1);
  }
  check_child(child);
  CHECK(names_in(directory.path()).empty());
}

// What else is refused: bad_input.t.
TEST_CASE("files: a pipe is not replaced, and names and files have a largest size", "[native]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path();
  REQUIRE(mkfifo((path + "/pipe").c_str(), 0666) == 0);
  CHECK_THROWS_WITH(write(path + "/pipe", {"x"}), path + "/pipe: is a pipe, expected a file");
  CHECK(std::filesystem::is_fifo(path + "/pipe"));
  CHECK_THROWS_WITH(read_file(""), Catch::StartsWith("\"\": cannot open"));
  CHECK_THROWS_WITH(read_file(std::string(5000, 'x')),
                    std::string(100, 'x') + "...: cannot open: File name too long");
  write(path + "/five", {"12345"});
  CHECK_THROWS_WITH(read_file(path + "/five", 4), path + "/five: has 5 bytes, expected at most 4");
  CHECK(read_file(path + "/five", 5) == "12345");
}

#ifdef __linux__
TEST_CASE("files: a file that does not say its size is read to its end", "[native]") {
  CHECK_THAT(read_file("/proc/self/status"), Catch::Contains("Name:"));
  CHECK(read_file("/proc/self/smaps").size() > 4096);
  CHECK_THROWS_WITH(read_file("/proc/self/maps", 100),
                    Catch::EndsWith(" bytes, expected at most 100"));
}
#endif

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

TEST_CASE("files: directories are made all or none", "[native]") {
  const TemporaryDirectory directory;
  train::make_directories(directory / "a//b/c/");
  CHECK(model::is_directory(directory / "a/b/c"));
  const mode_t mask = umask(022);  // for all, except what the user keeps from others
  train::make_directories(directory / "open");
  umask(mask);
  CHECK(mode_of(directory / "open") == 0755);
  train::make_directories(directory / "a/b");
  train::make_directories(".");
  write(directory / "a/file", {"x"});
  CHECK_THROWS_WITH(train::make_directories(directory / "a/file/b"),
                    directory / "a/file" + ": cannot create: File exists");
  for (int occurrence = 1; occurrence <= 3; ++occurrence)
    for (const char* call : {"make_directory", "flush"}) {
      const FaultyCalls calls(call, occurrence, ENOSPC);
      CHECK_THROWS_WITH(train::make_directories(directory / "x/y/z"),
                        Catch::EndsWith(": No space left on device"));
      CHECK(calls.struck());
      CHECK_FALSE(model::file_exists(directory / "x"));
    }
  train::MadeDirectories made(directory / "x/y/z");
  std::filesystem::remove(directory / "x/y/z");  // by another process
  made.remove_empty();
  CHECK_FALSE(model::file_exists(directory / "x"));
}
