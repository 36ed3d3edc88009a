// What both systems promise of files: the same calls, the same errors.
#include "model/base/system.h"
#include "engine/base/cpu.h"

#include <cerrno>
#include <fstream>
#include <string>

#include "tests/catch.h"
#include "tests/temporary.h"
#include "train/system/console.h"

namespace os = model::system;
using os::Status;
using Kind = Status::Kind;

namespace {

// Names that are awkward somewhere: other alphabets, beyond 16 bits, spaces, two dots.
const std::string names[] = {"notes",
                             "Gr\xC3\xBC\xC3\x9F"
                             "e",
                             "\xD0\x96\xD1\x83\xD0\xBA", "\xF0\x9F\x99\x82 face", "a b .c.d"};

// The errno of a call that must fail.
int error_of(int result) { return result == -1 ? errno : 0; }

std::string contents(const std::string& path) {
  const int file = os::open(path.c_str(), os::reading, 0);
  REQUIRE(file != -1);
  char bytes[100];
  const std::ptrdiff_t size = os::read(file, bytes, sizeof bytes);
  REQUIRE(size >= 0);
  CHECK(os::close(file) == 0);
  return {bytes, static_cast<std::size_t>(size)};
}

void put(const std::string& path, const std::string& bytes) {
  const int file = os::open(path.c_str(), os::writing | os::creating, 0666);
  REQUIRE(file != -1);
  CHECK(os::write(file, bytes.data(), bytes.size()) == std::ptrdiff_t(bytes.size()));
  CHECK(os::flush(file) == 0);
  CHECK(os::close(file) == 0);
}

}  // namespace

TEST_CASE("system: files of any name are made, appended to, cut and replaced", "[native]") {
  const TemporaryDirectory box;
  for (const std::string& name : names) {
    INFO(name);
    const std::string path = box / name, other = box / (name + " 2");
    CHECK(error_of(os::open(path.c_str(), os::reading, 0)) == ENOENT);
    put(path, "a\r\nb\n\x1A");  // ends of lines and Ctrl-Z are bytes as others
    CHECK(contents(path) == "a\r\nb\n\x1A");
    CHECK(error_of(os::open(path.c_str(), os::writing | os::creating | os::new_only, 0666)) ==
          EEXIST);

    const int log = os::open(path.c_str(), os::appending, 0);
    REQUIRE(log != -1);
    CHECK(os::truncate(log, 1) == 0);
    CHECK(os::write(log, "x", 1) == 1);
    CHECK(os::write(log, "y", 1) == 1);
    Status by_number, by_name, of_other;
    REQUIRE(os::status(log, by_number) == 0);
    REQUIRE(os::status_at(path.c_str(), by_name) == 0);
    CHECK(by_number.kind == Kind::file);
    CHECK(by_number.size == 3);
    CHECK(by_name.number == by_number.number);
    CHECK(by_name.device == by_number.device);
    put(other, "new");
    REQUIRE(os::status_at(other.c_str(), of_other) == 0);
    CHECK(of_other.number != by_name.number);
    CHECK(os::close(log) == 0);
    CHECK(contents(path) == "axy");

    CHECK(os::rename(other.c_str(), path.c_str()) == 0);
    CHECK(contents(path) == "new");
    CHECK(error_of(os::status_at(other.c_str(), by_name)) == ENOENT);
    CHECK(os::unlink(path.c_str()) == 0);
    CHECK(error_of(os::unlink(path.c_str())) == ENOENT);
  }
}

TEST_CASE("system: a file is renamed and removed while it is open here", "[native]") {
  const TemporaryDirectory box;
  const std::string path = box / "a", other = box / "b";
  put(path, "old");
  const int file =
      os::open(other.c_str(), os::writing | os::creating | os::new_only | os::no_link, 0666);
  REQUIRE(file != -1);
  CHECK(os::write(file, "new", 3) == 3);
  CHECK(os::rename(other.c_str(), path.c_str()) == 0);
  CHECK(contents(path) == "new");
  CHECK(os::unlink(path.c_str()) == 0);
  CHECK(os::close(file) == 0);
}

TEST_CASE("system: directories are made, listed as such, renamed over empty ones, removed",
          "[native]") {
  const TemporaryDirectory box;
  for (const std::string& name : names) {
    INFO(name);
    const std::string path = box / name, other = box / (name + " 2");
    CHECK(os::make_directory(path.c_str()) == 0);
    CHECK(error_of(os::make_directory(path.c_str())) == EEXIST);
    Status status;
    REQUIRE(os::status_at(path.c_str(), status) == 0);
    CHECK(status.kind == Kind::directory);
    REQUIRE(os::status_of_link(path.c_str(), status) == 0);
    CHECK(status.kind == Kind::directory);

    CHECK(os::make_directory(other.c_str()) == 0);
    put(other + "/file", "in it");
    const int open_one = os::open(other.c_str(), os::directory, 0);
    REQUIRE(open_one != -1);
    CHECK(os::flush(open_one) == 0);
    CHECK(os::rename(other.c_str(), path.c_str()) == 0);
    CHECK(os::close(open_one) == 0);
    CHECK(contents(path + "/file") == "in it");
    CHECK(error_of(os::open((path + "/file").c_str(), os::directory, 0)) == ENOTDIR);
    CHECK(error_of(os::remove_directory(path.c_str())) == ENOTEMPTY);
    CHECK(os::unlink((path + "/file").c_str()) == 0);
    CHECK(os::remove_directory(path.c_str()) == 0);
  }
}

TEST_CASE("system: a lock is of one descriptor, until it is closed", "[native]") {
  const TemporaryDirectory box;
  put(box / "file", "x");
  for (const std::string& path : {box / "file", box.path()}) {
    INFO(path);
    const int opening = path == box.path() ? os::directory : os::writing;
    const int first = os::open(path.c_str(), opening, 0),
              second = os::open(path.c_str(), opening, 0);
    REQUIRE(first != -1);
    REQUIRE(second != -1);
    CHECK(os::lock(first) == 0);
    CHECK(error_of(os::lock(second)) == EWOULDBLOCK);
    CHECK(contents(box / "file") == "x");  // the lock does not keep others from reading
    CHECK(os::close(first) == 0);
    CHECK(os::lock(second) == 0);
    CHECK(os::close(second) == 0);
  }
}

TEST_CASE("system: the machine has CPUs and memory, and so much has been used") {
  CHECK(engine::machine_cpus() >= 1);
  CHECK(engine::available_cpus() >= 1);
  CHECK(model::total_memory() > std::size_t{1} << 27);
  CHECK(train::system::peak_memory() > std::size_t{1} << 20);
  CHECK(train::system::peak_memory() < model::total_memory());
  // Linux says it a second time, in KiB.
  if (std::size_t l2 = 0; std::ifstream("/sys/devices/system/cpu/cpu0/cache/index2/size") >> l2)
#if defined(__x86_64__)
    CHECK(engine::l2_cache() == l2 << 10);
#else
    CHECK(
        (engine::l2_cache() == l2 << 10 || engine::l2_cache() == 0));  // ARM's libraries do not say
#endif
  CHECK(engine::l2_cache() < std::size_t{1} << 30);
  engine::leave_cpu(engine::current_cpu());
  CHECK(engine::current_cpu() < 4096);
}
