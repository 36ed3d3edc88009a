// What commands ask before they write, and the directories that they write in.
#include "train/system/files.h"

#include <cerrno>
#include <string>
#include <string_view>

#include "model/base/temporary.h"
#include "tests/catch.h"
#include "tests/unit/model/base/faulty_calls.h"
#include "train/system/directories.h"

using namespace files;

TEST_CASE("files: an output path is probed without leaving a trace", "[native]") {
  const ForModel directory;
  const std::string& path = directory.model;
  train::probe_output(path);
  CHECK(names_in(directory.path()).empty());
  write(path, {"old"});
  train::probe_output(path);
  CHECK(read_file(path) == "old");
  const auto error = [](const std::string& name) {
    return error_of([&] { train::probe_output(name); });
  };
  CHECK(error(directory.path()) == directory.path() + ": is a directory, expected a file");
  CHECK(error(directory / "none/model") ==
        directory / "none" + ": cannot open: No such file or directory");
  CHECK(error(path + "/x") == path + ": cannot open: Not a directory");
  {
    const FaultyCalls calls("open", 1, EACCES);
    CHECK(error(path) == path + ": cannot open: Permission denied");
  }
  const FaultyCalls calls("open", 3, EROFS);
  CHECK_THAT(error(path), Catch::EndsWith(": Read-only file system"));
  CHECK(calls.struck());
}

TEST_CASE("files: a log grows by whole pieces, if it is as it was left", "[native]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "log.csv";
  CHECK_FALSE(train::append_to_file(path, 0, "step,loss\n"));
  CHECK_FALSE(model::file_exists(path));
  write(path, {"step,loss\n"});
  for (const auto& [call, occurrence] :
       {std::pair("write", 1), {"write", 2}, {"write", 3}, {"flush", 1}}) {
    const FaultyCalls calls(call, occurrence, ENOSPC);
    CHECK_THROWS_WITH(train::append_to_file(path, 10, "250,2.345678\n"),
                      Catch::StartsWith(path + ": cannot "));
    CHECK(calls.struck());
    CHECK(read_file(path) == "step,loss\n");
  }
  CHECK(train::append_to_file(path, 10, "250,2.4\n"));
  for (const std::int64_t size : {0, 10, 17, 19})
    CHECK_FALSE(train::append_to_file(path, size, "500,2.3\n"));
  CHECK(read_file(path) == "step,loss\n250,2.4\n");
  model::remove_file(path);
  model::remove_file(path);
  CHECK_FALSE(model::file_exists(path));
}

TEST_CASE("files: a directory has one writer", "[native]") {
  const TemporaryDirectory directory;
  {
    const train::DirectoryLock lock(directory.path());
    CHECK_THROWS_WITH(train::DirectoryLock(directory.path()),
                      directory.path() + ": another gradus is writing to this directory");
  }
  CHECK(train::DirectoryLock(directory.path()).is_possible());
}
