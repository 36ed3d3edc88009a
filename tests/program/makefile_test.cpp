// What make does besides compiling: make clean with O=DIR, where a typing error must not remove other
// files; make install and uninstall; the shards of make test; a test that hangs.
#include <sys/stat.h>

#include "tests/program/run.h"

namespace fs = std::filesystem;

namespace {

void put(const fs::path& file, const std::string& bytes) {
  fs::create_directories(file.parent_path());
  program::write(file, bytes);
}

void copy_makefiles(const fs::path& directory) {
  fs::create_directories(directory / "tests");
  for (const char* const file : {"Makefile", "tests/Makefile"})
    fs::copy_file(file, directory / file);
}

}  // namespace

TEST_CASE("makefile: clean removes what make made, and nothing else") {
  const program::Sandbox box;
  fs::create_directories(box / "checkout/.git");
  copy_makefiles(box / "checkout");
  const auto fill = [&](const std::string& directory) {
    put(box / (directory + "/g++-native-float/.made-by-make"), "");
    put(box / (directory + "/g++-native-float/engine/tape.o"), "x");
    put(box / (directory + "/photos/1.jpg"), "precious");
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
  put(box / "bin/gradus", "precious");
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

TEST_CASE("makefile: uninstall removes what install put there, and directories left empty") {
  const program::Sandbox box;
  for (const char* const directory : {"nn", "model"}) fs::create_directories(box / directory);
  copy_makefiles(box / "");
  put(box / "gradus", "#!/bin/sh\necho page\n");
  for (const char* const file :
       {"libgradus.a", "engine/ops/pow.h", "README.md", "tests/tour/installed.md",
        "tests/tour/own_operation.md", "tests/tour/1.cpp", "tests/tour/6_gemm.cpp",
        "train/exchange/nanogpt.py"})
    put(box / file, "x");
  put(box / "used/lib/pkgconfig/z.pc", "somebody's");
  // Whatever the umask, everybody can read and run what is installed.
  const std::string line =
      "umask 077; chmod +x gradus; MAKEFLAGS= make --no-print-directory -o gradus -o libgradus.a ";
  const auto make = [&](const std::string& arguments) {
    return box.shell_done(line + arguments).out;
  };
  const std::string all =
      ": bin/gradus share/man/man1/gradus.1 share/bash-completion/completions/gradus "
      "share/gradus/nanogpt.py lib/libgradus.a lib/pkgconfig/gradus.pc include/gradus "
      "share/doc/gradus\n";
  const auto there_and_back = [&](const std::string& place, const std::string& prefix) {
    CHECK_THAT(make("install " + prefix),
               Catch::StartsWith("installed in ") && Catch::EndsWith("/" + place + all));
    CHECK(box.shell("find '" + place + "' ! -path used/lib/pkgconfig/z.pc ! -perm -444").out == "");
    CHECK(box.shell("test -x '" + place + "/bin/gradus'").status == 0);
    CHECK(fs::exists(box / (place + "/include/gradus/engine/ops/pow.h")));
    CHECK(program::read(box / (place + "/share/man/man1/gradus.1")) == "page\n");
    CHECK(box.shell("ls '" + place + "/share/doc/gradus'").out ==
          "1.cpp\nREADME.md\nown_operation.md\n");
    CHECK_THAT(make("uninstall " + prefix),
               Catch::StartsWith("no longer in ") && Catch::EndsWith("/" + place + all));
  };
  // Refused, or ended by a program for another CPU, before there is anything to remove.
  const auto refused = [&](const std::string& arguments, const std::string& says) {
    const auto run = box.shell(line + arguments);
    CHECK(run.status == 2);
    CHECK_THAT(run.err, Catch::Contains(says));
  };
  refused("install PREFIX=new", "PREFIX=new: ");
  refused("uninstall PREFIX='~/new'", "PREFIX=~/new: ");
  put(box / "gradus", "#!/bin/sh\necho other CPU >&2; exit 1\n");
  refused("install PREFIX=\"$PWD/new\"", "other CPU");
  CHECK_FALSE(fs::exists(box / "new"));
  // An installed program that runs is replaced, not written to.
  fs::create_directories(box / "a new one/bin");
  fs::copy_file("/bin/sleep", box / "a new one/bin/gradus");
  put(box / "gradus", "#!/bin/sh\necho page\n");
  const auto running = box.shell("'a new one/bin/gradus' 3 >/dev/null 2>&1 &");
  there_and_back("a new one", "PREFIX=\"$PWD/a new one\"");
  there_and_back("used", "PREFIX=\"$PWD/used\"");
  there_and_back("stage/usr/local", "DESTDIR=\"$PWD/stage\" PREFIX=/usr/local");
  CHECK(box.shell("find . -type d -empty | sort").out == "./model\n./nn\n");
  CHECK(box.shell("find used").out ==
        "used\nused/lib\nused/lib/pkgconfig\nused/lib/pkgconfig/z.pc\n");
  CHECK(program::read(box / "used/lib/pkgconfig/z.pc") == "somebody's");
}

TEST_CASE("makefile: the shards run every test once, with Catch2 v2 and v3, or say so") {
  const program::Sandbox box;
  const std::string names = "five\nfour\none\nthree [3]\ntwo, with a comma\n";
  program::write(box / "names", names);
  program::write(box / "nproc", "#!/bin/sh\necho 3\n");
  // A test program with the flags of each version of Catch2; version 0 ignores its arguments.
  program::write(box / "tests", R"sh(#!/bin/sh
case $VERSION$1 in
  [03]--list-tests) cat names ;;
  2--list-tests) echo All available test cases:; cat names; exit 5 ;;
  2--list-test-names-only) cat names; exit 5 ;;
  [23]-f) sed 's/\\,/,/' "$2" >>ran
    echo "All tests passed (7 assertions in $(($(wc -l <"$2"))) test cases)" ;;
  0-f) echo "test cases:   5 | 4 passed | 1 failed" ;;
  *) echo "Unrecognized token: $1" >&2; exit 1 ;;
esac
)sh");
  const auto shards = [&](const std::string& version) {
    return box.shell("chmod +x tests nproc; >ran; PATH=\"$PWD:$PATH\"; export VERSION=" + version +
                     "; '" + fs::absolute("tests/shards.sh").string() + "' ./tests");
  };
  for (const char* const version : {"2", "3"}) {
    const auto run = shards(version);
    CAPTURE(version, run.out, run.err);
    CHECK(run.status == 0);
    CHECK(box.shell("LC_ALL=C sort ran").out == names);
  }
  const auto all = shards("0");
  CHECK(all.status == 1);
  CHECK_THAT(all.out, Catch::EndsWith("shards.sh: 15 tests have run, of 5\n"));
}

TEST_CASE("makefile: a check that hangs is ended") {
  const program::Sandbox box;
  if (box.shell("timeout --foreground 9 true").status != 0) {
    WARN("no timeout of GNU coreutils: not tested");
    return;
  }
  copy_makefiles(box / "");
  put(box / "b/gradus", "");
  put(box / "tests/browser/run.sh", "#!/bin/sh\nexec sleep 100\n");
  const auto run = box.shell(
      "chmod +x tests/browser/run.sh; LC_ALL=C MAKEFLAGS= make B=b -o b/gradus -o "
      "b/tests/browser/answers TIME_LIMIT=0.5 browser");
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Catch::Contains("Error 124"));
}
