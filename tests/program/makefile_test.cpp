// make clean, with O=DIR: a typing error must not cost anybody's files.
#include <sys/stat.h>

#include "tests/program/run.h"

namespace fs = std::filesystem;

TEST_CASE("makefile: clean removes what make made, and nothing else") {
  const program::Sandbox box;
  fs::create_directories(box / "checkout/.git");
  fs::copy_file("Makefile", box / "checkout/Makefile");
  const auto fill = [&](const std::string& directory) {
    fs::create_directories(box / (directory + "/g++-native-float/engine"));
    program::write(box / (directory + "/g++-native-float/.made-by-make"), "");
    program::write(box / (directory + "/g++-native-float/engine/tape.o"), "x");
    fs::create_directories(box / (directory + "/photos"));
    program::write(box / (directory + "/photos/1.jpg"), "precious");
  };
  const auto clean = [&](const std::string& directory) {
    return box.shell("MAKEFLAGS= HOME=\"$PWD/home\" make -C checkout O=" + directory + " clean");
  };
  const auto is_there = [&](const std::string& path) { return fs::exists(box / path); };

  fill("build");
  program::write(box / "build/gradus", "x");
  CHECK(clean("../build").status == 0);
  CHECK(is_there("build/photos/1.jpg"));
  CHECK_FALSE(is_there("build/g++-native-float"));
  CHECK_FALSE(is_there("build/gradus"));
  fs::remove_all(box / "build/photos");
  CHECK(clean("../build").status == 0);
  CHECK_FALSE(is_there("build"));

  // A program that make did not put there.
  fs::create_directories(box / "bin");
  program::write(box / "bin/gradus", "precious");
  CHECK(clean("../bin").status == 0);
  CHECK(is_there("bin/gradus"));

  fill("home");
  fill("checkout");
  for (const std::string& directory : {std::string("../home"), std::string("."),
                                       (box / "checkout").string(), (box / "home").string()}) {
    INFO(directory);
    const auto run = clean(directory);
    CHECK(run.status != 0);
    CHECK_THAT(run.out, Catch::Contains("nothing is removed"));
    CHECK(is_there("home/g++-native-float/engine/tape.o"));
    CHECK(is_there("checkout/g++-native-float/engine/tape.o"));
  }

  fill("checkout/.build");
  CHECK(clean(".build").status == 0);
  CHECK_FALSE(is_there("checkout/.build"));
  CHECK(is_there("checkout/photos/1.jpg"));
}
